"""What becomes of a NaN: behind products and windows, where libraries compute ranges and maxima, and elsewhere."""
import numpy as np

from .build import node
from .numbers import ints

F = np.float32


def with_nan(array, *places):
    array = array.copy()
    for place in places or (array.size // 3,):
        array.flat[place] = np.nan
    return array


def add_to(cases):
    image = {"x": with_nan(ints(1, 3, 8, 8))}
    filters = {"w": ints(32, 3, 3, 3, low=-1, high=1), "b": ints(32)}
    conv = node("Conv", "x w b", "c", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    cases.add("nan_conv_relu", [conv, node("Relu", "c")], image, filters)
    cases.add("nan_conv_clip", [conv, node("Clip", "c low high")], image, {**filters, "low": F(-1), "high": F(6)})
    cases.add("nan_conv_max", [conv, node("Max", "c r")], {**image, "r": with_nan(ints(1, 32, 8, 8))}, filters)
    cases.add("nan_conv_residual_relu", [conv, node("Add", "c r", "s"), node("Relu", "s")],
              {**image, "r": with_nan(ints(1, 32, 8, 8), 5, 777)}, filters)
    cases.add("nan_conv_1x1_relu", [node("Conv", "x w", "c", kernel_shape=[1, 1]), node("Relu", "c")],
              {"x": with_nan(ints(2, 32, 5, 5))}, {"w": ints(16, 32, 1, 1)})
    cases.add("nan_conv_depthwise_clip", [node("Conv", "x w", "c", kernel_shape=[3, 3], group=16),
                                          node("Clip", "c low high")],
              {"x": with_nan(ints(1, 16, 6, 6))}, {"w": ints(16, 1, 3, 3), "low": F(0), "high": F(6)})
    cases.add("nan_conv_transpose_relu", [node("ConvTranspose", "x w", "c", kernel_shape=[2, 2], strides=[2, 2]),
                                          node("Relu", "c")],
              {"x": with_nan(ints(1, 4, 3, 3))}, {"w": ints(4, 8, 2, 2)})
    cases.add("nan_gemm_relu", [node("Gemm", "x w b", "g", transB=1), node("Relu", "g")],
              {"x": with_nan(ints(20, 32))}, {"w": ints(24, 32), "b": ints(24)})
    cases.add("nan_matmul_min", [node("MatMul", "x w", "g"), node("Min", "g r")],
              {"x": with_nan(ints(2, 5, 8)), "w": ints(2, 8, 16), "r": with_nan(ints(2, 5, 16))})
    cases.add("nan_max_pool", node("MaxPool", "x", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
              {"x": with_nan(ints(1, 16, 7, 7), 0, 111, 783)})
    cases.add("nan_global_max_pool", node("GlobalMaxPool", "x"), {"x": with_nan(ints(2, 16, 4, 4))})
    cases.add("nan_average_pool", node("AveragePool", "x", kernel_shape=[2, 2], strides=[2, 2]),
              {"x": with_nan(4 * ints(1, 16, 6, 6))})
    rows = {"x": with_nan(ints(3, 37))}
    cases.close("nan_softmax", node("Softmax", "x", axis=-1), rows)
    cases.close("nan_softmax_columns", node("Softmax", "x", axis=0), {"x": with_nan(ints(5, 9))})
    for operator, name in (("ReduceMax", "max"), ("ReduceMin", "min"), ("ReduceSum", "sum")):
        cases.add(f"nan_reduce_{name}", node(operator, "x axes" if name == "sum" else "x", keepdims=0,
                                             **({} if name == "sum" else {"axes": [1]})),
                  rows, {"axes": np.array([1])} if name == "sum" else None)
    cases.add("nan_max", node("Max", "x r"), {**rows, "r": with_nan(ints(3, 37, seed=1), 0, 110)})
    cases.add("nan_clip", node("Clip", "x low high"), rows, {"low": F(-2), "high": F(2)})
    cases.add("nan_compare", [node("Less", "x r", "a"), node("Greater", "x r", "b"), node("Equal", "x x", "c")],
              {**rows, "r": with_nan(ints(3, 37, seed=1), 0)}, outputs="a b c")
    cases.add("nan_where", [node("Less", "x r", "m"), node("Where", "m x r")],
              {**rows, "r": with_nan(ints(3, 37, seed=1), 0)})
    infinite_parameters(cases)


def infinite_parameters(cases):
    """A batch norm keeps its order where a parameter is infinite, alone and behind a convolution: (x - 0) * inf is infinite."""
    inf = np.inf
    parameters = {"g": F([inf, 1, 1, -inf, 2, 1]), "t": F([1, -inf, 2, 0, 1, 3]), "m": F([0, 1, inf, 0, np.nan, 1]),
                  "v": F([3, 3, 3, 3, 3, inf])}
    norm = node("BatchNormalization", "c g t m v", "y", epsilon=1.0)
    cases.close("inf_batch_norm", node("BatchNormalization", "x g t m v", epsilon=1.0), {"x": 4 * ints(2, 6, 3) + 1}, parameters)
    cases.close("inf_conv_batch_norm", [node("Conv", "x w", "c", kernel_shape=[3, 3], pads=[1, 1, 1, 1]), norm],
                {"x": ints(1, 4, 5, 5)}, {**parameters, "w": ints(6, 4, 3, 3)})
    cases.close("inf_conv_bias_batch_norm", [node("Conv", "x w b", "c", kernel_shape=[2], strides=[2]), norm],
                {"x": ints(2, 3, 8)}, {**parameters, "w": ints(6, 3, 2), "b": ints(6, seed=1)})
    # Every place of the window is an element and none is 0, so an infinite weight gives an infinity.
    weights = ints(8, 4, 3, 3)
    weights[1, 2, 0, 1], weights[5, 0, 2, 2] = inf, -inf
    cases.add("inf_conv_weights", [node("Conv", "x w", "c", kernel_shape=[3, 3]), node("Relu", "c")],
              {"x": 2 * ints(1, 4, 6, 6) + 1}, {"w": weights})
