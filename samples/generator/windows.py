"""Operators that slide a window: convolutions and pools, in any number of spatial dimensions."""
import itertools

import numpy as np


class Window:
    """Kernel, strides, dilations and pads, resolved for one input shape."""

    def __init__(self, sizes, kernel, at):
        rank = len(sizes)
        self.kernel = list(kernel)
        self.strides = at.get("strides", [1] * rank)
        self.dilations = at.get("dilations", [1] * rank)
        self.extent = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations)]
        pads = at.get("pads", [0] * (2 * rank))
        self.before, self.after = list(pads[:rank]), list(pads[rank:])
        mode = at.get("auto_pad", "NOTSET")
        if mode in ("SAME_UPPER", "SAME_LOWER"):
            for i in range(rank):
                out = -(-sizes[i] // self.strides[i])
                total = max((out - 1) * self.strides[i] + self.extent[i] - sizes[i], 0)
                small, large = total // 2, total - total // 2
                upper = mode == "SAME_UPPER"
                self.before[i], self.after[i] = (small, large) if upper else (large, small)
        elif mode == "VALID":
            self.before, self.after = [0] * rank, [0] * rank
        self.out = []
        for i in range(rank):
            room = sizes[i] + self.before[i] + self.after[i] - self.extent[i]
            steps = room // self.strides[i]
            if at.get("ceil_mode", 0):  # no window begins behind the data
                steps = min(-(-room // self.strides[i]), (sizes[i] + self.before[i] - 1) // self.strides[i])
            self.out.append(steps + 1)

    def padded(self, x, value):
        """x with its pads, and enough more at the end for a window that ceil_mode adds."""
        extra = []
        for i in range(len(self.out)):
            need = (self.out[i] - 1) * self.strides[i] + self.extent[i]
            have = x.shape[2 + i] + self.before[i]
            extra.append((self.before[i], max(self.after[i], need - have)))
        return np.pad(x, [(0, 0), (0, 0)] + extra, constant_values=value)

    def taps(self):
        return itertools.product(*(range(k) for k in self.kernel))

    def at_tap(self, padded, tap):
        """What the windows see at one position of the kernel: (batch, channels, out...)."""
        where = [slice(None), slice(None)]
        for i, position in enumerate(tap):
            start = position * self.dilations[i]
            where.append(slice(start, start + (self.out[i] - 1) * self.strides[i] + 1, self.strides[i]))
        return padded[tuple(where)]


def conv(inputs, at, opset):
    x, w = inputs[0], inputs[1]
    group = at.get("group", 1)
    window = Window(x.shape[2:], w.shape[2:], at)
    padded = window.padded(x, 0)
    out = np.zeros((x.shape[0], w.shape[0], *window.out))
    per_in, per_out = x.shape[1] // group, w.shape[0] // group
    for g in range(group):
        source, target = slice(g * per_in, (g + 1) * per_in), slice(g * per_out, (g + 1) * per_out)
        for tap in window.taps():
            seen = window.at_tap(padded, tap)[:, source]
            out[:, target] += np.einsum("nc...,mc->nm...", seen, w[(target, slice(None), *tap)])
    if len(inputs) > 2 and inputs[2] is not None:
        out += inputs[2].reshape((1, -1) + (1,) * len(window.out))
    return [out]


def conv_transpose(inputs, at, opset):
    x, w = inputs[0], inputs[1]
    rank = x.ndim - 2
    group = at.get("group", 1)
    strides = at.get("strides", [1] * rank)
    dilations = at.get("dilations", [1] * rank)
    pads = at.get("pads", [0] * (2 * rank))
    extra = at.get("output_padding", [0] * rank)
    kernel = w.shape[2:]
    if at.get("auto_pad", "NOTSET").startswith("SAME"):  # the result has the extent times the stride
        total = [(kernel[i] - 1) * dilations[i] + 1 + extra[i] - strides[i] for i in range(rank)]
        extra = [extra[i] + max(-total[i], 0) for i in range(rank)]
        small, large = [max(t, 0) // 2 for t in total], [max(t, 0) - max(t, 0) // 2 for t in total]
        pads = small + large if at["auto_pad"] == "SAME_UPPER" else large + small
    full = [(x.shape[2 + i] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 + extra[i] for i in range(rank)]
    per_in, per_out = x.shape[1] // group, w.shape[1]
    out = np.zeros((x.shape[0], per_out * group, *full))
    for g in range(group):
        source, target = slice(g * per_in, (g + 1) * per_in), slice(g * per_out, (g + 1) * per_out)
        for tap in itertools.product(*(range(k) for k in kernel)):
            where = [slice(None), target]
            for i in range(rank):
                start = tap[i] * dilations[i]
                where.append(slice(start, start + (x.shape[2 + i] - 1) * strides[i] + 1, strides[i]))
            out[tuple(where)] += np.einsum("nc...,cm->nm...", x[:, source], w[(source, slice(None), *tap)])
    if len(inputs) > 2 and inputs[2] is not None:
        out += inputs[2].reshape((1, -1) + (1,) * rank)
    crop = tuple(slice(pads[i], full[i] - pads[rank + i]) for i in range(rank))
    return [out[(slice(None), slice(None), *crop)]]


def max_pool(inputs, at, opset):
    x = inputs[0]
    window = Window(x.shape[2:], at["kernel_shape"], at)
    padded = window.padded(x, -np.inf)
    out = np.full((*x.shape[:2], *window.out), -np.inf)
    for tap in window.taps():
        out = np.maximum(out, window.at_tap(padded, tap))
    return [out]


def average_pool(inputs, at, opset):
    x = inputs[0]
    window = Window(x.shape[2:], at["kernel_shape"], at)
    padded = window.padded(x, 0)
    counted = np.zeros_like(padded)  # what ceil_mode adds is never counted
    around = list(zip(window.before, window.after)) if at.get("count_include_pad", 0) else [(0, 0)] * (x.ndim - 2)
    inside = tuple(slice(window.before[i] - before, window.before[i] + x.shape[2 + i] + after)
                   for i, (before, after) in enumerate(around))
    counted[(slice(None), slice(None), *inside)] = 1
    total = np.zeros((*x.shape[:2], *window.out))
    count = np.zeros_like(total)
    for tap in window.taps():
        total += window.at_tap(padded, tap)
        count += window.at_tap(counted, tap)
    return [total / count]


def my_conv(inputs, at, opset):
    """Of the domain com.me in the sample own-operator: images and results are [batch, rows, columns, channels]."""
    x, w = inputs
    result = conv([np.moveaxis(x, -1, 1), w, None], {"strides": at.get("steps", [1, 1])}, opset)[0]
    return [np.moveaxis(result, 1, -1)]


OPERATORS = {
    "Conv": conv,
    "MyConv": my_conv,
    "ConvTranspose": conv_transpose,
    "MaxPool": max_pool,
    "AveragePool": average_pool,
}
