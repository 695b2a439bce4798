
BcJSû