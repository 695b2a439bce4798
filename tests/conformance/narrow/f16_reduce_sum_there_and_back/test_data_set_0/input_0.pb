$
BxJS{zSûûùS{zSûûùS{zSûûùS{zSûûùS{zSûûùS{zSûûùS{zSûûùS{zSûûùS{zSûûùS{zSûûùS{zSûûùS{zSûûùS{zSûûùS{zSûûùS{zSûûùS{zSûûùS{zSûûùS{zSûûù