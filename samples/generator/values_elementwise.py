"""Operators on single elements: operands that broadcast both ways, ties of rounding, signs, special values."""
import math

import numpy as np

from .table import ALL, FLOATS, INTEGERS, NUMBERS, UNSIGNED, Tensor, draw

erf = np.vectorize(math.erf, otypes=[np.float64])


def trunc_div(a, b):
    return np.sign(a) * np.sign(b) * (abs(a) // abs(b))


def on_integers(function):
    return np.vectorize(lambda x, y: function(int(x), int(y)), otypes=[object])


@on_integers
def int_pow(base, exponent):
    if exponent >= 0:
        return pow(base, exponent, 1 << 64)
    return base ** (-exponent % 2) if abs(base) == 1 else 0


def exact_div(a, b):
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def exact_mod(a, b):
    return 0 if b == 0 else a % b


def exact_rem(a, b):
    return 0 if b == 0 else a - exact_div(a, b) * b


def integer_ends(dtype):
    bits, low = int(dtype[1:]), -(1 << int(dtype[1:]) - 1) if dtype not in UNSIGNED else 0
    return [low, low + 1, *([-2, -1] if low else []), 0, 1, 2, low + (1 << bits) - 2, low + (1 << bits) - 1]


def is_nan(values):
    return np.isnan(values.astype(np.float64))


BINARY = {
    "add": (NUMBERS, np.add), "sub": (NUMBERS, np.subtract), "mul": (NUMBERS, np.multiply),
    "max": (NUMBERS, np.maximum), "min": (NUMBERS, np.minimum),
}
COMPARING = {
    "equal": (ALL, np.equal), "less": (NUMBERS, np.less), "less_or_equal": (NUMBERS, np.less_equal),
    "greater": (NUMBERS, np.greater), "greater_or_equal": (NUMBERS, np.greater_equal),
}
TRUTHS = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}


