
By2JnÂ