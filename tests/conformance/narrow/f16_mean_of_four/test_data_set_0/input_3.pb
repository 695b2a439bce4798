
BdJS{S{S{