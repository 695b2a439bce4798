"""Values between elements, and spectra: formulas of the standard, place by place."""
import math

import numpy as np

from . import regions as regions_of
from .table import ALL, FLOATS, NUMBERS, Tensor, draw, spread, whole

ROUNDINGS = [lambda c: math.ceil(c - 0.5), lambda c: math.floor(c + 0.5), math.floor, math.ceil]


def cubic(d, a=-0.75):
    d = abs(d)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def resized(x, size, step, start, weights, crop=None):
    """Along the last axis. weights(c): the elements that count at place c, with their weights."""
    out = np.zeros((*x.shape[:-1], size), dtype=x.dtype)
    for o in range(size):
        c = o * step + start
        if crop is not None and not 0 <= c <= x.shape[-1] - 1:
            out[..., o] = crop
            continue
        total = 0
        for at, weight in weights(c):
            total = total + x[..., min(max(at, 0), x.shape[-1] - 1)] * weight
        out[..., o] = total
    return out


def normed(pairs):
    total = sum(weight for _, weight in pairs)
    return [(at, weight / total) for at, weight in pairs]


def filtered(c, taps, scale, weight):
    first = math.floor(c) + 1 - taps
    return normed([(first + k, weight((first + k - c) * scale)) for k in range(2 * taps)])


