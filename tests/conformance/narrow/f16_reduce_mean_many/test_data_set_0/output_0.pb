
ByJrO¶O