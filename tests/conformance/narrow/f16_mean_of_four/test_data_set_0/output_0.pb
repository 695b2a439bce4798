
ByJS{S{S{