def resizes(table):
    places = whole([[1, 0, 1], [3, -2, 4]], "f64")
    for dtype in ALL:
        x = spread(dtype, 2, 4)
        for rounding, nearest in enumerate(ROUNDINGS):
            wanted = resized(x.held, 7, 0.5, -0.25, lambda c: [(nearest(c), 1)])
            table.call("resize_nearest", [x], Tensor(dtype, wanted), axis=-1, size=[7], step=2.0, start=-1.0, under=4.0,
                       rounding=rounding)
        # Rounding 4 is down, and up where the result is smaller.
        for size, step, nearest in ((7, 0.5, math.floor), (3, 4 / 3, math.ceil)):
            wanted = resized(x.held, size, step, 0, lambda c: [(nearest(c), 1)])
            at = {"step": 1.0, "under": 2.0} if size == 7 else {"step": 4.0, "under": 3.0}
            table.call("resize_nearest", [x], Tensor(dtype, wanted), axis=1, size=[size], rounding=4, **at)
        wanted = resized(x.held, 6, 0.75, -0.5, lambda c: [(ROUNDINGS[1](c), 1)], crop=1)
        table.call("resize_nearest", [x, places], Tensor(dtype, wanted), axis=1, size=[6], row=1, rounding=1, crop=True, outside=1.0)
    for dtype in FLOATS:
        x = draw(dtype, 2, 4)
        where = {"axis": 1, "size": [6], "step": 3.0, "start": -2.0, "under": 4.0}
        table.call("resize_linear", [x], Tensor(dtype, resized(x.v, 6, 0.75, -0.5, lambda c: [
            (math.floor(c), 1 - (c - math.floor(c))), (math.floor(c) + 1, c - math.floor(c))])), **where)
        wanted = resized(x.v, 6, 0.75, -0.5, lambda c: [
            (math.floor(c), 1 - (c - math.floor(c))), (math.floor(c) + 1, c - math.floor(c))], crop=1.5)
        table.call("resize_linear", [x, places], Tensor(dtype, wanted), axis=1, size=[6], row=1, crop=True, outside=1.5)

        def four(c, a):
            return [(math.floor(c) + k, cubic(c - math.floor(c) - k, a)) for k in range(-1, 3)]

        table.call("resize_cubic", [x], Tensor(dtype, resized(x.v, 6, 0.75, -0.5, lambda c: four(c, -0.5))), a=-0.5, **where)
        table.call("resize_cubic", [x], Tensor(dtype, resized(x.v, 6, 0.75, -0.5, lambda c: normed(
            [(at, w) for at, w in four(c, -0.75) if 0 <= at < 4]))), exclude=True, **where)
        wanted = resized(x.v, 6, 0.75, -0.5, lambda c: four(c, -0.75), crop=-2.5)
        table.call("resize_cubic", [x, places], Tensor(dtype, wanted), axis=1, size=[6], row=1, crop=True, outside=-2.5)
        x = draw(dtype, 2, 7)
        where = {"axis": -1, "size": [3], "step": 4.0, "start": 1.0, "under": 2.0, "scale": 0.5}
        table.call("resize_filtered", [x], Tensor(dtype, resized(x.v, 3, 2.0, 0.5, lambda c: filtered(
            c, 2, 0.5, lambda d: max(1 - abs(d), 0)))), taps=2, **where)
        table.call("resize_filtered", [x], Tensor(dtype, resized(x.v, 3, 2.0, 0.5, lambda c: filtered(
            c, 4, 0.5, lambda d: cubic(d, -0.5)))), taps=4, cubic=True, a=-0.5, **where)
        where["start"] = -1.0
        table.call("resize_filtered", [x], Tensor(dtype, resized(x.v, 3, 2.0, -0.5, lambda c: normed(
            [(at, w) for at, w in filtered(c, 4, 0.5, lambda d: max(1 - abs(d), 0)) if 0 <= at < 7]))), taps=4, exclude=True, **where)
        wanted = resized(x.v, 3, 2.0, -0.5, lambda c: filtered(c, 2, 0.5, lambda d: max(1 - abs(d), 0)), crop=1.5)
        table.call("resize_filtered", [x], Tensor(dtype, wanted), taps=2, crop=True, outside=1.5, **where)
        # The same where it is computed, and as large as it was.
        sizes, growth = whole([[4, 1, 2], [4, 3, 6]], "f64"), Tensor("f64", [0.5, 1.5])
        where = {"axis": 1, "size": [3]}
        for exclude in (False, True):
            def kept(pairs):
                return normed([(at, w) for at, w in pairs if not exclude or 0 <= at < 7])

            table.call("resize_filtered_at", [x, sizes, growth], Tensor(dtype, resized(x.v, 3, 2.0, 0.5, lambda c: kept(
                filtered(c, 2, 0.5, lambda d: max(1 - abs(d), 0))))), exclude=exclude, **where)
            table.call("resize_filtered_at", [x, sizes, growth], Tensor(dtype, resized(x.v, 3, 2.0, 0.5, lambda c: kept(
                filtered(c, 4, 0.5, lambda d: cubic(d, -0.5))))), exclude=exclude, cubic=True, a=-0.5, **where)
        table.call("resize_filtered_at", [x, sizes, growth], Tensor(dtype, resized(x.v, 3, 4 / 6, 0.5, lambda c: filtered(
            c, 1, 1, lambda d: max(1 - abs(d), 0)))), row=1, **where)


def mirrored(place, size, align):
    """Back into the image by mirrors at the middle of its outermost elements, or at their outer edges."""
    low, high = (0.0, size - 1.0) if align else (-0.5, size - 0.5)
    while high > low and not low <= place <= high:
        place = 2 * low - place if place < low else 2 * high - place
    return int(min(max(round(place), 0), size - 1))


def precision(dtype):
    """What an operator on this type computes in; a place is rounded to it step by step."""
    return np.float64 if dtype == "f64" else np.float32


