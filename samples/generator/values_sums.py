"""Sums of products, windows over images, rows that are normalised: strides, pads and dilations differ per axis."""
import itertools

import numpy as np

from . import windows
from .table import ALL, FLOATS, INTEGERS, NUMBERS, Tensor, draw, spread, whole


def spatial(at, rank):
    """Attributes of the operators over any number of axes, as those of ONNX."""
    return {"strides": at["strides"], "dilations": at["dilations"], "pads": at["before"] + at["behind"],
            "kernel_shape": at.get("kernel_shape")}


def products(table):
    for dtype in NUMBERS:
        x, w = draw(dtype, 2, 2, 3), draw(dtype, 4, 3, seed=1)
        table.call("dense", [x, w], Tensor(dtype, x.v @ w.v.T))
        a, b = draw(dtype, 2, 1, 2, 3), draw(dtype, 2, 3, 4, seed=1)
        table.call("batch_matmul", [a, b], Tensor(dtype, np.matmul(a.v, b.v)))
        x, w = draw(dtype, 2, 4, 5, 6), draw(dtype, 4, 2, 2, 3, seed=1)
        at = {"strides": [2, 1], "pads": [1, 0, 0, 2], "dilations": [1, 2]}
        table.call("conv2d", [x, w], Tensor(dtype, windows.conv([x.v, w.v], {**at, "group": 2}, 17)[0]), groups=2, **at)
        x, w = draw(dtype, 1, 4, 3, 2), draw(dtype, 4, 3, 2, 3, seed=1)
        at = {"strides": [2, 3], "pads": [1, 0, 0, 1], "dilations": [2, 1], "output_padding": [1, 0]}
        table.call("conv_transpose2d", [x, w], Tensor(dtype, windows.conv_transpose([x.v, w.v], {**at, "group": 2}, 17)[0]),
                   groups=2, **at)
        for sizes, kernel in (((7,), (3,)), ((3, 4, 3), (2, 2, 1))):
            rank = len(sizes)
            at = {"strides": [2, 1, 1][:rank], "before": [1, 0, 2][:rank], "behind": [0, 1, 0][:rank],
                  "dilations": [1, 2, 1][:rank]}
            x, w = draw(dtype, 1, 2, *sizes), draw(dtype, 2, 1, *kernel, seed=1)
            wanted = windows.conv([x.v, w.v], {**spatial(at, rank), "group": 2}, 17)[0]
            table.call("conv", [x, w], Tensor(dtype, wanted), groups=2, **at)
            extra = [1, 0, 0][:rank]
            wanted = windows.conv_transpose([x.v, w.v], {**spatial(at, rank), "group": 2, "output_padding": extra}, 17)[0]
            table.call("conv_transpose", [x, w], Tensor(dtype, wanted), groups=2, output_padding=extra, **at)


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def rows(table):
    for dtype in FLOATS:
        x = draw(dtype, 2, 3, 4)
        for axis in (-2, 0):
            table.call("softmax", [x], Tensor(dtype, softmax(x.v, axis)), axis=axis)
            table.call("log_softmax", [x], Tensor(dtype, np.log(softmax(x.v, axis))), axis=axis)
        g, b = draw(dtype, 4, seed=1), draw(dtype, 4, seed=2)
        mean = x.v.mean(axis=-1)
        inverse = 1 / np.sqrt(x.v.var(axis=-1) + 0.5)
        y = (x.v - mean[..., None]) * inverse[..., None] * g.v + b.v
        table.call("layernorm", [x, g, b], [Tensor(dtype, y), Tensor(dtype, mean), Tensor(dtype, inverse)], eps=0.5)
        y = x.v / np.sqrt((x.v**2).mean(axis=-1, keepdims=True) + 0.5) * g.v
        table.call("rms_norm", [x, g], Tensor(dtype, y), eps=0.5)
        x, g, t = draw(dtype, 2, 3, 2, 3), draw(dtype, 3, seed=1), draw(dtype, 3, seed=2)
        mean, variance = x.v.mean(axis=(2, 3), keepdims=True), x.v.var(axis=(2, 3), keepdims=True)
        y = (x.v - mean) / np.sqrt(variance + 0.5) * g.v[:, None, None] + t.v[:, None, None]
        table.call("instance_norm", [x, g, t], Tensor(dtype, y), eps=0.5)
        q, k, v = draw(dtype, 1, 2, 3, 4, low=-2, high=2), draw(dtype, 2, 1, 4, 5, low=-2, high=2, seed=1), draw(dtype, 2, 5, 3, seed=2)
        mask = draw(dtype, 3, 5, low=-2, high=2, seed=3)
        for given in (None, mask, Tensor(dtype, mask.v[:1])):
            scores = np.matmul(q.v, k.v) * 0.25 + (0 if given is None else given.v)
            operands = [q, k, v] + ([] if given is None else [given])
            table.call("attention", operands, Tensor(dtype, np.matmul(softmax(scores, -1), v.v)), scale=0.25)
        x = draw(dtype, 2, 5, 3)
        total = np.stack([(x.v[:, max(0, c - 1):c + 3] ** 2).sum(axis=1) for c in range(5)], axis=1)
        table.call("lrn", [x], Tensor(dtype, x.v / (2 + 0.5 / 4 * total) ** 0.5), size=4, alpha=0.5, beta=0.5, bias=2.0)
        x, w = draw(dtype, 2, 3, 2), draw(dtype, 3, low=1, high=4, seed=1)
        for index in INTEGERS:
            t = whole([[2, 1], [0, 2]], index)
            picked, weight = np.take_along_axis(x.v, t.v[:, None].astype(int), axis=1)[:, 0], w.v[t.v]
            kept = t.v != 1
            table.call("nll_loss", [x, t], Tensor(dtype, -picked))
            table.call("nll_loss", [x, t, w], Tensor(dtype, np.where(kept, -picked * weight, 0)), ignored=1)
            table.call("nll_mean", [x, t], Tensor(dtype, (-picked).mean()))
            mean = (-picked * weight)[kept].sum() / weight[kept].sum()
            table.call("nll_mean", [x, t, w], Tensor(dtype, mean), ignored=1)
        x = draw(dtype, 2, 3, 3)
        table.call("det", [x], Tensor(dtype, np.linalg.det(x.v)))


