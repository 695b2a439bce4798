"""Operators that move, cut and make data, in their attribute and operand forms, and shape arithmetic."""
import numpy as np
from onnx import numpy_helper

from .build import node
from .numbers import ints, whole

F = np.float32


def joining(cases):
    three = {"a": ints(2, 3), "b": ints(2, 3, seed=1), "c": ints(2, 3, seed=2)}
    cases.add("concat_axis_0", node("Concat", "a b c", axis=0), three, opset=7)
    cases.add("concat_axis_1_sizes_differ", node("Concat", "a b", axis=1), {"a": ints(2, 1, 4), "b": ints(2, 5, 4)})
    cases.add("concat_negative_axis", node("Concat", "a b", axis=-1), {"a": ints(2, 3, 1), "b": ints(2, 3, 7)}, opset=11)
    cases.add("concat_one", node("Concat", "a", axis=0), {"a": ints(3, 2)})
    cases.add("concat_same_twice", node("Concat", "a a", axis=1), {"a": ints(3, 2)})
    cases.add("concat_empty_part", node("Concat", "a b", axis=0), {"a": ints(0, 3), "b": ints(2, 3)})
    cases.add("concat_constant", node("Concat", "a w", axis=1), {"a": ints(2, 3)}, {"w": ints(2, 2, seed=3)})
    cases.add("concat_channels_relu", [node("Relu", "a", "r"), node("Concat", "r b", "c", axis=1), node("Neg", "c")],
              {"a": ints(1, 3, 2, 5), "b": ints(1, 2, 2, 5)})
    cases.add("concat_int64", node("Concat", "a b", axis=0), {"a": whole([1, 2]), "b": whole([3])})
    cases.add("concat_free", node("Concat", "a b", axis=0), [{"a": ints(k, 2), "b": ints(3, 2, seed=1)} for k in (1, 4, 0)],
              shapes={"a": ["N", 2], "y": [None, 2]})
    n = node("Split", "x", "p q", axis=1)
    cases.add("split_equal_7", n, {"x": ints(2, 6)}, outputs="p q", opset=7)
    cases.add("split_sizes_attribute", node("Split", "x", "p q r", axis=0, split=[1, 3, 2]), {"x": ints(6, 2)},
              outputs="p q r", opset=11)
    cases.add("split_sizes_operand_13", node("Split", "x sizes", "p q", axis=-1), {"x": ints(2, 7)},
              {"sizes": whole([5, 2])}, outputs="p q")
    cases.add("split_equal_13", n, {"x": ints(3, 8)}, outputs="p q")
    cases.add("split_one_part_used", [node("Split", "x", "p q", axis=1), node("Relu", "q")], {"x": ints(2, 4, 3)})


def reshaping(cases):
    x = {"x": ints(2, 3, 4)}

    def reshape(name, target, feeds=x, opset=13, **more):
        cases.add(f"reshape_{name}", node("Reshape", "x shape", **more), feeds, {"shape": whole(target)}, opset=opset)

    reshape("plain", [4, 6], opset=7)
    reshape("minus_one", [2, -1])
    reshape("zero_copies", [0, -1, 2])
    reshape("add_ones", [1, 2, 1, 12])
    reshape("to_vector", [-1])
    reshape("to_rank_0", [], {"x": ints(1, 1)})
    reshape("from_rank_0", [1, 1], {"x": F(5)})
    reshape("empty", [3, 0], {"x": ints(0, 2)}, opset=14, allowzero=1)
    cases.add("reshape_target_from_node", [node("Constant", "", "shape", value=numpy_helper.from_array(whole([6, 4]))),
                                           node("Reshape", "x shape")], x, opset=9)
    cases.add("reshape_free", node("Reshape", "x shape"), [{"x": ints(k, 3, 2)} for k in (1, 5, 0)],
              {"shape": whole([0, 6])}, shapes={"x": ["N", 3, 2], "y": ["N", 6]})
    cases.add("reshape_from_shape_arithmetic", [
        node("Shape", "x", "dims"), node("Gather", "dims zero", "rows", axis=0),
        node("Unsqueeze", "rows axes", "rows1"), node("Concat", "rows1 rest", "target", axis=0),
        node("Reshape", "x target")], [{"x": ints(k, 3, 2)} for k in (2, 4)],
        {"zero": whole(0), "axes": whole([0]), "rest": whole([-1])}, shapes={"x": ["N", 3, 2], "y": ["N", 6]})
    for axis in (0, 1, 2, 3):
        cases.add(f"flatten_axis_{axis}", node("Flatten", "x", axis=axis), x, opset=9)
    cases.add("flatten_default", node("Flatten", "x"), {"x": ints(2, 3, 2, 2)}, opset=7)
    cases.add("flatten_negative_axis", node("Flatten", "x", axis=-1), x, opset=11)
    y = {"x": ints(1, 3, 1, 2)}
    cases.add("squeeze_attribute", node("Squeeze", "x", axes=[0, 2]), y, opset=7)
    cases.add("squeeze_attribute_negative", node("Squeeze", "x", axes=[-2]), y, opset=11)
    cases.add("squeeze_operand", node("Squeeze", "x axes"), y, {"axes": whole([0, -2])})
    cases.add("squeeze_all", node("Squeeze", "x"), y)
    cases.add("unsqueeze_attribute", node("Unsqueeze", "x", axes=[0, 3]), {"x": ints(3, 2)}, opset=7)
    cases.add("unsqueeze_operand", node("Unsqueeze", "x axes"), {"x": ints(3, 2)}, {"axes": whole([-1, 1])})
    cases.add("unsqueeze_rank_0", node("Unsqueeze", "x axes"), {"x": F(2)}, {"axes": whole([0])})


