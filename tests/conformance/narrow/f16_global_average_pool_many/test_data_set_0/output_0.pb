
ByJ<NBN