def windows_of(x, window, at):
    """For every place of the result the elements of its window that lie inside, with their indices."""
    rank = len(window.out)
    for place in itertools.product(*map(range, window.out)):
        inside = []
        for tap in window.taps():
            where = tuple(place[i] * window.strides[i] + tap[i] * window.dilations[i] - window.before[i] for i in range(rank))
            if all(0 <= where[i] < x.shape[2 + i] for i in range(rank)):
                inside.append(where)
        yield place, inside


def places_of_largest(x, at, by_columns):
    window = windows.Window(x.shape[2:], at["kernel_shape"], at)
    sizes = x.shape[2:]
    out = np.zeros((*x.shape[:2], *window.out), dtype=np.int64)
    for place, inside in windows_of(x, window, at):
        for n, c in np.ndindex(*x.shape[:2]):
            best = max(inside, key=lambda where: x[(n, c, *where)])  # the first of equal ones
            flat = np.ravel_multi_index(best, sizes, order="F" if by_columns else "C")
            out[(n, c, *place)] = (n * x.shape[1] + c) * int(np.prod(sizes)) + flat
    return out


def pools(table):
    at = {"kernel_shape": [2, 3], "strides": [2, 1], "pads": [1, 0, 0, 1]}
    for dtype in NUMBERS:
        x = spread(dtype, 1, 2, 4, 5)
        dilated = {**at, "dilations": [1, 2]}
        pooled = windows.max_pool([x.v.astype(np.float64)], dilated, 17)[0]
        table.call("max_pool2d", [x], Tensor(dtype, pooled), **dilated)
        for by_columns in (False, True):
            table.call("max_pool2d_places", [x], whole(places_of_largest(x.v, dilated, by_columns)), by_columns=by_columns, **dilated)
        table.call("global_max_pool", [x], Tensor(dtype, x.held.max(axis=(2, 3), keepdims=True)))
        x = spread(dtype, 1, 2, 3, 4, 3)
        volume = {"kernel_shape": [2, 2, 1], "strides": [1, 2, 1], "before": [1, 0, 0], "behind": [0, 1, 1], "dilations": [1, 2, 1]}
        onnx = spatial(volume, 3)
        table.call("max_pool", [x], Tensor(dtype, windows.max_pool([x.v.astype(np.float64)], {**onnx, "pads": [1, 0, 0, 0, 1, 0]}, 17)[0]),
                   **{**volume, "behind": [0, 1, 0]})
        flat = {**volume, "behind": [0, 1, 0]}
        for by_columns in (False, True):
            table.call("max_pool3d_places", [x], whole(places_of_largest(x.v, spatial(flat, 3), by_columns)), by_columns=by_columns, **flat)
    for dtype in FLOATS:
        x = draw(dtype, 1, 2, 4, 5)
        for counted in (False, True):
            pooled = windows.average_pool([x.v], {**at, "count_include_pad": counted}, 17)[0]
            table.call("avg_pool2d", [x], Tensor(dtype, pooled), counted=at["pads"] if counted else [0, 0, 0, 0], **at)
        table.call("global_average_pool", [x], Tensor(dtype, x.v.mean(axis=(2, 3), keepdims=True)))
        x = draw(dtype, 1, 2, 5)
        line = {"kernel_shape": [2], "strides": [1], "before": [1], "behind": [1], "dilations": [2]}
        for counted in (False, True):
            pooled = windows.average_pool([x.v], {**spatial(line, 1), "count_include_pad": counted}, 17)[0]
            table.call("avg_pool", [x], Tensor(dtype, pooled), count_before=[int(counted)], count_behind=[int(counted)], **line)
        power = windows.average_pool([abs(x.v) ** 3], {**spatial(line, 1), "count_include_pad": 1}, 17)[0] * 2
        table.call("lp_pool", [x], Tensor(dtype, power ** (1 / 3)), p=3.0, **line)
        x = draw(dtype, 2, 3, 2, 3)
        for p in (1, 2, 3):
            norm = (abs(x.v) ** p).sum(axis=(2, 3), keepdims=True) ** (1 / p)
            table.call("global_lp_pool", [x], Tensor(dtype, norm), p=p)


