
ByJ\p\p