
ByJO\j\