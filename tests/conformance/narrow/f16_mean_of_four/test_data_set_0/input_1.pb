
BbJS{S{S{