
ByJâpâpâpâpâpâp