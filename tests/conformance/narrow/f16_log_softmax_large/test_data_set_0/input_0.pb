
BxJx÷ÒOX#ÌEÔVØ Ú°V•[NÙ©P1YÒX›ÜŠ\×%Q(VzS`ÛÔh\ZiV ØHUÌUà@éÙ&Ø,ÌwÏÁÐ7Z:YÏÎPVRjØfÛû[ªÜÈZWüR×•NrØ›ÚsXWrZ/SÜZjA³ØÌO°\ÚîÚ