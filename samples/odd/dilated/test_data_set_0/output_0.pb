
BlogitsJ(œÖ ¾æóC¿×?K¿ëùy?j ½VÎ>¾ƒn?EÉÚ¾™?¿ly¾