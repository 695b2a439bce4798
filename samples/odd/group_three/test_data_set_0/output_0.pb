
BlogitsJ(hฟrอย@UEAบVA๐FญA’nมÿS ?f6ค@‘,@ฃงฮม