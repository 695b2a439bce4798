
ByJ€kJNÀÊÌI(8È}À@ÊmÊ)HýÈJJË[ÃbGÂ½CÛA€ÄæJfJ'?ÖLiÇ|PôÊ0ÃCÁ&OdJ‚Ð ”QLG_H"ÌÏK„:vÁêN4ÎmGâ9ìLëÎ¦Éa4õHðSkÔ«ÓuI¾ÎL”ÒcQ KæP1MMËL	MQ½Q