
ByJÑHÖH