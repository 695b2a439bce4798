
ByJlºO6L»ÊŠÊ„ÄñMÙJ*I½ÈKK‹Ê‘Ñ»BeJÍÉÒÄBLƒN{E0N½L˜È\GÍ5ÎSÌGGÎÌKE{ÐyGPtJ×ËÌDÌÿÐWFÀBÎ ÎÌJHèÐÎÈþEÚÈÆ9M:M½Î