
ByJ$ Y†YÊXÁXDYŒXY"YrW­X«YŠZYYmYÎY«YBX