def moving(cases):
    for perm in ([1, 0], [0, 2, 1], [2, 0, 1], [0, 2, 3, 1], [0, 3, 1, 2], [3, 2, 1, 0]):
        shape = (3, 5, 2, 7)[: len(perm)]
        cases.add("transpose_" + "".join(map(str, perm)), node("Transpose", "x", perm=perm), {"x": ints(*shape)})
    cases.add("transpose_default", node("Transpose", "x"), {"x": ints(2, 3, 4)}, opset=7)
    cases.add("transpose_relu", [node("Relu", "x", "r"), node("Transpose", "r", "t", perm=[1, 0]), node("Add", "t z")],
              {"x": ints(17, 5), "z": ints(5, 17, seed=1)})
    cases.add("transpose_free", node("Transpose", "x", perm=[1, 0]), [{"x": ints(k, 3)} for k in (1, 6, 0)],
              shapes={"x": ["N", 3], "y": [3, "N"]})
    x = {"x": ints(4, 3, 2)}
    cases.add("gather_axis_0", node("Gather", "x i", axis=0), x, {"i": whole([3, 0, 0])}, opset=7)
    cases.add("gather_axis_1", node("Gather", "x i", axis=1), x, {"i": whole([[2, 1], [0, 2]])})
    cases.add("gather_negative", node("Gather", "x i", axis=2), x, {"i": whole([-1, 0])}, opset=11)
    cases.add("gather_negative_axis", node("Gather", "x i", axis=-2), x, {"i": whole([1])})
    cases.add("gather_rank_0_index", node("Gather", "x i", axis=0), x, {"i": whole(2)})
    cases.add("gather_runtime_index", node("Gather", "x i", axis=0), {**x, "i": whole([1, -1, 3])})
    cases.add("gather_int32_index", node("Gather", "x i", axis=0), {**x, "i": whole([1, 2], np.int32)})
    cases.add("gather_table", node("Gather", "w i", axis=0), {"i": whole([[5, 0], [2, 2]])}, {"w": ints(6, 9)})
    cases.add("expand_rows", node("Expand", "x shape"), {"x": ints(3, 1)}, {"shape": whole([3, 4])}, opset=8)
    cases.add("expand_rank", node("Expand", "x shape"), {"x": ints(3)}, {"shape": whole([2, 4, 3])})
    cases.add("expand_keeps_larger", node("Expand", "x shape"), {"x": ints(3, 4)}, {"shape": whole([1, 1])})


