
ByJ{ôzÜzÞzázÑzÏzßzîzýz