def binary(table):
    def pair(dtype, low=-4, high=4):
        return draw(dtype, 2, 1, 3, low=low, high=high), draw(dtype, 4, 1, low=low, high=high, seed=1)

    def nonzero(x):
        return Tensor(x.dtype, np.where(x.held == 0, 3, x.held))

    for op, (types, function) in BINARY.items():
        for dtype in types:
            a, b = pair(dtype)
            table.call(op, [a, b], Tensor(dtype, function(a.v, b.v)))
    for op, (types, function) in COMPARING.items():
        for dtype in types:
            a, b = pair(dtype)
            table.call(op, [a, b], Tensor("bool", function(a.v, b.v)))
    for op, function in TRUTHS.items():
        a, b = pair("bool")
        table.call(op, [a, b], Tensor("bool", function(a.v, b.v)))
    for dtype in NUMBERS:
        a, b = pair(dtype, -9, 9)
        b = nonzero(b)
        table.call("div", [a, b], Tensor(dtype, a.v / b.v if dtype in FLOATS else trunc_div(a.v, b.v)))
    for dtype in FLOATS:
        a, b = pair(dtype, 1, 4)[0], pair(dtype, -2, 2)[1]
        table.call("pow", [a, b], Tensor(dtype, a.v**b.v))
        a, b = pair(dtype, -9, 9)
        table.call("fmod", [a, nonzero(b)], Tensor(dtype, np.fmod(a.v, nonzero(b).v)))
    for dtype in INTEGERS:
        a, b = pair(dtype, -9, 9)
        b = nonzero(b)
        table.call("mod", [a, b], Tensor(dtype, np.mod(a.v, b.v)))
        table.call("rem", [a, b], Tensor(dtype, np.fmod(a.v, b.v)))
        a, b = pair(dtype, -3, 3)[0], pair(dtype, -3, 5)[1]
        a = nonzero(a)
        table.call("int_pow", [a, b], Tensor(dtype, int_pow(a.v, b.v)))
        # Ends of both types, exponents of many bits: the power modulo 2^n.
        a = Tensor(dtype, integer_ends(dtype) + [3, 5, 7, 86])
        for exponents in INTEGERS:
            b = Tensor(exponents, [[e] for e in integer_ends(exponents) + [31, 33, 63, 65, 99, 127]])
            table.call("int_pow", [a, b], Tensor(dtype, int_pow(a.held, b.held)))
        # A quotient and a rest by 0 are 0; the least number divided by -1 is itself.
        a = Tensor(dtype, integer_ends(dtype) + [7])
        b = Tensor(dtype, [[e] for e in integer_ends(dtype) + [7]])
        for op, function in (("div", exact_div), ("mod", exact_mod), ("rem", exact_rem)):
            table.call(op, [a, b], Tensor(dtype, on_integers(function)(a.held, b.held)))
    for dtype in UNSIGNED:
        bits = int(dtype[1:])
        a, b = draw(dtype, 2, 1, 3, low=0, high=200), Tensor(dtype, [[0], [1], [bits - 2], [bits - 1]])
        objects = [np.array(t.held, dtype=object) for t in (a, b)]
        table.call("shift_left", [a, b], Tensor(dtype, objects[0] * 2 ** objects[1]))
        table.call("shift_right", [a, b], Tensor(dtype, objects[0] // 2 ** objects[1]))
        # By as many places as there are, or more, nothing is left.
        b = Tensor(dtype, [[bits], [bits + 1], [64], [127], [(1 << bits) - 1]])
        nothing = np.zeros((2, 5, 3), dtype=object)
        table.call("shift_left", [a, b], Tensor(dtype, nothing))
        table.call("shift_right", [a, b], Tensor(dtype, nothing))
    for dtype in ALL:
        c, (a, b) = draw("bool", 3, seed=5), pair(dtype)
        table.call("where", [c, a, b], Tensor(dtype, np.where(c.v, a.v, b.v)))
    for dtype in NUMBERS:
        x, slope = draw(dtype, 2, 3, 4), draw(dtype, 3, 1, seed=1)
        table.call("prelu", [x, slope], Tensor(dtype, np.where(x.v < 0, slope.v * x.v, x.v)))


def softplus(x):
    return np.logaddexp(0, x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# For each operator: domain of the operand, function, attributes that are not the defaults.
REAL = {
    "floor": (-4, 4, np.floor, {}), "ceil": (-4, 4, np.ceil, {}), "round": (-4, 4, np.round, {}),
    "sqrt": (0, 9, np.sqrt, {}), "rsqrt": (1, 9, lambda x: 1 / np.sqrt(x), {}),
    "reciprocal": (1, 9, lambda x: 1 / x, {}), "exp": (-4, 4, np.exp, {}), "log": (1, 9, np.log, {}),
    "sin": (-4, 4, np.sin, {}), "cos": (-4, 4, np.cos, {}), "tan": (-1, 1, np.tan, {}), "atan": (-4, 4, np.arctan, {}),
    "asin": (-1, 1, np.arcsin, {}), "acos": (-1, 1, np.arccos, {}), "sinh": (-4, 4, np.sinh, {}),
    "cosh": (-4, 4, np.cosh, {}), "asinh": (-4, 4, np.arcsinh, {}), "acosh": (1, 9, np.arccosh, {}),
    "erf": (-2, 2, erf, {}), "sigmoid": (-4, 4, sigmoid, {}), "tanh": (-2, 2, np.tanh, {}),
    "softplus": (-4, 4, softplus, {}), "softsign": (-4, 4, lambda x: x / (1 + abs(x)), {}),
    "hard_swish": (-4, 4, lambda x: x * np.clip(x / 6 + 0.5, 0, 1), {}),
    "mish": (-4, 4, lambda x: x * np.tanh(softplus(x)), {}),
    "gelu": (-2, 2, lambda x: x / 2 * (1 + erf(x / math.sqrt(2))), {}),
    "gelu_tanh": (-2, 2, lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))), {}),
    "leaky_relu": (-4, 4, lambda x: np.where(x < 0, 0.25 * x, x), {"alpha": 0.25}),
    "elu": (-4, 4, lambda x: np.where(x < 0, 0.75 * (np.exp(x) - 1), x), {"alpha": 0.75}),
    "celu": (-4, 4, lambda x: np.maximum(x, 0) + np.minimum(2.5 * (np.exp(x / 2.5) - 1), 0), {"alpha": 2.5}),
    "selu": (-4, 4, lambda x: 1.25 * np.where(x < 0, 0.75 * (np.exp(x) - 1), x), {"alpha": 0.75, "gamma": 1.25}),
    "thresholded_relu": (-4, 4, lambda x: np.where(x > 1.5, x, 0), {"alpha": 1.5}),
    "clip": (-4, 4, lambda x: np.minimum(np.maximum(x, -1.5), 2.5), {"min": -1.5, "max": 2.5}),
    "hard_sigmoid": (-4, 4, lambda x: np.clip(0.5 * x + 0.25, 0, 1), {"alpha": 0.5, "beta": 0.25}),
    "swish": (-4, 4, lambda x: x * sigmoid(0.5 * x), {"alpha": 0.5}),
}


