
ByJ 5MA@USýTŒTüT!Ì€VyU>SÕùPÕsRDÆñTöNºPSUS¨ÔuÔrÉÛLÛMÔTåPJÂQrUüQèQ”TöT„ÍìÔkPcÉÒ±ÒöÔ)S…ÔSUÓÕPkU'Ó¹QMÐÂUÎ÷Î1ÖgÓÔ4Ô¿Ò·S–ÓæÓ³ÈÌÑÔ¿U/VfÐùSªO¨PHÏÅJ¥ÑSÔ¯ÍÛRøTLU÷ÒóÔ