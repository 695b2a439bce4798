"""Where a rounding decides: places of Resize, bounds of Clip, halves of quantization; and what is written with types that
other programs have."""
import numpy as np

from .build import node
from .numbers import ints, whole

F = np.float32
MODES = ("half_pixel", "asymmetric", "tf_half_pixel_for_nn", "pytorch_half_pixel", "align_corners", "half_pixel_symmetric")
ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def resizing(cases):
    for k, (extent, size) in enumerate(((6, 34), (7, 9), (64, 125))):
        for mode in MODES:
            rounding = ROUNDINGS[(k + MODES.index(mode)) % 4]
            opset = 11 if mode == "tf_half_pixel_for_nn" else 19 if mode == "half_pixel_symmetric" else 13
            cases.add(f"resize_nearest_{mode}_{rounding}_{extent}_{size}",
                      node("Resize", "x - - sizes", mode="nearest", nearest_mode=rounding,
                           coordinate_transformation_mode=mode) if opset > 11 else
                      node("Resize", "x roi none sizes", mode="nearest", nearest_mode=rounding,
                           coordinate_transformation_mode=mode),
                      {"x": ints(1, 1, extent, low=-9, high=9)},
                      {"sizes": whole([1, 1, size]), **({} if opset > 11 else {"roi": np.zeros(0, F),
                                                                               "none": np.zeros(0, F)})}, opset=opset)
    image = {"x": ints(1, 2, 4, 6, low=-9, high=9)}
    for rounding in ROUNDINGS:
        cases.add(f"resize_nearest_thirds_{rounding}",
                  node("Resize", "x - scales", mode="nearest", nearest_mode=rounding), image,
                  {"scales": np.array([1, 1, 3, 5 / 3], dtype=F)})
    for mode in ("nearest", "linear", "cubic"):
        for name, last in (("the_end", 1.0), ("a_part", 0.9)):
            cases.add(f"resize_crop_{mode}_to_{name}",
                      node("Resize", "x roi - sizes", mode=mode, nearest_mode="floor", extrapolation_value=7.0,
                           coordinate_transformation_mode="tf_crop_and_resize"), image,
                      {"roi": np.array([0, 0, 0.2, 0.1, 1, 1, last, 1], dtype=F), "sizes": whole([1, 2, 5, 7])},
                      folder="ops" if mode == "nearest" else "close")
    for label, dtype, low in (("u8", np.uint8, 0), ("i8", np.int8, -128)):
        pixels = (ints(1, 1, 3, 4, low=low, high=low + 255)).astype(dtype)
        for mode, size in (("align_corners", (5, 7)), ("half_pixel", (6, 9)), ("asymmetric", (9, 4))):
            cases.add(f"resize_linear_{label}_{mode}",
                      node("Resize", "x - - sizes", mode="linear", coordinate_transformation_mode=mode), {"x": pixels},
                      {"sizes": whole([1, 1, *size])})
        cases.add(f"resize_cubic_{label}", node("Resize", "x - scales", mode="cubic"), {"x": pixels},
                  {"scales": np.array([1, 1, 2, 2], dtype=F)})
    flat = np.full((1, 1, 5, 5), 200, dtype=np.uint8)
    cases.add("resize_linear_u8_flat", node("Resize", "x - - sizes", mode="linear"), {"x": flat},
              {"sizes": whole([1, 1, 7, 11])})
    sizes = [{"x": ints(1, 1, a), "sizes": whole([1, 1, b])} for a, b in ((6, 34), (2, 6), (7, 5))]
    cases.add("resize_nearest_computed_sizes",
              node("Resize", "x - - sizes", mode="nearest", nearest_mode="floor",
                   coordinate_transformation_mode="asymmetric"), sizes, shapes={"x": (1, 1, "W"), "y": (1, 1, "V")})


