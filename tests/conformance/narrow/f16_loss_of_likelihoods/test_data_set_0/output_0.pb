
ByJÅJ