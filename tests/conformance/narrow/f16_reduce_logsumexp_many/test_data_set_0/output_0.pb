
ByJ‰JÏJ