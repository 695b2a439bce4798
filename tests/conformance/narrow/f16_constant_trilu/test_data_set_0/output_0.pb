
ByJm÷d÷T÷R>n÷f÷¡]A3÷