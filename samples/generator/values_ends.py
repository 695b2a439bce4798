"""Operators on single elements where their values end: zeros of either sign, infinities, NaN, the largest and the least numbers,
and results that are small beside what they are made of. Every element is compared by itself, a zero by its sign, too."""
import math

import numpy as np

from .table import FLOATS, Tensor

LARGEST = {"f16": 65504.0, "bf16": 255 * 2.0**120, "f32": (2 - 2.0**-23) * 2.0**127, "f64": (2 - 2.0**-52) * 2.0**1023}
NORMAL = {"f16": 2.0**-14, "bf16": 2.0**-126, "f32": 2.0**-126, "f64": 2.0**-1022}
LEAST = {"f16": 2.0**-24, "bf16": 2.0**-133, "f32": 2.0**-149, "f64": 2.0**-1074}
SPECIAL = [-0.0, 0.0, np.nan, -np.inf, np.inf]
NEAR = [-0.75, -0.5, -0.125, -0.01, -1e-3, -1e-4, -1e-5, 1e-5, 1e-4, 1e-3, 0.01, 0.125, 0.5, 0.75]
TAILS = [-0.3, -1, -3, -5.25, -8, -9.0625, -13, -16.625, -17, -17.25, -24, -60]


def softplus(x):
    return np.logaddexp(0, x)


def expm1_below(x, alpha=1.0):
    return np.where(x < 0, alpha * np.expm1(x / alpha), x)


def gelu_tanh(x):
    return x / (1 + np.exp(-2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


# The function, what else than the special values and the ends of the type it is asked of, and its attributes.
FUNCTIONS = {
    "neg": (np.negative, NEAR, {}), "abs": (np.abs, NEAR, {}), "sign": (np.sign, NEAR, {}),
    "floor": (np.floor, NEAR, {}), "ceil": (np.ceil, NEAR, {}), "round": (np.round, [-2.5, -1.5, *NEAR, 1.5, 2.5], {}),
    "sqrt": (np.sqrt, [0.25, 2], {}), "reciprocal": (lambda x: 1 / x, NEAR, {}), "exp": (np.exp, TAILS, {}),
    "log": (np.log, [0.5, 1, 2], {}), "sin": (np.sin, NEAR, {}), "tan": (np.tan, NEAR, {}), "cos": (np.cos, NEAR, {}),
    "asin": (np.arcsin, NEAR + [-1, 1, 1.5], {}), "acos": (np.arccos, [-1, -0.5, 0.5, 0.875, 1, 1.5], {}),
    "atan": (np.arctan, NEAR + [-3, 100], {}), "sinh": (np.sinh, NEAR + [-3, 5], {}), "cosh": (np.cosh, NEAR + [-3, 5], {}),
    "tanh": (np.tanh, NEAR + [-3, 5, 20, -100], {}), "asinh": (np.arcsinh, NEAR + [-3, 100], {}),
    "acosh": (np.arccosh, [-100, -1, 0.5, 1, 1.0078125, 1.125, 3, 100], {}), "atanh": (np.arctanh, NEAR + [-1, 1, 1.5], {}),
    "erf": (np.vectorize(math.erf, otypes=[np.float64]), [*NEAR, -6, 6, 100], {}),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), TAILS + [3, 17], {}), "softplus": (softplus, TAILS + [3, 17], {}),
    "softsign": (lambda x: x / (1 + abs(x)), NEAR, {}), "mish": (lambda x: x * np.tanh(softplus(x)), TAILS + NEAR, {}),
    "swish": (lambda x: x / (1 + np.exp(-x)), TAILS + NEAR, {}), "gelu_tanh": (gelu_tanh, NEAR + [-3, -5.25, -6, -100, 5], {}),
    "elu": (expm1_below, TAILS + NEAR, {}), "celu": (lambda x: expm1_below(x, 2.0), TAILS + NEAR, {"alpha": 2.0}),
    "selu": (lambda x: 1.25 * np.where(x < 0, 0.75 * np.expm1(x), x), TAILS + NEAR, {"alpha": 0.75, "gamma": 1.25}),
    "leaky_relu": (lambda x: np.where(x < 0, 0.25 * x, x), NEAR, {"alpha": 0.25}),
    "thresholded_relu": (lambda x: np.where(x > 0, x, 0), NEAR, {"alpha": 0.0}),
    "identity": (lambda x: x, NEAR, {}),
}
# What overflows on its way in the type that it is computed in, or has no value that far out.
NO_LARGEST = {"sin", "cos", "tan"}
# Of an infinity there is none by the formula (0 times infinity), or one that NumPy does not say.
NO_INFINITY = {"mish", "swish", "gelu_tanh", "softsign", "reciprocal"}
# The sign of the zero that is left is that of rounding.
LEAST_LEFT = {"gelu_tanh", "mish", "swish"}


def singles(table):
    for op, (function, points, attributes) in FUNCTIONS.items():
        for dtype in FLOATS:
            ends = [LEAST[dtype], -LEAST[dtype], NORMAL[dtype], -NORMAL[dtype]] if op not in LEAST_LEFT else []
            ends += [LARGEST[dtype], -LARGEST[dtype]] if op not in NO_LARGEST | NO_INFINITY else []
            special = [v for v in SPECIAL if op not in NO_INFINITY or not np.isinf(v)]
            x = Tensor(dtype, np.array(special + ends + points))
            if op in ("elu", "celu", "selu"):  # half of the least number is none
                x = Tensor(dtype, x.held[abs(x.held) != LEAST[dtype]])
            with np.errstate(all="ignore"):
                table.call(op, [x], Tensor(dtype, function(x.held)), **attributes)


def pairs(table):
    """As C has it (ANSI C99, annex F)."""
    def power(a, b):
        return np.power(a, b)
    whole = [0.0, 1.0, 2.0, 3.0, 0.5, 7.0, 100.0, np.inf]
    for dtype in FLOATS:
        one = whole + [-v for v in whole] + [np.nan, LARGEST[dtype], -LARGEST[dtype], NORMAL[dtype], LEAST[dtype]]
        for op, function in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("div", np.divide),
                             ("fmod", np.fmod), ("pow", power)):
            points = one[:-3] if op == "pow" else one[:-4] if (op, dtype) == ("fmod", "f64") else one
            a, b = Tensor(dtype, np.array(points)), Tensor(dtype, np.array(points)[:, None])
            with np.errstate(all="ignore"):
                table.call(op, [a, b], Tensor(dtype, function(a.held, b.held)))
        # Far more of the divisor than a type has bits.
        a = Tensor(dtype, np.array([6e4, -6e4] if dtype == "f16" else [1e30, -1.27e18, 8.19e21, 3e38]))
        b = Tensor(dtype, np.array([[0.3], [-0.011], [7.0], [LEAST[dtype] if dtype != "f64" else 1e-30]]))
        table.call("fmod", [a, b], Tensor(dtype, np.fmod(a.held, b.held)))
        a, slope = Tensor(dtype, np.array([SPECIAL + [-2.0, 2.0]] * 3)), Tensor(dtype, np.array([[0.0], [-0.0], [-1.5]]))
        with np.errstate(all="ignore"):
            table.call("prelu", [a, slope], Tensor(dtype, np.where(a.held < 0, slope.held * a.held, a.held)))


def add_to(table):
    singles(table)
    pairs(table)
