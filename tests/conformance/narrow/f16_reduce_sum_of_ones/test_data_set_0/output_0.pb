
ByJ‹i‹i‹i