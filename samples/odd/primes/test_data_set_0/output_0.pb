
BlogitsJ(K¾œ¿·o°?O¾>ã‡2?bø¾—[!@F~T?=A·¾W¤	> 	$¾