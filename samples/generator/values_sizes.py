"""Operators on sizes: what ONNX says of the operands of Reshape, Slice, Pad, Resize ..."""
from fractions import Fraction

import numpy as np

from .table import NUMBERS, Tensor, whole


def add_to(table):
    table.call("reshape_extents", [whole([0, -1, 3]), whole([2, 6, 5])], whole([2, 10, 3]))
    table.call("reshape_extents", [whole([3, 0]), whole([0, 6, 5])], whole([3, 0]), keep_zero=True)  # allowzero of Reshape
    table.call("reshape_extents", [whole([-1, 4]), whole([2, 6])], whole([3, 4]))
    table.call("unsqueeze_extents", [whole([5, 7]), whole([-1, 0])], whole([1, 5, 7, 1]))
    table.call("squeeze_extents", [whole([1, 5, 1, 7]), whole([-2, 0])], whole([5, 7]))
    table.call("reduced_extents", [whole([4, 5, 7]), whole([-1, 0])], whole([1, 5, 1]))
    # Of extents 10, 6 and 7: 8, 6, 4 along the first, all of the second, the last two of the third.
    table.call("slice_extents", [whole([-2, -2]), whole([3, 100]), whole([0, -1]), whole([-2, 1]), whole([10, 6, 7])],
               [whole([8, 0, 5]), whole([-2, 1, 1]), whole([3, 6, 2])])
    # The ends of an i64: no step goes further than one that leaves every axis.
    far, further = 2**63 - 1, -(2**63)
    table.call("slice_extents", [whole([3, 1]), whole([further, far]), whole([0, 1]), whole([further, far]), whole([7, 5])],
               [whole([3, 1]), whole([-(2**40), 2**40]), whole([1, 1])])
    table.call("pad_extents", [whole([1, -2]), whole([3, 0]), whole([-1, 0]), whole([5, 6, 7])],
               [whole([-2, 0, 1]), whole([3, 6, 11])])
    for axis, parts, out in ((1, [3, 5, 4], [3, 8, 4, 6]), (-2, [15, 4, 1], [3, 5, 8, 6]), (0, [1, 3, 20], [8, 5, 4, 6]),
                             (3, [60, -1, 1], None)):
        table.call("axis_parts", [whole([axis]), whole([3, 5, 4, 2])], whole(parts))
        if out:
            table.call("axis_replaced", [whole([axis]), whole([3, 5, 4, 2]), whole([7, 8, 9, 6])], whole(out))
    sizes = [whole([4, 5]), whole([3, 10])]
    table.call("resize_growth", sizes, Tensor("f64", [0.75, 2]))
    table.call("resize_growth", [*sizes, Tensor("f32", [0.5, 0.25])], Tensor("f64", [0.5, 0.25]))
    table.call("resize_growth", [*sizes, None, whole([3, 4])], Tensor("f64", [0.75, 0.75]))
    places = np.array([0, 7, 23, 13])
    table.call("unravel", [whole(places), whole([2, 3, 4])], whole(np.stack(np.unravel_index(places, (2, 3, 4)))))
    for dtype in NUMBERS:
        low, high = (7, -2) if dtype[0] != "u" else (1, 9)
        delta = -2 if dtype[0] != "u" else 3
        operands = [Tensor(dtype, np.array(v)) for v in (low, high, delta)]
        table.call("range_count", operands, whole([len(range(low, high, delta))]))
    for dtype in ("f32", "f64"):
        table.call("scaled_extents", [whole([4, 5, 7]), Tensor(dtype, [0.5, 1.5, 2])], whole([2, 7, 14]))
    for largest, fraction in ((False, [6, 4]), (True, [20, 5])):
        table.call("aspect_ratio", [whole([4, 5]), whole([6, 20])], whole(fraction), largest=largest)
    table.call("fitted_extents", [whole([4, 5, 7]), whole([3, 2])], whole([6, 8, 11]))
    places_of(table)


def places_of(table):
    """The modes of Resize: where place o of a result lies, by their formulas in the standard. A row has the step, the start
    and what both are divided by, which makes them whole numbers."""
    n, size = 4, 10
    half = Fraction(1, 2)

    def row(formula, under):
        step, start = (formula(1) - formula(0)) * under, formula(0) * under
        return Tensor("f64", [[float(step), float(start), float(under)]])

    def forms(s, begin=0, end=1):
        return [
            lambda o: (o + half) / s - half,
            lambda o: Fraction(o) / s,
            lambda o: (o + half) / s,
            lambda o: (o + half) / s - half,
            lambda o: Fraction(o * (n - 1)) / (n * s - 1),
            lambda o: Fraction(n, 2) * (1 - size / (n * s)) + (o + half) / s - half,
            lambda o: begin * (n - 1) + o * (end - begin) * (n - 1) / (size - 1),
        ]

    extents, sizes = whole([n]), whole([size])
    s = Fraction(13, 5)
    unders = [26, 13, 26, 26, n * 13 - 5, 26]
    for mode, under in enumerate(unders):
        table.call("resize_places", [extents, sizes, Tensor("f32", [2.6])], row(forms(s)[mode], under), mode=mode)
    begin, end = Fraction(1, 4), Fraction(3, 8)
    operands = [extents, sizes, None, Tensor("f32", [0.25]), Tensor("f32", [0.375])]
    table.call("resize_places", operands, row(forms(s, begin, end)[6], 4 * 8 * (size - 1)), mode=6)
    table.call("resize_places", [extents, sizes], row(forms(Fraction(size, n))[0], 2 * size))
    ratio = [extents, sizes, None, None, None, whole([5, 2])]
    table.call("resize_places", ratio, row(forms(Fraction(5, 2))[1], 5), mode=1)
