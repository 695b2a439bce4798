"""Operators of ONNX's sets from 18 on: bits, products along an axis, blocks in columns, grids, windows whose taps are moved,
attention over heads that share keys. Loops over places as the standard writes them, nothing of the library's texts."""
import math

import numpy as np

from .table import ALL, FLOATS, INTEGERS, NUMBERS, NUMPY, Tensor, draw, whole
from .values_signal import mirrored, precision

BYTES = {"bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2, "i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8,
         "f64": 8}


def stored(x):
    """The elements as they lie in memory."""
    if x.dtype == "bool":
        return x.held.astype(np.uint8)
    if x.dtype == "bf16":
        return (x.held.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.array(x.held.tolist(), dtype=NUMPY[x.dtype])


def loaded(dtype, bits):
    if dtype == "bool":
        return Tensor(dtype, bits.view(np.uint8))
    if dtype == "bf16":
        return Tensor(dtype, (bits.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64))
    values = bits.view(NUMPY[dtype])
    return Tensor(dtype, values.astype(np.float64) if dtype in FLOATS else [int(v) for v in values])


def bits(table):
    for dtype in INTEGERS:
        wide, low = int(dtype[1:]), 0 if dtype[0] == "u" else -(1 << int(dtype[1:]) - 1)
        a = Tensor(dtype, [low, low + 1, 0, 1, 5, 6, low + (1 << wide) - 1])
        b = Tensor(dtype, [[low], [3], [12], [low + (1 << wide) - 2]])
        pairs = [[(int(x), int(y[0])) for x in a.held] for y in b.held]
        table.call("bitwise_and", [a, b], Tensor(dtype, np.array([[x & y for x, y in row] for row in pairs], dtype=object)))
        table.call("bitwise_or", [a, b], Tensor(dtype, np.array([[x | y for x, y in row] for row in pairs], dtype=object)))
        table.call("bitwise_xor", [a, b], Tensor(dtype, np.array([[x ^ y for x, y in row] for row in pairs], dtype=object)))
        table.call("bitwise_not", [a], Tensor(dtype, np.array([~int(x) for x in a.held], dtype=object)))
    for source in ALL:
        x = Tensor(source, [0, 1, 1, 0]) if source == "bool" else Tensor(source, [0, 1, 2, 77] if source[0] in "u" else [0, -1, 2, -77])
        for to in ALL:
            if BYTES[source] == BYTES[to] and not (to == "bool" and source != "bool"):
                with np.errstate(over="ignore"):
                    table.call("bit_cast", [x], loaded(to, stored(x)), to=to)
        if source == "bool":
            continue
        if BYTES[source] == 1:
            x = Tensor(source, [0, 1, 1, 0])
            table.call("bit_cast", [x], Tensor("bool", [0, 1, 1, 0]), to="bool")


def along(table):
    for dtype in FLOATS:
        a, b = draw(dtype, 2, 3), draw(dtype, 2, 3, seed=1)
        table.call("swiglu", [a, b], Tensor(dtype, a.v / (1 + np.exp(-a.v)) * b.v))
        table.call("swiglu", [a, b], Tensor(dtype, a.v / (1 + np.exp(-1.5 * a.v)) * b.v), alpha=1.5)
        x = draw(dtype, 2, 3, 4)
        x.held[0, :, 1] = 0
        x.held[1, 2, :] = 0
        for axis in (-1, 1, 0):
            for p in (1, 2):
                size = np.sum(np.abs(x.v) ** p, axis=axis, keepdims=True) ** (1 / p)
                table.call("lp_normalization", [x], Tensor(dtype, np.where(size == 0, 0, x.v / np.where(size == 0, 1, size))), axis=axis,
                           p=p)
    for dtype in NUMBERS:
        x = Tensor(dtype, [[2, 1, 3, 2], [1, 2, 1, 3], [2, 2, 1, 1]])
        table.call("cumprod", [x], Tensor(dtype, np.cumprod(x.v, axis=1)), axis=-1)
        table.call("cumprod", [x], Tensor(dtype, np.cumprod(x.v[::-1], axis=0)[::-1]), reverse=True)
        table.call("cumprod", [x], Tensor(dtype, [[1, 2, 2, 6], [1, 1, 2, 2], [1, 2, 4, 4]]), axis=1, exclusive=True)
        table.call("cumprod", [x], Tensor(dtype, [[2, 4, 1, 3], [2, 2, 1, 1], [1, 1, 1, 1]]), exclusive=True, reverse=True)


def moved(table):
    for dtype in ALL:
        x, u = draw(dtype, 2, 2, 4, 3), draw(dtype, 2, 2, 2, 3, seed=1)
        out = x.held.copy()
        out[0, :, 1:3], out[1, :, 2:4] = u.held[0], u.held[1]
        table.call("tensor_scatter", [x, u, whole([1, 2])], Tensor(dtype, out))
        out = x.held.copy()
        out[:, :, :2] = u.held
        table.call("tensor_scatter", [x, u], Tensor(dtype, out), axis=2)
        out = x.held.copy()
        out[0, :, [3, 0]] = u.held[0].swapaxes(0, 1)
        out[1, :, [1, 2]] = u.held[1].swapaxes(0, 1)
        table.call("tensor_scatter", [x, u, whole([3, 5])], Tensor(dtype, out), circular=True)
        x = draw(dtype, 5, 4, 3)
        out = np.zeros((2, 7, 3), dtype=x.held.dtype)
        out[:, 1:5] = x.held[1:3]
        table.call("center_crop_pad", [x], Tensor(dtype, out), shape=[2, 7], axes=[0, 1])
        out = np.zeros((5, 3, 8), dtype=x.held.dtype)
        out[:, :, 2:5] = x.held[:, 0:3]
        table.call("center_crop_pad", [x], Tensor(dtype, out), shape=[8, 5, 3], axes=[2, 0, 1])


def columns(table):
    """Each block is added where it stood."""
    for dtype in NUMBERS:
        for op, image, block, where in (
                ("col2im_row", [6], [3], {"strides": [2], "pads": [1, 1]}),
                ("col2im", [4, 5], [2, 3], {"strides": [2, 1], "pads": [0, 1, 1, 0]}),
                ("col2im", [5, 5], [2, 2], {"dilations": [2, 3]}),
                ("col2im_volume", [3, 4, 3], [2, 2, 1], {"strides": [1, 2, 1], "pads": [0, 1, 0, 0, 1, 1]})):
            rank = len(image)
            strides, dilations = where.get("strides", [1] * rank), where.get("dilations", [1] * rank)
            pads = where.get("pads", [0] * 2 * rank)
            count = [(image[d] + pads[d] + pads[d + rank] - dilations[d] * (block[d] - 1) - 1) // strides[d] + 1 for d in range(rank)]
            x = draw(dtype, 2, 2 * math.prod(block), math.prod(count))
            held = x.v.reshape(2, 2, *block, *count)
            out = np.zeros((2, 2, *image), dtype=held.dtype)
            for tap in np.ndindex(*block):
                for place in np.ndindex(*count):
                    at = tuple(place[d] * strides[d] - pads[d] + tap[d] * dilations[d] for d in range(rank))
                    if all(0 <= a < extent for a, extent in zip(at, image)):
                        out[(slice(None), slice(None), *at)] += held[(slice(None), slice(None), *tap, *place)]
            table.call(op, [x], Tensor(dtype, out), image=image, block=block, **where)


def between(image, row, column):
    """Of an image [H, W] at a place between elements; beyond it lies 0."""
    top, left, out = math.floor(row), math.floor(column), 0.0
    for i in (top, top + 1):
        for j in (left, left + 1):
            if 0 <= i < image.shape[0] and 0 <= j < image.shape[1]:
                out += image[i, j] * (1 - abs(row - i)) * (1 - abs(column - j))
    return out


def deformed(x, w, offset, b, mask, strides, pads, dilations, groups, offset_groups):
    (batch, channels), (results, inside, kh, kw) = x.shape[:2], w.shape
    out = np.zeros((batch, results, *offset.shape[2:]))
    moved_by = offset.reshape(batch, offset_groups, kh, kw, 2, *offset.shape[2:])
    share = np.ones((batch, offset_groups, kh, kw, *offset.shape[2:])) if mask is None else mask.reshape(batch, offset_groups, kh, kw, *offset.shape[2:])
    for n, o, i, j in np.ndindex(*out.shape):
        out[n, o, i, j] = 0 if b is None else b[o]
        for c, p, q in np.ndindex(inside, kh, kw):
            channel = o // (results // groups) * inside + c
            group = channel // (channels // offset_groups)
            row = i * strides[0] - pads[0] + p * dilations[0] + moved_by[n, group, p, q, 0, i, j]
            column = j * strides[1] - pads[1] + q * dilations[1] + moved_by[n, group, p, q, 1, i, j]
            out[n, o, i, j] += w[o, c, p, q] * share[n, group, p, q, i, j] * between(x[n, channel], row, column)
    return out


def windows(table):
    for dtype in FLOATS:
        x, w = draw(dtype, 1, 2, 4, 4), draw(dtype, 2, 2, 2, 2, seed=1, low=-2, high=2)
        offset = draw(dtype, 1, 8, 3, 3, seed=2, low=-2, high=2)
        plain = {"strides": [1, 1], "pads": [0, 0, 0, 0], "dilations": [1, 1], "groups": 1, "offset_groups": 1}
        table.call("deform_conv2d", [x, w, offset], Tensor(dtype, deformed(x.v, w.v, offset.v, None, None, **plain)))
        x, w = draw(dtype, 2, 4, 5, 4), draw(dtype, 4, 2, 2, 3, seed=1, low=-2, high=2)
        offset, mask = draw(dtype, 2, 24, 3, 4, seed=2, low=-1, high=2), draw(dtype, 2, 12, 3, 4, seed=3, low=0, high=1)
        b = draw(dtype, 4, seed=4)
        where = {"strides": [2, 1], "pads": [1, 1, 1, 1], "dilations": [1, 1], "groups": 2, "offset_groups": 2}
        table.call("deform_conv2d", [x, w, offset, b, mask], Tensor(dtype, deformed(x.v, w.v, offset.v, b.v, mask.v, **where)), **where)


def read_volume(x, grid, taps, padding, align, real):
    sizes = x.shape[2:]
    out = np.zeros((*x.shape[:2], *grid.shape[1:4]))
    for n, *at in np.ndindex(grid.shape[0], *grid.shape[1:4]):
        one, two = real(1), real(2)
        places = [(g + one) / two * (real(s) - one) if align else ((g + one) * real(s) - one) / two
                  for g, s in zip(grid[(n, *at)].astype(real), sizes[::-1])][::-1]
        corners = [[(int(np.round(c)), 1.0)] if taps == 1 else
                   [(math.floor(c), 1 - (c - math.floor(c))), (math.floor(c) + 1, c - math.floor(c))] for c in places]
        for d, u in corners[0]:
            for h, v in corners[1]:
                for w, t in corners[2]:
                    place = [d, h, w]
                    if padding == 0 and not all(0 <= p < s for p, s in zip(place, sizes)):
                        continue
                    if padding == 1:
                        place = [min(max(p, 0), s - 1) for p, s in zip(place, sizes)]
                    if padding == 2:
                        place = [mirrored(p, s, align) for p, s in zip(place, sizes)]
                    out[(n, slice(None), *at)] += x[(n, slice(None), *place)] * u * v * t
    return out


def places_along(count, align):
    return np.linspace(-1, 1, count) if align else (2 * np.arange(count) + 1) / count - 1


def grids(table):
    for dtype in FLOATS:
        theta = draw(dtype, 2, 2, 3, low=-2, high=2)
        for align in (False, True):
            places = np.stack([*np.meshgrid(places_along(4, align), places_along(3, align)), np.ones((3, 4))], axis=-1)
            out = np.einsum("nij,hwj->nhwi", theta.v, places)
            table.call("affine_grid", [theta], Tensor(dtype, out), size=[2, 3, 3, 4], align=align)
        theta = draw(dtype, 1, 3, 4, low=-2, high=2)
        for align in (False, True):
            z, y, x = np.meshgrid(places_along(2, align), places_along(3, align), places_along(4, align), indexing="ij")
            places = np.stack([x, y, z, np.ones(x.shape)], axis=-1)
            out = np.einsum("nij,dhwj->ndhwi", theta.v, places)
            table.call("affine_grid_volume", [theta], Tensor(dtype, out), size=[1, 1, 2, 3, 4], align=align)
        x = draw(dtype, 1, 2, 3, 2, 4)
        grid = Tensor(dtype, [[[[[-1.25, -0.75, 0.25], [-0.5, 0.375, 1.5]], [[0.125, 0.25, -0.25], [0.75, 1.5, -1.125]]]]])
        for taps in (1, 2):
            for padding in (0, 1, 2):
                for align in (False, True):
                    table.call("grid_sample_volume", [x, grid],
                               Tensor(dtype, read_volume(x.v, grid.v, taps, padding, align, precision(dtype))), taps=taps,
                               padding=padding, align=align)


def attention(table):
    for dtype in FLOATS:
        q, k, v = draw(dtype, 2, 4, 3, 4), draw(dtype, 2, 2, 5, 4, seed=1), draw(dtype, 2, 2, 5, 3, seed=2)
        for scale in (0.5, 0.125):
            scores = np.einsum("bhle,bhse->bhls", q.v, np.repeat(k.v, 2, axis=1)) * scale
            share = np.exp(scores - scores.max(axis=-1, keepdims=True))
            share /= share.sum(axis=-1, keepdims=True)
            out = Tensor(dtype, np.einsum("bhls,bhsd->bhld", share, np.repeat(v.v, 2, axis=1)))
            if scale == 0.5:
                table.call("flex_attention", [q, k, v], out)
            else:
                table.call("flex_attention", [q, k, v], out, scale=scale)
    # Scores that are equal or far apart: their shares are the same whatever they are computed in.
    q, k, v = (Tensor("f32", 16 * np.sign(draw("f32", *shape, seed=seed).v + 0.25))
               for seed, shape in enumerate([(1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 3)], 1))
    scores = np.einsum("bhle,bhse->bhls", q.v, k.v) * 0.5
    share = np.exp(scores - scores.max(axis=-1, keepdims=True))
    share /= share.sum(axis=-1, keepdims=True)
    out = Tensor("f32", np.einsum("bhls,bhsd->bhld", share, v.v))
    for inside in FLOATS:
        table.call("flex_attention", [q, k, v], out, precision=inside)


def add_to(table):
    bits(table)
    along(table)
    moved(table)
    columns(table)
    windows(table)
    grids(table)
    attention(table)
