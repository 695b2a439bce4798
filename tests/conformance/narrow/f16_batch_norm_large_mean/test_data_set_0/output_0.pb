
ByJPæÇ~@GDNFßÅ%HÝÇÝÇÂy=CÅCÅº¸‹IÚÁJØ9Ì…ÍØ9ô2~@¯Ã÷ÈNFÂy=%HMI„»DjF™Çº¸ú>oFùÄoFoFWÉ