
ByJPæÇ~@FDNFÞÅ%HÜÇÜÇ~Âx=BÅBÅº¸‹IÚÁJÔ9ÌƒÍÔ9ö2~@®ÃöÈNF~Âx=%HLI„»DjF˜Çº¸ú>mFøÄmFmFUÉ