def single(table):
    for op, (low, high, function, attributes) in REAL.items():
        for dtype in FLOATS:
            x = draw(dtype, 3, 5, low=low, high=high)
            table.call(op, [x], Tensor(dtype, function(x.v)), **attributes)
    for dtype in FLOATS:
        x = Tensor(dtype, [-0.75, -0.5, -0.0, 0.0, 0.03125, 0.5, 0.875])
        table.call("atanh", [x], Tensor(dtype, np.arctanh(x.v)))
        x = Tensor(dtype, [np.nan, 1, -np.inf, np.inf, 0])
        table.call("is_nan", [x], Tensor("bool", np.isnan(x.v)))
        table.call("is_inf", [x], Tensor("bool", x.v == -np.inf), positive=False)
        table.call("is_inf", [x], Tensor("bool", x.v == np.inf), negative=False)
    for dtype in NUMBERS:
        x = draw(dtype, 3, 5)
        table.call("neg", [x], Tensor(dtype, -x.v))
        table.call("abs", [x], Tensor(dtype, abs(x.v)))
        table.call("sign", [x], Tensor(dtype, np.sign(x.v)))
        table.call("relu", [x], Tensor(dtype, np.maximum(x.v, 0)))
        # Of integers the sum is cut.
        moved = np.where(x.v < -1.25, x.v + 0.75, np.where(x.v > 1.25, x.v - 0.75, 0))
        table.call("shrink", [x], Tensor(dtype, moved if dtype in FLOATS else np.trunc(moved)), bias=0.75, **{"lambda": 1.25})
    x = draw("bool", 7)
    table.call("not", [x], Tensor("bool", ~x.v))
    for dtype in ALL:
        x = draw(dtype, 2, 3)
        table.call("identity", [x], x)
        table.call("dropout", [x], x, ratio=0.25)
    for dtype in ("i8", "i16", "i32", "i64"):  # what has no counterpart wraps to itself
        bits = int(dtype[1:])
        x = Tensor(dtype, [-(1 << bits - 1), (1 << bits - 1) - 1])
        table.call("abs", [x], Tensor(dtype, [abs(int(v)) for v in x.held]))
        table.call("neg", [x], Tensor(dtype, [-int(v) for v in x.held]))


def casts(table):
    """Floats toward zero and saturated, integers wrapped, truths by being not 0."""
    def cast(x, to):
        if to == "bool":
            return Tensor(to, x.held != 0)
        if x.dtype in FLOATS and to in INTEGERS:
            bits, low = int(to[1:]), 0 if to in UNSIGNED else -(1 << int(to[1:]) - 1)
            return Tensor(to, np.array([min(max(int(v), low), low + (1 << bits) - 1) for v in x.held], dtype=object))
        return Tensor(to, np.array([float(v) for v in x.held]) if to in FLOATS else x.held)
    for dtype in ALL:
        for to in ALL:
            if dtype in FLOATS:
                x = Tensor(dtype, [-2.75, -0.5, 0, 0.5, 1.5, 2.5, 300, -40000])
            elif dtype == "bool":
                x = Tensor(dtype, [0, 1])
            else:
                x = Tensor(dtype, [0, 1, 5, 127, 200, -3 if dtype not in UNSIGNED else 250])
            table.call("cast", [x], cast(x, to), to=to)


def along(table):
    for dtype in NUMBERS:
        x, b = draw(dtype, 2, 3, 4), draw(dtype, 3, seed=1)
        table.call("bias", [x, b], Tensor(dtype, x.v + b.v[:, None]))
        table.call("scale", [x, b], Tensor(dtype, x.v * b.v[:, None]), axis=-2)
        b = draw(dtype, 4, seed=1)
        table.call("bias", [x, b], Tensor(dtype, x.v + b.v), axis=2)
        b = draw(dtype, 2, seed=1)
        table.call("scale", [x, b], Tensor(dtype, x.v * b.v[:, None, None]), axis=0)
    for dtype in FLOATS:
        x, g, t, m = draw(dtype, 2, 3, 2, 2), draw(dtype, 3, seed=1), draw(dtype, 3, seed=2), draw(dtype, 3, seed=3)
        v = draw(dtype, 3, low=1, high=4, seed=4)
        columns = [p.v[:, None, None] for p in (g, t, m, v)]
        table.call("batch_norm", [x, g, t, m, v],
                   Tensor(dtype, (x.v - columns[2]) / np.sqrt(columns[3] + 0.25) * columns[0] + columns[1]), eps=0.25)
    for dtype in FLOATS:
        x = draw(dtype, 2, 2, 3, 5)
        cos, sin = draw(dtype, 2, 3, 2, seed=1), draw(dtype, 2, 3, 2, seed=2)
        c, s = cos.v[:, None], sin.v[:, None]
        out = x.v.copy()
        out[..., 0:2] = x.v[..., 0:2] * c - x.v[..., 2:4] * s
        out[..., 2:4] = x.v[..., 2:4] * c + x.v[..., 0:2] * s
        table.call("rotary_embedding", [x, cos, sin], Tensor(dtype, out), turned=4)
        out = x.v.copy()
        out[..., 0:4:2] = x.v[..., 0:4:2] * c - x.v[..., 1:4:2] * s
        out[..., 1:4:2] = x.v[..., 1:4:2] * c + x.v[..., 0:4:2] * s
        table.call("rotary_embedding", [x, cos, sin], Tensor(dtype, out), interleaved=True, turned=4)


def add_to(table):
    for part in (binary, single, casts, along):
        part(table)
