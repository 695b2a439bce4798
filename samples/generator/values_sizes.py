"""Operators on sizes: what ONNX says of the operands of Reshape, Slice, Pad, Resize ..."""
import math

import numpy as np

from .table import FLOATS, NUMBERS, Tensor, whole


def add_to(table):
    table.call("reshape_extents", [whole([0, -1, 3]), whole([2, 6, 5])], whole([2, 10, 3]), keep_zero=True)
    table.call("reshape_extents", [whole([-1, 4]), whole([2, 6])], whole([3, 4]))
    table.call("unsqueeze_extents", [whole([5, 7]), whole([-1, 0])], whole([1, 5, 7, 1]))
    table.call("squeeze_extents", [whole([1, 5, 1, 7]), whole([-2, 0])], whole([5, 7]))
    table.call("reduced_extents", [whole([4, 5, 7]), whole([-1, 0])], whole([1, 5, 1]))
    # Of extents 10, 6 and 7: 8, 6, 4 along the first, all of the second, the last two of the third.
    table.call("slice_extents", [whole([-2, -2]), whole([3, 100]), whole([0, -1]), whole([-2, 1]), whole([10, 6, 7])],
               [whole([8, 0, 5]), whole([-2, 1, 1]), whole([3, 6, 2])])
    table.call("pad_extents", [whole([1, -2]), whole([3, 0]), whole([-1, 0]), whole([5, 6, 7])],
               [whole([-2, 0, 1]), whole([3, 6, 11])])
    places = np.array([0, 7, 23, 13])
    table.call("unravel", [whole(places), whole([2, 3, 4])], whole(np.stack(np.unravel_index(places, (2, 3, 4)))))
    for dtype in NUMBERS:
        low, high = (7, -2) if dtype[0] != "u" else (1, 9)
        delta = -2 if dtype[0] != "u" else 3
        operands = [Tensor(dtype, np.array(v)) for v in (low, high, delta)]
        table.call("range_count", operands, whole([len(range(low, high, delta))]))
    for dtype in ("f32", "f64"):
        table.call("scaled_extents", [whole([4, 5, 7]), Tensor(dtype, [0.5, 1.5, 2])], whole([2, 7, 14]))
    table.call("extent_scales", [whole([4, 5]), whole([6, 20])], Tensor("f64", [1.5, 4]))
    places_of(table)


def places_of(table):
    """The modes of Resize: where place o of a result lies, as step * o + start, by their formulas in the standard."""
    def line(formula):
        return [formula(1) - formula(0), formula(0)]

    n, s = 4, 2.6
    size = math.floor(n * s)
    begin, end = 0.25, 0.75
    forms = [
        lambda o: (o + 0.5) / s - 0.5,
        lambda o: o / s,
        lambda o: (o + 0.5) / s,
        lambda o: (o + 0.5) / s - 0.5,
        lambda o: o * (n - 1) / (n * s - 1),
        lambda o: n / 2 * (1 - size / (n * s)) + (o + 0.5) / s - 0.5,
        lambda o: begin * (n - 1) + o * (end - begin) * (n - 1) / (size - 1),
    ]
    for mode, formula in enumerate(forms):
        operands = [whole([n]), whole([size]), Tensor("f64", [s]), Tensor("f64", [begin, end])]
        table.call("resize_places", operands, Tensor("f64", [line(formula)]), mode=mode)
