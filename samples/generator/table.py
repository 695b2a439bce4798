"""Calls of operators of the library with the values that NumPy gives for them: tests/conformance/values/*.txt.

A call is a line with the types of its operands and its attributes; behind it stand a line of elements for each operand
that is there and one for each result:

    softmax(f16[2, 3]) {axis = -2} -> f16[2, 3]
      0.5 -1 ...
      0.7 0.3 ...

Floats are computed in double precision from what the element type can hold and rounded to it once, integers wrap. In ends.txt
every element is asked for by itself, and zeros with their signs; elsewhere the largest of a tensor says how exact the others are.
"""
import zlib

import numpy as np

FLOATS = ("f16", "bf16", "f32", "f64")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
INTEGERS = SIGNED + UNSIGNED
NUMBERS = INTEGERS + FLOATS
ALL = ("bool",) + NUMBERS

NUMPY = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32,
         "i64": np.int64, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64}


def to_bf16(values):
    """Float64 rounded to the upper half of a float32, halves to even."""
    values = np.asarray(values, np.float64)
    bits = values.astype(np.float32).reshape(-1).view(np.uint32).astype(np.int64)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    rounded = bits.astype(np.uint32).view(np.float32).astype(np.float64).reshape(values.shape)
    return np.where(np.isfinite(values), rounded, values)


def held(dtype, values):
    """`values` as the element type holds them: floats as float64, integers wrapped, as objects."""
    if isinstance(values, list) and dtype in INTEGERS:
        values = np.array(values, dtype=object)  # what int64 does not hold would become a float
    values = np.asarray(values)
    if dtype == "bool":
        return values.astype(bool)
    if dtype == "bf16":
        return to_bf16(values.astype(np.float64))
    if dtype in FLOATS:
        return values.astype(NUMPY[dtype]).astype(np.float64)
    bits, low = int(dtype[1:]), -(1 << int(dtype[1:]) - 1) if dtype in SIGNED else 0
    return np.array([(int(v) - low) % (1 << bits) + low for v in values.reshape(-1)],
                    dtype=object).reshape(values.shape)


class Tensor:
    """Elements behind the first `said` are not said: whoever computes them may give anything."""

    def __init__(self, dtype, values, said=None):
        self.dtype = dtype
        self.held = held(dtype, values)
        self.said = self.held.size if said is None else said

    @property
    def v(self):
        """To compute with: float64, int64 (objects where that is too small) or bool."""
        if self.held.dtype != object or any(not -(1 << 63) <= v < 1 << 63 for v in self.held.reshape(-1)):
            return self.held
        return self.held.astype(np.int64)

    def type(self):
        return f"{self.dtype}[{', '.join(map(str, self.held.shape))}]"

    def line(self):
        shown = [number(self.dtype, v) for v in self.held.reshape(-1)]
        return " ".join(shown[:self.said] + ["_"] * (len(shown) - self.said))


def number(dtype, value):
    if dtype not in FLOATS:
        return str(int(value))
    if value == np.floor(value) and abs(value) < 1e6:
        return "-0" if value == 0 and np.signbit(value) else str(int(value))
    if dtype == "bf16":
        return f"{value:.4g}"
    return str(NUMPY[dtype](value)) if dtype != "f64" else repr(float(value))


def draw(dtype, *shape, low=-4, high=4, seed=0):
    """Halves (of integers: integers) between the limits, distinct enough to tell places apart."""
    random = np.random.default_rng(zlib.crc32(repr((shape, seed)).encode()))
    if dtype == "bool":
        return Tensor(dtype, random.integers(0, 2, shape))
    if dtype in FLOATS:
        return Tensor(dtype, random.integers(2 * low, 2 * high, shape, endpoint=True) / 2)
    return Tensor(dtype, random.integers(max(low, 0) if dtype in UNSIGNED else low, high, shape, endpoint=True))


def spread(dtype, *shape, seed=0):
    """No two elements alike, in no order: for what picks the largest or sorts."""
    count = int(np.prod(shape))
    order = np.random.default_rng(zlib.crc32(repr((shape, seed)).encode())).permutation(count).reshape(shape)
    return Tensor(dtype, order % 2 if dtype == "bool" else order - (0 if dtype in UNSIGNED else count // 2))


def whole(values, dtype="i64"):
    return Tensor(dtype, np.array(values))


def text(value):
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str):
        return value if value in ALL or value.startswith(("tensor(", "[")) else f'"{value}"'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(text(v) for v in value)}]"
    return repr(value)


class Table:
    def __init__(self):
        self.lines = []

    def call(self, op, operands, results, **attributes):
        """`results`: Tensors, or one."""
        results = results if isinstance(results, (list, tuple)) else [results]
        types = ", ".join("none" if x is None else x.type() for x in operands)
        inside = ", ".join(f"{name} = {text(value)}" for name, value in attributes.items())
        self.lines.append(f"{op}({types}){' {' + inside + '}' if inside else ''} -> {', '.join(r.type() for r in results)}")
        self.lines += ["  " + x.line() for x in [*operands, *results] if x is not None]

    def text(self):
        return "\n".join(self.lines) + "\n"


def all_values():
    """The files, by name."""
    from . import values_elementwise, values_ends, values_integers, values_moving, values_newer, values_signal, values_sizes, values_sums

    out = {}
    for part in (values_elementwise, values_ends, values_integers, values_moving, values_newer, values_signal, values_sizes, values_sums):
        table = Table()
        part.add_to(table)
        out[part.__name__.rsplit("_", 1)[-1] + ".txt"] = table.text()
    return out
