
ByJ(R%R8R0ROR%R