def cutting(cases):
    x = {"x": ints(5, 7)}

    def cut(name, starts, ends, axes=None, steps=None, feeds=x, opset=13):
        weights = {"starts": whole(starts), "ends": whole(ends)}
        operands = "x starts ends"
        if axes is not None:
            weights["axes"] = whole(axes)
            operands += " axes"
        if steps is not None:
            weights["steps"] = whole(steps)
            operands += " steps" if axes is not None else " - steps"
        cases.add(f"slice_{name}", node("Slice", operands), feeds, weights, opset=opset)

    cases.add("slice_attributes", node("Slice", "x", starts=[1, -3], ends=[4, 100], axes=[0, 1]), x, opset=9)
    cut("operands", [1, 2], [3, 6], opset=10)
    cut("axis", [1], [5], [1], opset=11)
    cut("negative_bounds", [-3], [-1], [1])
    cut("clamped", [-100], [2**62], [0])
    cut("step_2", [0, 1], [5, 7], [0, 1], [2, 3])
    cut("reversed", [-1], [-(2**62)], [1], [-1])
    cut("step_minus_2", [6], [0], [-1], [-2])
    cut("empty", [3], [3], [0])
    cut("backwards_from_before_the_front", [-9, -(2**62)], [-(2**62), -9], [0, 1], [-1, -2])
    cases.add("slice_computed_from_before_the_front", node("Slice", "x s e a t"),
              [{"x": ints(5, 7), "s": whole([start]), "e": whole([-(2**31)])} for start in (-9, -2, 100, -7)],
              {"a": whole([1]), "t": whole([-2])}, shapes={"y": [5, "Q"]})
    cases.add("slice_free_from_before_the_front", node("Slice", "x s e a t"),
              [{"x": ints(*size)} for size in ((5, 7), (1, 1), (2, 0))],
              {"s": whole([-(2**62)]), "e": whole([-(2**62)]), "a": whole([1]), "t": whole([-1])},
              shapes={"x": ["A", "B"], "y": ["A", "D"]})
    cut("steps_without_axes", [0, 0], [5, 7], None, [2, 2])
    cases.add("slice_then_relu", [node("Slice", "x s e a", "p"), node("Relu", "p")], {"x": ints(2, 9, 3)},
              {"s": whole([2]), "e": whole([8]), "a": whole([1])})
    cases.add("slice_free_backwards_two_axes", node("Slice", "x s e a t"),
              [{"x": ints(*size)} for size in ((1, 4, 3), (2, 1, 2), (3, 7, 8), (1, 0, 5))],
              {"s": whole([-2, 2**63 - 1]), "e": whole([0, -9]), "a": whole([-1, 1]), "t": whole([-2, 5])},
              shapes={"x": ["A", "B", "C"], "y": ["A", "D", "E"]})
    cases.add("slice_free_backwards", node("Slice", "x s e a t"),
              [{"x": ints(*size)} for size in ((1, 4), (2, 2), (9, 7), (0, 5))],
              {"s": whole([-1, 1]), "e": whole([-(2**62), 2**62]), "a": whole([1, 0]), "t": whole([-3, 2])},
              shapes={"x": ["A", "B"], "y": ["D", "E"]})
    pads = [1, 0, 0, 2]
    cases.add("pad_attributes", node("Pad", "x", pads=pads, value=2.0), x, opset=7)
    cases.add("pad_operands", node("Pad", "x pads value"), x, {"pads": whole(pads), "value": F(3)}, opset=11)
    cases.add("pad_default_value", node("Pad", "x pads"), x, {"pads": whole(pads)})
    cases.add("pad_spatial", node("Pad", "x pads"), {"x": ints(1, 2, 3, 5)}, {"pads": whole([0, 0, 1, 2, 0, 0, 2, 1])})
    cases.add("pad_reflect", node("Pad", "x pads", mode="reflect"), x, {"pads": whole([1, 2, 2, 1])})
    cases.add("pad_edge", node("Pad", "x pads", mode="edge"), x, {"pads": whole([1, 2, 2, 1])})
    cases.add("pad_negative_cuts", node("Pad", "x pads"), x, {"pads": whole([-1, 0, 1, -2])})
    cases.add("pad_then_conv", [node("Pad", "x pads", "p"), node("Conv", "p w", kernel_shape=[3, 3])],
              {"x": ints(1, 2, 4, 4)}, {"pads": whole([0, 0, 1, 1, 0, 0, 1, 1]), "w": ints(3, 2, 3, 3, seed=1)})


def making(cases):
    tensor = numpy_helper.from_array(ints(2, 3, seed=4))
    x = {"x": ints(2, 3)}
    cases.add("constant_tensor", [node("Constant", "", "c", value=tensor), node("Add", "x c")], x, opset=7)
    cases.add("constant_float", [node("Constant", "", "c", value_float=2.0), node("Mul", "x c")], x, opset=12)
    cases.add("constant_floats", [node("Constant", "", "c", value_floats=[1.0, 2.0, 3.0]), node("Add", "x c")], x)
    cases.add("constant_ints", [node("Constant", "", "c", value_ints=[3, 2]), node("Reshape", "x c")], x)
    cases.add("constant_is_output", node("Constant", "", "y", value=tensor), x)
    two = numpy_helper.from_array(np.array([2], dtype=F))
    cases.add("constant_of_shape_default", [node("ConstantOfShape", "shape", "c"), node("Add", "x c")], x,
              {"shape": whole([2, 3])}, opset=9)
    cases.add("constant_of_shape_two", [node("ConstantOfShape", "shape", "c", value=two), node("Mul", "x c")], x,
              {"shape": whole([3])})
    cases.add("constant_of_shape_of_input", [node("Shape", "x", "dims"), node("ConstantOfShape", "dims", "c", value=two),
                                             node("Add", "x c")], [{"x": ints(k, 3)} for k in (1, 4)],
              shapes={"x": ["N", 3], "y": ["N", 3]})
    cases.add("shape_plain", node("Shape", "x"), {"x": ints(2, 3, 4)}, opset=7)
    cases.add("shape_range_15", node("Shape", "x", start=1, end=-1), {"x": ints(2, 3, 4, 5)}, opset=15)
    cases.add("shape_rank_0", node("Shape", "x"), {"x": F(1)})
    cases.add("shape_free", node("Shape", "x"), [{"x": ints(k, 3)} for k in (1, 5, 0)],
              shapes={"x": ["N", 3], "y": [2]})


def add_to(cases):
    for part in (joining, reshaping, moving, cutting, making):
        part(cases)