def clipping(cases):
    high = {"i8": 127, "u8": 255, "i16": 2**15 - 1, "u16": 2**16 - 1, "i32": 2**31 - 1, "u32": 2**32 - 1,
            "i64": 2**63 - 1, "u64": 2**64 - 1}
    for label, dtype in (("i8", np.int8), ("u8", np.uint8), ("i16", np.int16), ("u16", np.uint16), ("i32", np.int32),
                         ("u32", np.uint32), ("i64", np.int64), ("u64", np.uint64)):
        top = high[label]
        low = -top if label[0] == "i" else 1
        x = {"x": np.array([low, 0, 3, 50, 90, top - 1, top], dtype=dtype)}
        cases.add(f"clip_{label}_constants", node("Clip", "x low high"), x,
                  {"low": dtype(2), "high": dtype(top - 1)}, opset=12)
        cases.add(f"clip_{label}_low_only", node("Clip", "x low"), x, {"low": dtype(top - 1)})
        cases.add(f"clip_{label}_high_only", node("Clip", "x - high"), x, {"high": dtype(3)})
        cases.add(f"clip_{label}_low_above_high", node("Clip", "x low high"), x, {"low": dtype(9), "high": dtype(4)})
    x = {"x": ints(3, 5, low=-9, high=9)}
    cases.add("clip_low_above_high", node("Clip", "x low high"), x, {"low": F(3), "high": F(1)}, opset=17)
    cases.add("clip_attributes_low_above_high", node("Clip", "x", min=3.0, max=1.0), x, opset=6 + 1)
    cases.add("clip_low_above_high_computed", node("Clip", "x low high"), {**x, "low": np.array(3, F), "high": np.array(1, F)})
    cases.add("clip_low_above_high_behind_matmul", [node("MatMul", "x w", "m"), node("Clip", "m low high")], x,
              {"w": ints(5, 4, seed=1), "low": F(3), "high": F(1)})
    cases.add("clip_low_above_high_behind_conv", [node("Conv", "x w", "c"), node("Clip", "c low high")],
              {"x": ints(1, 2, 6, 6)}, {"w": ints(3, 2, 3, 3, seed=1), "low": F(2), "high": F(-2)})
    sizes = [{"x": ints(a, b)} for a, b in ((2, 7), (5, 1), (0, 3))]
    cases.add("clip_of_a_free_shape", [node("Shape", "x", "s"), node("Clip", "s low high", "c"), node("Expand", "k c")],
              sizes, {"low": np.int64(2), "high": np.int64(4), "k": np.array([7], F)},
              shapes={"x": ("A", "B"), "y": ("C", "D")})


def quantizing(cases):
    scale = F(0.46666667)
    ties = (np.arange(-40, 40) * 0.5 * np.float64(scale)).astype(F)
    for label, dtype, zero in (("u8", np.uint8, 7), ("i8", np.int8, -127), ("u16", np.uint16, 40000), ("i16", np.int16, -9)):
        opset = 21 if label.endswith("16") else 13
        where = {"s": scale, "z": dtype(zero)}
        cases.add(f"quantize_ties_{label}", node("QuantizeLinear", "x s z"), {"x": ties}, where, opset=opset)
        # The same of a constant, which is folded.
        cases.add(f"quantize_ties_constant_{label}",
                  [node("QuantizeLinear", "c s z", "q"), node("DequantizeLinear", "q s z", "d"), node("Sub", "d d", "n"),
                   node("Add", "n x", "m"), node("QuantizeLinear", "c s z", "y")], {"x": ints(80)},
                  {**where, "c": ties}, outputs="m y", opset=opset)
    columns = np.stack([ties, ties * F(0.5), ties * F(3)])
    cases.add("quantize_ties_along", node("QuantizeLinear", "x s z", axis=0), {"x": columns},
              {"s": np.array([scale, scale * F(0.5), scale * F(3)], dtype=F), "z": whole([1, 2, 3], np.uint8)}, opset=13)
    cases.add("dynamic_quantize_ties", node("DynamicQuantizeLinear", "x", "y s z"),
              {"x": np.array([-7.5, 247.5, 0.5, 1.5, 2.5, -0.5, 100.5, 101.5], dtype=F)}, outputs="y s z", opset=11)
    cases.add("dynamic_quantize_zeros", node("DynamicQuantizeLinear", "x", "y s z"), {"x": np.zeros(4, F)},
              outputs="y s z", opset=11)


def written(cases):
    """Types and attributes that came with an opset behind the usual one."""
    truths = {"x": np.array([[True, False], [False, False], [True, True]])}
    for name in ("Max", "Min"):
        cases.add(f"reduce_{name.lower()}_bool_20", node(f"Reduce{name}", "x axes", keepdims=0), truths, {"axes": whole([1])},
                  opset=20)
    for label, dtype in (("i32", np.int32), ("i64", np.int64)):
        for kind, values in (("f32", np.array([0, 1], F)), ("i64", whole([0, 1])), ("i32", whole([0, 1], np.int32))):
            cases.add(f"one_hot_{label}_{kind}", node("OneHot", "i d v"), {"i": whole([0, 2, -1, 1], dtype)},
                      {"d": dtype(3), "v": values}, opset=13)


def add_to(cases):
    for part in (resizing, clipping, quantizing, written):
        part(cases)
