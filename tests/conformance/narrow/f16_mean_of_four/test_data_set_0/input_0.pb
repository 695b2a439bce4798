
BaJS{S{S{