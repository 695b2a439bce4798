
ByJD