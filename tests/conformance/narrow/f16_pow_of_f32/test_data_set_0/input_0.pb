(
BxJP“D®F†=FÅAG+@jHgHXEˆGE‡CÀ@U3ËF9,AÞAyEsCHHfF}:XF)D™;	E¥1íC‘CqDö?Ç;ÇFV:ÉCAÿF÷F