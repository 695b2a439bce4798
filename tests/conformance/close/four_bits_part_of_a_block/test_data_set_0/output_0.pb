ByJx¿oþÀ¢@œuºAW:AÂh¸œÀyI+BVcOB=.Ap@	à;Bì`ß?
ÝA`v)Bkˆ Áïd´ÀšÜ’ÁÏ7ZÁºHz@!zÂµÙªAñ¨éA	@ÇA"ñºAJ]Â°B]Âû‘ÔÁ)¶Â@K&ÂXB_B