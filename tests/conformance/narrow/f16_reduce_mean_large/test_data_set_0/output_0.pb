
ByJS{