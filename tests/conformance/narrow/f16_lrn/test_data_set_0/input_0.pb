
BxJ sM@¦VúYKXPY,Ì'ZÄWìW_Ø@QÙÐUŒÇNW±PÁRòX`Y‹ØÇØùÉ×P"R.Z˜T’MHV'YºU-UWÀWÃÑ	ÚüR:ÎeÓlÔ£ÙgXˆ×èYPØ'T©Y×VàÔ½XÒØÏÚ™Ô=ÕéØtÖV}Ø—ÙˆÊåÕðØVYZ
ÓÆTP‰T9ÐøKÇÔzÖÏ¯U.ZÖV®ÔdÙ