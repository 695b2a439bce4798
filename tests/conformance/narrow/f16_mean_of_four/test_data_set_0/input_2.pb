
BcJS{S{S{