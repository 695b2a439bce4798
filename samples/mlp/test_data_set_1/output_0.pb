
BprobabilitiesJ(œ+œ<u™r>W#Æ<±»Ó=å56=§q<§+>i¸—;¦ƒ>bç>