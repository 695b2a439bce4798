"""Convolutions and pools: pads, strides, dilations, groups, odd sizes, automatic pads, free dimensions."""
import numpy as np

from .build import node
from .numbers import ints, reals

F = np.float32


def conv(cases, name, x, w, bias=False, opset=11, operator="Conv", **attributes):
    weights = {"w": ints(*w, low=-3, high=3, seed=1)}
    attributes.setdefault("kernel_shape", list(w[2:]))
    if bias:
        weights["b"] = ints((w[1] * attributes.get("group", 1)) if operator == "ConvTranspose" else w[0], seed=2)
    cases.add(name, node(operator, "x w b" if bias else "x w", **attributes), {"x": ints(*x)}, weights, opset=opset)


def convolutions(cases):
    ones = [1] * 4
    conv(cases, "conv_1x1", (1, 3, 4, 5), (6, 3, 1, 1))
    conv(cases, "conv_1x1_bias", (2, 5, 3, 3), (7, 5, 1, 1), bias=True)
    conv(cases, "conv_1x1_stride_2", (1, 4, 7, 9), (8, 4, 1, 1), strides=[2, 2])
    for size in (1, 2, 3, 5, 7, 8, 16, 17):
        conv(cases, f"conv_3x3_same_size_{size}", (1, 2, size, size), (3, 2, 3, 3), pads=ones, bias=size % 2 == 1)
    conv(cases, "conv_3x3_wide", (1, 3, 5, 33), (4, 3, 3, 3), pads=ones)
    conv(cases, "conv_3x3_no_pads", (1, 2, 6, 7), (4, 2, 3, 3), opset=7)
    conv(cases, "conv_3x3_stride_2", (1, 3, 9, 11), (5, 3, 3, 3), pads=ones, strides=[2, 2], bias=True)
    conv(cases, "conv_3x3_stride_2_even", (1, 3, 8, 10), (16, 3, 3, 3), pads=ones, strides=[2, 2])
    conv(cases, "conv_strides_differ", (1, 2, 9, 9), (3, 2, 3, 3), strides=[1, 3])
    conv(cases, "conv_5x5", (1, 2, 9, 8), (3, 2, 5, 5), pads=[2] * 4)
    conv(cases, "conv_7x7_stride_2", (1, 3, 17, 17), (8, 3, 7, 7), pads=[3] * 4, strides=[2, 2], bias=True)
    conv(cases, "conv_1x3", (1, 2, 5, 7), (3, 2, 1, 3), pads=[0, 1, 0, 1])
    conv(cases, "conv_3x1", (1, 2, 5, 7), (3, 2, 3, 1), pads=[1, 0, 1, 0])
    conv(cases, "conv_2x2", (1, 2, 5, 5), (3, 2, 2, 2))
    conv(cases, "conv_kernel_is_input", (2, 3, 4, 5), (6, 3, 4, 5), bias=True)
    conv(cases, "conv_pads_differ", (1, 2, 5, 6), (3, 2, 3, 3), pads=[0, 1, 2, 0])
    conv(cases, "conv_pads_larger_than_needed", (1, 1, 3, 3), (2, 1, 2, 2), pads=[2, 2, 2, 2])
    conv(cases, "conv_dilated", (1, 2, 9, 9), (3, 2, 3, 3), dilations=[2, 2], pads=[2] * 4)
    conv(cases, "conv_dilations_differ", (1, 2, 9, 11), (3, 2, 3, 3), dilations=[1, 3], strides=[2, 1])
    conv(cases, "conv_groups", (1, 6, 5, 5), (8, 3, 3, 3), group=2, pads=ones, bias=True)
    conv(cases, "conv_groups_1x1", (2, 9, 3, 4), (6, 3, 1, 1), group=3)
    conv(cases, "conv_depthwise", (1, 7, 6, 6), (7, 1, 3, 3), group=7, pads=ones, bias=True)
    conv(cases, "conv_depthwise_stride_2", (1, 5, 7, 8), (5, 1, 3, 3), group=5, pads=ones, strides=[2, 2])
    conv(cases, "conv_depthwise_multiplier", (1, 3, 5, 5), (6, 1, 3, 3), group=3, pads=ones)
    conv(cases, "conv_depthwise_17_channels", (1, 17, 4, 4), (17, 1, 3, 3), group=17, pads=ones)
    conv(cases, "conv_one_channel", (1, 1, 8, 8), (1, 1, 3, 3), pads=ones)
    conv(cases, "conv_many_outputs", (1, 3, 4, 4), (33, 3, 3, 3), pads=ones)
    conv(cases, "conv_many_inputs", (1, 35, 3, 3), (4, 35, 3, 3), pads=ones)
    conv(cases, "conv_same_upper", (1, 2, 5, 6), (3, 2, 3, 3), auto_pad="SAME_UPPER", strides=[2, 2])
    conv(cases, "conv_same_upper_even_kernel", (1, 2, 5, 6), (3, 2, 2, 4), auto_pad="SAME_UPPER")
    conv(cases, "conv_same_lower_even_kernel", (1, 2, 5, 6), (3, 2, 2, 4), auto_pad="SAME_LOWER")
    conv(cases, "conv_valid", (1, 2, 5, 6), (3, 2, 3, 3), auto_pad="VALID", strides=[2, 2])
    conv(cases, "conv_1d", (2, 3, 9), (4, 3, 3), pads=[1, 1], bias=True)
    conv(cases, "conv_3d", (1, 2, 4, 5, 3), (3, 2, 3, 3, 2), bias=True)
    conv(cases, "conv_batch_0", (0, 2, 5, 5), (3, 2, 3, 3), pads=ones)
    weights = {"w": ints(3, 2, 3, 3, seed=1), "b": ints(3, seed=2)}
    no_shape = node("Conv", "x w b")
    cases.add("conv_no_kernel_shape", no_shape, {"x": ints(1, 2, 5, 5)}, weights)
    cases.add("conv_weights_are_inputs", no_shape, {"x": ints(1, 2, 5, 5), **weights})
    same = node("Conv", "x w b", "c", kernel_shape=[3, 3], pads=ones)
    cases.add("conv_relu", [same, node("Relu", "c")], {"x": ints(1, 2, 6, 7)}, weights)
    cases.add("conv_add_relu", [same, node("Add", "c r", "a"), node("Relu", "a")],
              {"x": ints(1, 2, 6, 7), "r": ints(1, 3, 6, 7, seed=5)}, weights)
    cases.add("conv_twice", [same, node("Relu", "c", "r"), node("Conv", "r v", kernel_shape=[3, 3], strides=[2, 2])],
              {"x": ints(1, 2, 7, 7)}, {**weights, "v": ints(4, 3, 3, 3, seed=6)})
    cases.add("conv_free_batch", node("Conv", "x w b", kernel_shape=[3, 3], pads=ones),
              [{"x": ints(k, 2, 5, 5)} for k in (1, 3, 0, 2)], weights,
              shapes={"x": ["N", 2, 5, 5], "y": ["N", 3, 5, 5]})
    cases.add("conv_free_size", node("Conv", "x w b", kernel_shape=[3, 3], pads=ones),
              [{"x": ints(1, 2, h, w)} for h, w in ((1, 1), (2, 5), (7, 3), (17, 16))], weights,
              shapes={"x": [1, 2, "H", "W"], "y": [1, 3, "H", "W"]})


