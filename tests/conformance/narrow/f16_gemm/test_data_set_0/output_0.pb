
ByJF¶ÉoÏJQEPŽJÓ4ÔL¢ÑLÃ^O±ÌcRÒÆRÌ¦O}PkÐ~ÉaD%ÅíÎwÊ ?þÑ¼ÎÂ<Ð@NØPÌÈRÑÝJuNO