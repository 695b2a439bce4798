"""Operators whose meaning for integers and truths is not that of their arithmetic for floats: roots and logarithms of
integers are cut, a triangle of truths is a mask."""
import numpy as np
from onnx import numpy_helper

from .build import node
from .numbers import reals, whole


def add_to(cases):
    truths = np.arange(24).reshape(2, 3, 4) % 5 != 0
    cases.add("trilu_bool", node("Trilu", "x", upper=0), {"x": np.ones((3, 3), bool)}, opset=14)
    cases.add("trilu_bool_upper", node("Trilu", "x k"), {"x": truths, "k": whole(-1)}, opset=14)
    mask = [node("Shape", "x", "s"), node("Slice", "s one two", "n"), node("Concat", "n n", "nn", axis=0),
            node("ConstantOfShape", "nn", "o", value=numpy_helper.from_array(np.array([True]))),
            node("Trilu", "o", "t", upper=0), node("Transpose", "x", "xt", perm=[0, 2, 1]), node("MatMul", "x xt", "w"),
            node("Where", "t w low", "m"), node("Softmax", "m", "y", axis=-1)]
    cases.close("trilu_bool_mask_free", mask, [{"x": reals(b, s, 4)} for b, s in ((1, 3), (2, 5))],
                {"one": whole([1]), "two": whole([2]), "low": np.float32(-np.inf)}, opset=14,
                shapes={"x": ["B", "S", 4], "y": ["B", "S", "S"]})
    x = {"x": whole([[3, -4, 1], [6, 8, 2], [0, 1, 7]], np.int32)}
    for operator, name in (("ReduceL1", "l1"), ("ReduceL2", "l2"), ("ReduceSumSquare", "sum_square")):
        cases.add(f"reduce_{name}_int", node(operator, "x", axes=[-1], keepdims=0), x)
    positive = {"x": whole([[3, 40, 1], [60, 8, 2], [5, 1, 7]], np.int32)}
    cases.add("reduce_log_sum_int", node("ReduceLogSum", "x", axes=[0]), positive)
    cases.add("reduce_log_sum_exp_int", node("ReduceLogSumExp", "x", axes=[1], keepdims=0), positive)
    cases.add("reduce_mean_int", node("ReduceMean", "x", axes=[0], keepdims=0), x)
    cases.add("shrink_int", node("Shrink", "x", lambd=1.5, bias=1.5), {"x": whole([-5, -2, -1, 0, 1, 2, 9], np.int32)}, opset=9)
    cases.add("shrink_uint8", node("Shrink", "x", lambd=2.0, bias=1.0), {"x": whole([0, 1, 2, 3, 200], np.uint8)}, opset=9)
