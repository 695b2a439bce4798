
ByJzB