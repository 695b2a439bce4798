BxJPƒC1D§DEýDûÄ’ÄEÅDD$EÓDSDÝÄADÅˆÄÅùÄEÅzÃ]C¥C%EwDÑÄæD ÄÎDÄ
EŽÄˆDáÁµÄDYDÿÂÄ