
ByJts¸s