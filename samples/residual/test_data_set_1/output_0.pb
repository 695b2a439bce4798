
BlogitsJ(§±ş>LO@¬†¿»	@/Ç8?I­£½s¿Œhm?9†Àf$J@