
ByJFдйдlKI░Ds╬mEко╣⌡Hlф%Jlй∙а─а3H"JHиEд╫9R╨▐дC╪h3tк=еоа╦хFРF÷╩к?D╔@tH