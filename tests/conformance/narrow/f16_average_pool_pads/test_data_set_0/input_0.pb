
BxJ²zÞz¯zH{Ãz²z7{ÞzÞzG{"{ïz{îzázP{Ãz0{´z¿z¨zºzºzÝzÂzîzÙz*{I{òzJ{>{÷zÜzÅz){ÿzÚzB{'{Íz{{8{ãz{Äz?{0{áz'{P{ßz¼zñz¡zÝz){6{Ýzâz{C{¹z5{Îz zÃzÊz›z{ßz