def sampled(x, grid, taps, padding, align, real=np.float64):
    def read(image, row, column):
        sizes, at = image.shape[1:], [row, column]
        if padding == 0 and not all(0 <= p < s for p, s in zip(at, sizes)):
            return np.zeros(image.shape[0])
        if padding == 1:
            at = [min(max(p, 0), s - 1) for p, s in zip(at, sizes)]
        if padding == 2:
            at = [mirrored(p, s, align) for p, s in zip(at, sizes)]
        return image[:, at[0], at[1]]

    def weights(c):
        if taps == 1:
            return [(int(np.round(c)), 1.0)]
        first = math.floor(c) - taps // 2 + 1
        weight = cubic if taps == 4 else lambda d: 1 - abs(d)
        return [(first + k, weight(c - first - k)) for k in range(taps)]

    out = np.zeros((x.shape[0], x.shape[1], *grid.shape[1:3]))
    for n, oh, ow in np.ndindex(grid.shape[0], *grid.shape[1:3]):
        one, two = real(1), real(2)
        places = [(g + one) / two * (s - one) if align else ((g + one) * s - one) / two
                  for g, s in zip(grid[n, oh, ow].astype(real), map(real, x.shape[:1:-1]))]
        for row, v in weights(places[1]):
            for column, u in weights(places[0]):
                out[n, :, oh, ow] += read(x[n], row, column) * v * u
    return out


def samples(table):
    for dtype in FLOATS:
        x = draw(dtype, 1, 2, 3, 4)
        grid = Tensor(dtype, [[[[-1.25, -0.75], [-0.5, 0.375], [0.125, 0.25]], [[0.75, 1.5], [0.5, -0.25], [1.125, -1.125]]]])
        for taps in (1, 2, 4):
            for padding in (0, 1, 2):
                for align in (False, True):
                    if (taps + padding + align) % 2 == 0:
                        table.call("grid_sample", [x, grid], Tensor(dtype, sampled(x.v, grid.v, taps, padding, align)),
                                   taps=taps, padding=padding, align=align)
        # In the middle between two elements, but for what a step rounds.
        x = spread(dtype, 1, 1, 5, 7)
        grid = Tensor(dtype, [[[[0.2 * k - 1, 0.1 * k - 0.9] for k in range(12)], [[(2 * k + 2) / 7 - 1, 0] for k in range(12)]]])
        for align in (False, True):
            for taps in (1, 2):
                wanted = sampled(x.v, grid.v, taps, 0, align, precision(dtype))
                table.call("grid_sample", [x, grid], Tensor(dtype, wanted), taps=taps, align=align)
        regions(table, dtype)


def regions(table, dtype):
    x = draw(dtype, 2, 2, 5, 6)
    rois, batch = Tensor(dtype, [[1, 0.5, 8, 7], [2, 3, 9, 6.5]]), whole([1, 0])
    # Small, beside the image, across all of it and far beyond, backwards.
    free = Tensor(dtype, [[1, 0.5, 8, 7], [2, 3, 2.5, 12], [-40, -30, 90, 50], [40, 2, 60, 4], [6, 6, 2, 3]])
    of = whole([1, 0, 0, 1, 1])
    at = {"height": 2, "width": 4, "scale": 0.5}
    for suffix, largest in (("", False), ("_max", True)):
        for half in (False, True):
            out = regions_of.aligned(x.v, rois.v, batch.v, (2, 4), 0.5, 2, half, largest)
            table.call(f"roi_align{suffix}", [x, rois, batch], Tensor(dtype, out), half=half, ratio=2, **at)
            out = regions_of.aligned(x.v, free.v, of.v, (2, 4), 0.5, 0, half, largest)
            table.call(f"roi_align{suffix}_adaptive", [x, free, of], Tensor(dtype, out), half=half, **at)
    # Points on an element, where the weights of those beside it are 0 and 0 times infinity is no number; ends of the image; what
    # is infinite far from every point.
    held = draw(dtype, 1, 2, 7, 6).held
    held[0, 0, 2, 1], held[0, 0, 1, 4], held[0, 1, 6, :], held[0, 1, 0, 5] = np.inf, -np.inf, np.nan, np.inf
    x, batch = Tensor(dtype, held), whole([0] * 5)
    rois = Tensor(dtype, [[-1, -4, -0.5, 2], [0, 0, 6, 7], [1, 1, 3, 3], [0.3, 0.7, 4.1, 3.3], [-2.2, 0.2, 0.5, 9.3]])
    for suffix, largest in (("", False), ("_max", True)):
        for ratio, how in ((3, {"ratio": 3}), (1, {"ratio": 1}), (0, {})):
            for half in (False, True):
                with np.errstate(invalid="ignore"):
                    out = regions_of.aligned(x.v, rois.v, batch.v, (2, 1), 1.0, ratio, half, largest, precision(dtype))
                table.call(f"roi_align{suffix}{'' if ratio else '_adaptive'}", [x, rois, batch], Tensor(dtype, out), height=2,
                           width=1, half=half, **how)


