"""Resize, one axis after another. Where an element lies is a fraction of whole numbers; a scale stands for the fraction of
the least denominator that rounds to it in single precision."""
from fractions import Fraction
from math import ceil, floor

import numpy as np

HALF = Fraction(1, 2)


def fraction(number):
    return next(f for f in (Fraction(round(float(number) * q), q) for q in range(1, 4097))
                if np.float32(f.numerator / f.denominator) == np.float32(number))


def place(mode, o, extent, size, scale, region):
    if mode == "asymmetric":
        return o / scale
    if mode == "tf_half_pixel_for_nn":
        return (o + HALF) / scale
    if mode == "pytorch_half_pixel" and size == 1:
        return Fraction(0)
    if mode == "align_corners":
        return o * (extent - 1) / (extent * scale - 1) if size > 1 else Fraction(0)
    if mode == "tf_crop_and_resize":
        first, last = region
        return (first + o * (last - first) / (size - 1) if size > 1 else (first + last) / 2) * (extent - 1)
    moved = Fraction(extent, 2) * (1 - size / (extent * scale)) if mode == "half_pixel_symmetric" else 0
    return moved + (o + HALF) / scale - HALF


def nearest(rounding, at):
    return {"round_prefer_floor": ceil(at - HALF), "round_prefer_ceil": floor(at + HALF), "floor": floor(at),
            "ceil": ceil(at)}[rounding]


def weights(kind, rounding, at, a):
    """Pairs of an element and its weight."""
    if kind == "nearest":
        return [(nearest(rounding, at), 1.0)]
    low, t = floor(at), float(at - floor(at))
    if kind == "linear":
        return [(low, 1 - t), (low + 1, t)]
    near = lambda d: ((a + 2) * d - (a + 3)) * d * d + 1
    far = lambda d: ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return [(low - 1, far(1 + t)), (low, near(t)), (low + 1, near(1 - t)), (low + 2, far(2 - t))]


def filtered(kind, at, extent, scale, a, exclude):
    """What is made smaller: distances shrink with it, so more elements count; their weights sum up to 1."""
    shrunk = min(scale, Fraction(1))
    reach = ceil((2 if kind == "cubic" else 1) / shrunk)
    out = []
    for i in range(floor(at) + 1 - reach, floor(at) + 1 + reach):
        d = float(abs(i - at) * shrunk)
        near, far = ((a + 2) * d - (a + 3)) * d * d + 1, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
        weight = max(1 - d, 0) if kind == "linear" else near if d <= 1 else far if d < 2 else 0
        if not exclude or 0 <= i < extent:
            out.append((i, weight))
    total = sum(weight for _, weight in out)
    return [(i, weight / total) for i, weight in out]


def along(data, axis, size, scale, region, at):
    extent, mode = data.shape[axis], at["coordinate_transformation_mode"]
    rows = []
    for o in range(size):
        where = place(mode, Fraction(o), extent, size, scale, region)
        take = lambda i: np.take(data, min(max(i, 0), extent - 1), axis=axis)
        if mode == "tf_crop_and_resize" and not 0 <= where <= extent - 1:
            rows.append(np.full_like(take(0), at.get("extrapolation_value", 0.0)))
            continue
        a = at.get("cubic_coeff_a", -0.75)
        if at.get("antialias", 0):
            read = filtered(at["mode"], where, extent, scale, a, at.get("exclude_outside", 0))
        else:
            read = weights(at["mode"], at.get("nearest_mode", "round_prefer_floor"), where, a)
        rows.append(sum(take(i) * w for i, w in read))
    return np.stack(rows, axis=axis)


def resize(x, at, opset):
    at = {"mode": "nearest", "coordinate_transformation_mode": "half_pixel", **at}
    out = x[0].astype(np.float64)
    rank = out.ndim
    region = [Fraction(0)] * rank + [Fraction(1)] * rank
    if at["coordinate_transformation_mode"] == "tf_crop_and_resize":
        region = [fraction(v) for v in x[1]]
    axes = at.get("axes", range(rank))
    policy = at.get("keep_aspect_ratio_policy", "stretch")
    common = None
    if policy != "stretch":
        common = (min if policy == "not_larger" else max)(Fraction(int(x[3][k]), x[0].shape[axis]) for k, axis in enumerate(axes))
    for k, axis in enumerate(axes):
        extent = x[0].shape[axis]
        if common is not None:
            size, scale = floor(extent * common + HALF), common
        elif len(x) > 3:
            size, scale = int(x[3][k]), Fraction(int(x[3][k]), extent)
        else:
            size, scale = floor(np.float32(extent) * np.float32(x[2][k])), fraction(x[2][k])
        if scale != 1 or size != extent or at["coordinate_transformation_mode"] == "tf_crop_and_resize":
            out = along(out, axis, size, scale, (region[axis], region[rank + axis]), at)
    if x[0].dtype.kind not in "iu":
        return [out]
    limits = np.iinfo(x[0].dtype) # the whole part, and what is one but for rounding
    return [np.clip(np.trunc(np.round(out, 9)), limits.min, limits.max).astype(x[0].dtype)]