def transposed(cases):
    def up(name, x, w, **more):
        conv(cases, f"conv_transpose_{name}", x, w, operator="ConvTranspose", **more)

    up("plain", (1, 2, 4, 5), (2, 3, 3, 3), bias=True, opset=7)
    up("2x2_stride_2", (1, 3, 4, 5), (3, 4, 2, 2), strides=[2, 2], bias=True)
    up("stride_2_pads", (1, 2, 5, 4), (2, 3, 3, 3), strides=[2, 2], pads=[1] * 4)
    up("output_padding", (1, 2, 5, 4), (2, 3, 3, 3), strides=[2, 2], pads=[1] * 4, output_padding=[1, 1])
    up("output_padding_differs", (1, 2, 3, 3), (2, 1, 3, 3), strides=[3, 2], output_padding=[2, 0])
    up("pads_differ", (1, 2, 4, 4), (2, 2, 3, 3), pads=[0, 1, 2, 0])
    up("stride_3", (1, 1, 3, 3), (1, 2, 2, 2), strides=[3, 3])
    up("1x1", (1, 3, 4, 4), (3, 2, 1, 1))
    up("groups", (1, 4, 3, 3), (4, 2, 3, 3), group=2, strides=[2, 2])
    up("dilated", (1, 2, 3, 4), (2, 2, 3, 3), dilations=[2, 2])
    up("1d", (1, 2, 5), (2, 3, 3), strides=[2])
    cases.add("conv_transpose_relu", [node("ConvTranspose", "x w", "u", strides=[2, 2], kernel_shape=[2, 2]),
                                      node("Relu", "u")], {"x": ints(1, 3, 3, 5)}, {"w": ints(3, 2, 2, 2, seed=1)})