def quantized(table):
    low_high = {"i8": (-128, 127), "u8": (0, 255), "i16": (-32768, 32767), "u16": (0, 65535)}

    def limits(z):
        bits = int(z[1:])
        return low_high.get(z, (0, (1 << bits) - 1) if z[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1))

    def quantize(x, scale, zero, z):
        low, high = limits(z)
        return Tensor(z, np.clip(np.round(x / scale) + zero, low, high))

    for dtype in FLOATS[:3]:
        for z in ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"):
            x = Tensor(dtype, [[-3, -1.25, -0.25, 0.25, 0.75], [1.25, 2, 3.5, 40, 1.75]])
            if z[0] == "u" and int(z[1:]) > 16 or z in ("i32", "i64"):
                x = Tensor(dtype, np.clip(x.v, -1, 3))
            scale, zero = Tensor(dtype, np.array(0.5)), Tensor(z, np.array(2))
            table.call("quantize", [x, scale, zero], quantize(x.v, 0.5, 2, z))
            scale, zero = Tensor(dtype, [0.5, 0.25]), Tensor(z, [2, 5])
            table.call("quantize_along", [x, scale, zero], quantize(x.v, scale.v[:, None], zero.v[:, None], z), axis=-2)
            scale, zero = Tensor(dtype, [[0.5, 0.25, 1], [2, 0.5, 0.25]]), Tensor(z, [[2, 5, 1], [0, 3, 4]])
            scales, zeros = (np.repeat(v.v, 2, axis=1)[:, :5] for v in (scale, zero))
            table.call("quantize_blocks", [x, scale, zero], quantize(x.v, scales, zeros, z), axis=-1, block=2)
        for z in ("i8", "u8", "i16", "u16", "i32"):
            x, scale, zero = draw(z, 5, 2, low=-9, high=9), Tensor(dtype, [[0.5, 2], [1, 0.25]]), Tensor(z, [[2, 5], [0, 3]])
            scales, zeros = (np.repeat(v.v, 3, axis=0)[:5] for v in (scale, zero))
            table.call("dequantize_blocks", [x, scale, zero], Tensor(dtype, (x.v - zeros) * scales), axis=0, block=3)
            x = draw(z, 2, 3, low=-9, high=9)
            scale, zero = Tensor(dtype, np.array(0.5)), Tensor(z, np.array(2))
            table.call("dequantize", [x, scale, zero], Tensor(dtype, (x.v - 2) * 0.5))
            scale, zero = Tensor(dtype, [0.5, 0.25]), Tensor(z, [2, 5])
            table.call("dequantize_along", [x, scale, zero], Tensor(dtype, (x.v - zero.v[:, None]) * scale.v[:, None]), axis=0)
    for dtype in ("f32",):
        x = Tensor(dtype, [-2, -0.75, 0, 0.25, 3])
        scale = Tensor(dtype, np.array(5 / 255))
        zero = np.clip(np.round(2 / scale.v), 0, 255)
        table.call("dynamic_quantize", [x], [quantize(x.v, scale.v, zero, "u8"), scale, Tensor("u8", zero)])


def add_to(table):
    for part in (products, rows, pools, quantized):
        part(table)
