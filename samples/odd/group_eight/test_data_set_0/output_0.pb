
BlogitsJ(EK╤?j	█©цаHю!шк?Ь©{▀╬6cl@╝∙т©qV$юpDЙ?