BxJ ®A@ÕB?C	C*C…ÁECùBýBÃ(B ÃºBñÀêBBXBC,CÃÃ?ÁBDBFC“B²AÉB%C·B¦BâBøB8ÂAÃ_BÇÁmÂŽÂ4ÃCñÂ=C
Ã…B5CãÂÁBœÂC@ÂûÁBÃ“Â¨ÂÃÎÂÂBÃ3ÃQÁ½ÂÃ+CCCaÂ™BB‘BÂA™ÂÏÂâÁ¶BFCÛB–Â,Ã