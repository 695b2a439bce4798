
ByJ[jNj7k