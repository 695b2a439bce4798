
ByJ/fÿeàe