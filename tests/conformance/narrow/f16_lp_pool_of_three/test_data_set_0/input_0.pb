
BxJdíUÕˆÖ_L&T…ÍèÐEW&ÈsËeN^×€N)ÕV¿ÚO‚ÎªÒµÕsM‰V§Ö±PúNÒÕÑÅGRDXXtÕ<ÖÒ“LmØÑE³V³QæUT
VòQ¡Ó€UþLêÖ<XÔÊ!TGÇ