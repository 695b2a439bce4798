
BmJÕcÌcÎcÏc