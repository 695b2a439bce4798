

ByJÀ\Ø]©`Âbšdóelgh€a.`/Z8Z5`4dgBh3f´b¯àläÉáµYefžhzgKd&à)äØßB^kflh–fêdL^F^ædÂf&gXgnedÕ]n`af	g/d„adx_Øàpàö`É`õàêä¬]™ÚOå–åšÞ™Ú7â@äµàðã4çâçæ=á–`Àd=ä‹åè„èè	ãþd h9è”æ¯á ØvVÀ[¹\%]€ã‚áÚ’ÌsÙbÊK_…a¤eådÌb‰Z´á-à7bµe!gyf)eb_òâlá dŒg¯Yí_†dbá±ßàd#höáÚYcûbAÝÞ¿aeåãß8a‰báRÞ†ß$àpáÜ±`òaÓZÛÝõã<å¦Yº]Äa6aÏX¡ÝÖâmäÖ`SaMbØ`™W„ÝGâä