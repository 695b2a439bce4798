"""Sums of products of eight bits, less their zero points; every pair of types, the ends of each. Loops over places as the standard
writes them."""
import itertools

import numpy as np

from .table import Tensor

EIGHT = ("i8", "u8")
PAIRS = list(itertools.product(EIGHT, EIGHT))


def bits(dtype, *shape, seed=0):
    low = -128 if dtype == "i8" else 0
    out = np.random.default_rng(seed + 7).integers(low, low + 255, shape, endpoint=True)
    if out.size > 1:
        out.flat[0], out.flat[-1] = low, low + 255
    return Tensor(dtype, out)


def products(table):
    for first, second in PAIRS:
        for rows, columns in ((1, 1), (3, 1), (1, 4), (3, 4)):
            a, b = bits(first, 2, 3, 5), bits(second, 5, 4, seed=1)
            za, zb = bits(first, rows, seed=2), bits(second, columns, seed=3)
            sums = (a.v - za.v[:, None]) @ (b.v - zb.v)
            for op in ("matmul_integer", "matmul_widened"):
                table.call(op, [a, b, za, zb], Tensor("i32", sums))


def filtered(x, w, zx, zw, strides, before, behind, dilations, groups):
    """Any number of axes; what lies around stands for zero."""
    axes = len(strides)
    x = np.pad(x - zx, [(0, 0), (0, 0)] + list(zip(before, behind)))
    w = w - zw.reshape(-1, *[1] * (w.ndim - 1))
    each, made = w.shape[1], w.shape[0] // groups
    out = [(x.shape[2 + i] - dilations[i] * (w.shape[2 + i] - 1) - 1) // strides[i] + 1 for i in range(axes)]
    y = np.zeros((x.shape[0], w.shape[0], *out), np.int64)
    for place in itertools.product(*map(range, y.shape)):
        n, o, at = place[0], place[1], place[2:]
        for tap in itertools.product(range(each), *map(range, w.shape[2:])):
            where = tuple(at[i] * strides[i] + tap[1 + i] * dilations[i] for i in range(axes))
            y[place] += x[(n, o // made * each + tap[0], *where)] * w[(o, *tap)]
    return Tensor("i32", y)


def images(table):
    for first, second in PAIRS:
        for zeros in (1, 4):
            x, w = bits(first, 2, 4, 5, 4), bits(second, 4, 2, 2, 3, seed=1)
            zx, zw = Tensor(first, np.array(99)), bits(second, zeros, seed=2)
            sums = filtered(x.v, w.v, zx.v, zw.v, (2, 1), (1, 0), (1, 2), (1, 1), 2)
            for op in ("conv2d_integer", "conv2d_widened"):
                table.call(op, [x, w, zx, zw], sums, strides=[2, 1], pads=[1, 0, 1, 2], groups=2)
            x, w = bits(first, 1, 2, 7), bits(second, 4, 2, 3, seed=1)
            table.call("conv_integer", [x, w, zx, zw], filtered(x.v, w.v, zx.v, zw.v, (2,), (2,), (1,), (2,), 1),
                       strides=[2], before=[2], behind=[1], dilations=[2])


def add_to(table):
    for part in (products, images):
        part(table)
