
BlogitsJ(1¿sÑ¿kI¿xmC?5M’¿€ßV¿úí£¿Ì¬Œ>Pó¾`™¾