def pools(cases):
    def pool(name, x, kernel, opset=11, operator="MaxPool", scale=1, close=False, **attributes):
        add = cases.close if close else cases.add
        add(name, node(operator, "x", kernel_shape=kernel, **attributes), {"x": scale * ints(*x, low=-9, high=9)},
            opset=opset)

    ones = [1] * 4
    pool("max_pool_2x2", (1, 3, 6, 8), [2, 2], strides=[2, 2], opset=7)
    pool("max_pool_stride_1", (1, 2, 5, 5), [2, 2])
    pool("max_pool_3x3_pads", (1, 3, 7, 7), [3, 3], strides=[2, 2], pads=ones)
    pool("max_pool_odd", (2, 1, 7, 5), [2, 2], strides=[2, 2], opset=8)
    pool("max_pool_ceil", (1, 2, 6, 8), [3, 3], strides=[2, 2], ceil_mode=1, opset=10)
    pool("max_pool_ceil_pads", (1, 2, 8, 10), [3, 3], strides=[2, 2], pads=[0, 0, 1, 1], ceil_mode=1)
    pool("max_pool_dilated", (1, 2, 9, 9), [3, 3], dilations=[2, 2], opset=10)
    pool("max_pool_pads_differ", (1, 2, 5, 6), [3, 2], pads=[1, 0, 2, 1])
    pool("max_pool_same_upper", (1, 2, 5, 6), [3, 3], strides=[2, 2], auto_pad="SAME_UPPER")
    pool("max_pool_same_lower", (1, 2, 5, 6), [2, 2], auto_pad="SAME_LOWER")
    pool("max_pool_valid", (1, 2, 5, 6), [3, 3], strides=[2, 2], auto_pad="VALID")
    pool("max_pool_1d", (1, 3, 9), [3], strides=[2])
    pool("max_pool_negative_only", (1, 1, 3, 3), [3, 3], pads=ones, opset=12)
    average = {"operator": "AveragePool", "scale": 4}
    pool("average_pool_2x2", (1, 3, 6, 8), [2, 2], strides=[2, 2], opset=7, **average)
    pool("average_pool_4x4", (1, 2, 4, 5), [4, 4], operator="AveragePool", scale=16)
    pool("average_pool_global_kernel", (1, 2, 2, 8), [2, 8], operator="AveragePool", scale=16)
    pool("average_pool_excludes_pads", (1, 2, 6, 6), [2, 2], strides=[2, 2], pads=ones, **average)
    pool("average_pool_counts_pads", (1, 2, 6, 6), [2, 2], strides=[2, 2], pads=ones, count_include_pad=1, **average)
    for count in (0, 1):
        pool(f"average_pool_3x3_count_{count}", (1, 2, 7, 5), [3, 3], strides=[2, 2], pads=ones, close=True,
             count_include_pad=count, operator="AveragePool")
    pool("average_pool_pads_differ", (1, 2, 5, 6), [3, 3], pads=[0, 1, 2, 1], close=True, operator="AveragePool")
    pool("average_pool_ceil", (1, 2, 6, 6), [3, 3], strides=[2, 2], ceil_mode=1, close=True, opset=10,
         operator="AveragePool")
    pool("average_pool_same_upper", (1, 2, 5, 6), [2, 2], auto_pad="SAME_UPPER", **average)
    pool("average_pool_1d", (1, 3, 8), [2], strides=[2], **average)
    for operator, name in (("GlobalAveragePool", "global_average_pool"), ("GlobalMaxPool", "global_max_pool")):
        cases.add(f"{name}_4d", node(operator, "x"), {"x": 8 * ints(2, 3, 2, 4)}, opset=7)
        cases.add(f"{name}_1x1", node(operator, "x"), {"x": ints(2, 5, 1, 1)})
        cases.add(f"{name}_3d", node(operator, "x"), {"x": 8 * ints(2, 3, 8)})
    cases.close("global_average_pool_7x7", node("GlobalAveragePool", "x"), {"x": reals(1, 17, 7, 7)})
    cases.add("max_pool_free_batch", node("MaxPool", "x", kernel_shape=[2, 2], strides=[2, 2]),
              [{"x": ints(k, 2, 5, 4)} for k in (1, 3, 0)], shapes={"x": ["N", 2, 5, 4], "y": ["N", 2, 2, 2]})


def add_to(cases):
    for part in (convolutions, transposed, pools):
        part(cases)
