
ByJ%v”x¦x«x­xv¢xçzÿzÿz
{œxžxãzëzízþzŸx“x×zézîzÿz¤x¡xçzçzäzòz¤xEv¬x«x¨x°xBvBv³x·x¨x®x3v±x{{{{x©xüz{{{¢xŸxüz{{ýz¢x‹xÞzßzüzñzªxv™x”x x•x4v