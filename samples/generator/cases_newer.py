"""Forms that came with opsets 18 to 22, and attributes of theirs that the engine refuses by name."""
import numpy as np

from .build import node
from .numbers import ints, reals, whole

F = np.float32


def reductions(cases):
    x = {"x": ints(3, 4, 5)}
    for operator, name in (("ReduceMean", "mean"), ("ReduceSum", "sum"), ("ReduceMax", "max"), ("ReduceMin", "min")):
        feeds = {"x": 4 * ints(3, 4, 5)} if name == "mean" else x
        cases.add(f"reduce_{name}_operand_18", node(operator, "x axes"), feeds, {"axes": whole([1])}, opset=18)
        cases.add(f"reduce_{name}_nothing_18", node(operator, "x", noop_with_empty_axes=1), feeds, opset=18)
    cases.add("reduce_prod_operand_18", node("ReduceProd", "x axes", keepdims=0), {"x": ints(3, 4, low=-2, high=2)},
              {"axes": whole([-1])}, opset=18)
    cases.add("reduce_max_all_20", node("ReduceMax", "x", keepdims=0), x, opset=20)
    cases.add("reduce_mean_absent_axes_18", node("ReduceMean", "x -", keepdims=0), {"x": 4 * ints(1, 4)}, opset=18)


def moving(cases):
    x = {"x": ints(7, 4)}
    cases.add("split_num_outputs_18", node("Split", "x", "a b c", num_outputs=3), x, outputs="a b c", opset=18)
    cases.add("split_num_outputs_even_18", node("Split", "x", "a b", axis=1, num_outputs=2), x, outputs="a b", opset=18)
    cases.add("split_sizes_18", node("Split", "x sizes", "a b"), x, {"sizes": whole([2, 5])}, outputs="a b", opset=18)
    cases.add("pad_axes_18", node("Pad", "x pads value axes"), x,
              {"pads": whole([1, 2]), "value": F(3), "axes": whole([-1])}, opset=18)
    cases.add("pad_two_axes_21", node("Pad", "x pads - axes"), {"x": ints(2, 3, 4)},
              {"pads": whole([1, 0, 2, 3]), "axes": whole([2, 0])}, opset=21)
    # What is cut off is cut off first; an axis without an element stays as it is.
    cuts = {"front": [-2, 0, 2, 0], "back": [1, 0, -3, 0], "both": [-1, 0, -2, 0], "two_axes": [-2, 2, 2, -1],
            "most": [-6, 0, 0, 1]}
    for mode in ("reflect", "edge", "wrap"):
        for name, pads in cuts.items():
            cases.add(f"pad_{mode}_cuts_{name}", node("Pad", "x pads", mode=mode), x, {"pads": whole(pads)}, opset=19)
            cases.add(f"pad_{mode}_cuts_{name}_computed", node("Pad", "x pads", mode=mode), {**x, "pads": whole(pads)}, opset=19,
                      shapes={"x": (7, 4), "pads": (4,), "y": ("A", "B")})
        if mode == "wrap":  # which ONNX Runtime does not compute
            continue
        empty = {"x": np.zeros((0, 3), F)}
        cases.add(f"pad_{mode}_of_none", node("Pad", "x pads", mode=mode), empty, {"pads": whole([0, 1, 0, 2])}, opset=19)
        cases.add(f"pad_{mode}_of_none_computed", node("Pad", "x pads", mode=mode), {**empty, "pads": whole([0, 2, 0, 1])}, opset=19,
                  shapes={"x": (0, 3), "pads": (4,), "y": ("A", "B")})
        sizes = [{"x": ints(h, w, seed=h)} for h, w in ((3, 4), (0, 4), (5, 3))]
        cases.add(f"pad_{mode}_perhaps_of_none", node("Pad", "x pads", mode=mode), sizes, {"pads": whole([0, 1, 0, -2])}, opset=19,
                  shapes={"x": ("H", "W"), "y": ("H", "V")})
    cases.add("pad_wrap_around_and_around", node("Pad", "x pads", mode="wrap"), x, {"pads": whole([0, 0, 16, 0])}, opset=19)
    cases.add("reshape_19", node("Reshape", "x shape"), x, {"shape": whole([2, -1])}, opset=19)
    cases.add("shape_range_21", node("Shape", "x", start=-1), x, opset=21)
    cases.add("transpose_21", node("Transpose", "x"), x, opset=21)
    cases.add("squeeze_21", node("Squeeze", "x axes"), {"x": ints(3, 1, 4)}, {"axes": whole([1])}, opset=21)
    cases.add("unsqueeze_21", node("Unsqueeze", "x axes"), x, {"axes": whole([0, -1])}, opset=21)
    cases.add("cast_saturate_19", node("Cast", "x", to=7, saturate=0), x, opset=19)


def others(cases):
    cases.close("gelu_20", node("Gelu", "x"), {"x": reals(4, 9)}, opset=20)
    cases.close("gelu_tanh_20", node("Gelu", "x", approximate="tanh"), {"x": reals(4, 9)}, opset=20)
    cases.close("mish_18", node("Mish", "x"), {"x": reals(4, 33, low=-25, high=25)}, opset=18)
    image = {"x": ints(1, 2, 6, 6)}
    w = {"w": ints(3, 2, 3, 3, seed=1)}
    cases.add("conv_22", node("Conv", "x w", kernel_shape=[3, 3]), image, w, opset=22)
    cases.add("max_pool_22", node("MaxPool", "x", kernel_shape=[2, 2], strides=[2, 2]), image, opset=22)
    four = {"x": 4 * ints(1, 2, 6, 6)}
    cases.add("average_pool_22", node("AveragePool", "x", kernel_shape=[2, 2], strides=[2, 2]), four, opset=22)
    cases.add("global_average_pool_22", node("GlobalAveragePool", "x"), {"x": 8 * ints(2, 3, 2, 4)}, opset=22)
    cases.add("average_pool_dilated_19", node("AveragePool", "x", kernel_shape=[2, 2], dilations=[2, 2]), four, opset=19)


def add_to(cases):
    for part in (reductions, moving, others):
        part(cases)