def pairs(complex_values):
    return np.stack([complex_values.real, complex_values.imag], axis=-1)


def spectra(table):
    for dtype in FLOATS:
        x = draw(dtype, 2, 5, 3, 2)
        z = x.v[..., 0] + 1j * x.v[..., 1]
        table.call("dft", [x], Tensor(dtype, pairs(np.fft.fft(z, 6, axis=1))), length=[6])
        table.call("dft", [x], Tensor(dtype, pairs(np.fft.ifft(z, 4, axis=-1))), length=[4], axis=2, inverse=True)
        real = Tensor(dtype, x.v[..., :1])
        table.call("dft", [real], Tensor(dtype, pairs(np.fft.rfft(real.v[..., 0], 5, axis=1))), length=[5], onesided=True)
        for length in (6, 5, 9, 1):
            back = np.fft.irfft(z, length, axis=1)[..., None]
            table.call("inverse_real_dft", [x], Tensor(dtype, back), axis=1, length=[length])
        back = np.fft.irfft(real.v[..., 0], 8, axis=2)[..., None]
        table.call("inverse_real_dft", [real], Tensor(dtype, back), axis=-2, length=[8])
        signal, window = draw(dtype, 2, 9, 1), draw(dtype, 4, low=1, high=3, seed=1)
        frames = np.stack([signal.v[:, s:s + 4, 0] * window.v for s in (0, 3)], axis=1)
        table.call("stft", [signal, window], Tensor(dtype, pairs(np.fft.rfft(frames, axis=-1))), step=[3])
        table.call("stft", [signal, window], Tensor(dtype, pairs(np.fft.fft(frames, axis=-1))), step=[3], onesided=False)
    for dtype in NUMBERS:
        def to(values):
            return Tensor(dtype, values if dtype in FLOATS else np.trunc(values))  # none lies near an integer

        a, b, c = 42.25, 40.0, 6.0
        t = 2 * np.pi * np.arange(6) / 6
        table.call("cosine_window", [], to(a - b * np.cos(t) + c * np.cos(2 * t)), size=[6], a=a, b=b, c=c, to=dtype)
        t = 2 * np.pi * np.arange(5) / 4
        table.call("cosine_window", [], to(a - b * np.cos(t)), size=[5], a=a, b=b, periodic=False, to=dtype)
        operands = [Tensor("f64", np.array(v)) for v in (8000.0, 100.0, 3900.0)]
        table.call("mel_weights", operands, to(mel(3, 16, 8000.0, 100.0, 3900.0)), bins=[3], length=[16], to=dtype)


def mel(bins, length, rate, low, high):
    """As the function body of MelWeightMatrix says it."""
    def to_mel(f):
        return 2595 * np.log10(1 + f / 700)

    edges = np.arange(bins + 2) * (to_mel(high) - to_mel(low)) / (bins + 2) + to_mel(low)
    corners = ((length + 1) * 700 * (10 ** (edges / 2595) - 1) // rate).astype(int)
    out = np.zeros((length // 2 + 1, bins))
    for i in range(bins):
        lower, center, upper = corners[i:i + 3]
        if center == lower:
            out[center, i] = 1
        else:
            for j in range(lower, center + 1):
                out[j, i] = (j - lower) / (center - lower)
        for j in range(center, upper):
            if upper > center:
                out[j, i] = (upper - j) / (upper - center)
    return out


def add_to(table):
    for part in (resizes, samples, spectra):
        part(table)
