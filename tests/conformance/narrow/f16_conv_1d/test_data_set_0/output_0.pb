
ByJT)ÁÔEeÃ”D=Ë¸/M%ÃXÊ§G­ÇJ_Ä8EDC?H°É;HP9”Å{ÄH,¾xÁK?½ÉõK}Ç•ÆÂ?OÍ“H Ä€¿fÃðÄ›ÈXB>¥CWÍ©B