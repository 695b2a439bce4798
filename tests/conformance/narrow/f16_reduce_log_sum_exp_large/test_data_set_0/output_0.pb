
ByJ‡i iÙi