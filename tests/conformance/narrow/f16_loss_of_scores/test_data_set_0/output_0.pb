
ByJ`O