BxJ°ÂÎC©Â‹CuBLÄÕÃDŽBêCðB«CÿC¬Ã1CDïÃ C°B9DÆCJÄ=ÄÁCÂÓÂYÄ°ÃŽÃYÄ%Ä1DcCÄWDÃÂÀÃ§C]D÷CDDÄCCDÄ Ä?DBDND5D9Ä÷Ã)ÄC©C8DADNDLD'BËCD7Ä²ÁÔC’ÂXD‹ÃSDùCµÃTÄTDACyC=DÂCLDYD”CDLÄ^Ä5Ã¾C_Ä0ÄÖÂñÃXÃ‡ÃXÄmCDÁ9D+ÄÄ_CD8Ã¸CQD+D%ÄnÃ[D-ÄBÄC<ÄCDÃºÃ'ÄàÃøBDÄÔÃ
ÃXÄ	CWÃÝÃûAÄ?ÄçÃCÄÿÃND÷C<Ä\Ã4C7ÃÃ3DÍÃèC(ÃJÄûÃÿC¸CPDËÃ(ÃÄD³ÃDÄÑCZDGÄ!DIÄ)D7ÄÃ]ÄIÄEÄ¸CïÃ®Ã
ÄuÃÃúÃ0ÄXÄµÃC\Ä#ÄÃwÃD¯Â)ÄÙCºÁÜÃúA:C÷Á¡CJDDADÄÕC_ÂHÃ2D,BPÁÄ_ÃýC5Ã.ÃØÃzCYDRCDC$DÅÂOÃ4D,DÄaÄ8ÄþC†Ã3DaÄ,ÃìBÑB{Ã4Ä*D<DÙÃWÄ,ÃDÃÄCMD[D!DaÄ	ÄÃÃ
D^DûCFÂÄ ÄhBüÃYÄëÃŠÃ§ÂäÃ<Ã˜C…B!D"ÄÄŒC_DÇÃÆÃ§ÂVDHD©ÃD,ÄÆÃ6DD'C?D"D"DWÂ