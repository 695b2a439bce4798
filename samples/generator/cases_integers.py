"""Products and sums of eight bits: every pair of types, zero points of every shape, what lies around images, the ends of the types."""
import numpy as np

from .build import node
from .numbers import reals, stream, whole

F = np.float32
ORT = "com.microsoft"
TYPES = {"i8": np.int8, "u8": np.uint8}


def bits(dtype, *shape, seed=0):
    """All numbers of the type, its ends among them."""
    limits = np.iinfo(dtype)
    out = stream(shape, seed).integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)
    if out.size > 1:
        out.flat[0], out.flat[-1] = limits.min, limits.max
    return out


def pairs():
    return [(f"{a}_{b}", TYPES[a], TYPES[b]) for a in TYPES for b in TYPES]


def products(cases):
    for name, A, B in pairs():
        feeds = {"a": bits(A, 3, 7), "b": bits(B, 7, 5, seed=1)}
        zeros = {"za": A(100), "zb": B(3)}
        cases.add(f"matmul_integer_{name}", node("MatMulInteger", "a b"), feeds, opset=10)
        cases.add(f"matmul_integer_{name}_zeros", node("MatMulInteger", "a b za zb"), feeds, zeros, opset=10)
        cases.add(f"matmul_integer_{name}_zero_columns", node("MatMulInteger", "a b za zb"), feeds,
                  {"za": bits(A, 1, seed=2), "zb": bits(B, 5, seed=3)}, opset=10)
        cases.add(f"qlinear_matmul_{name}", node("QLinearMatMul", "a sa za b sb zb sy zy"), feeds,
                  {"sa": F(0.5), "za": A(7), "sb": F(0.25), "zb": B(0), "sy": F(64), "zy": A(5)}, opset=10)
    a, b = {"a": bits(np.uint8, 3, 7)}, {"b": bits(np.int8, 7, 5, seed=1)}
    rows = {"za": bits(np.uint8, 3, seed=4)}
    cases.add("matmul_integer_zero_rows", node("MatMulInteger", "a b za"), {**a, **b, **rows}, opset=10)
    cases.add("matmul_integer_second_zero", node("MatMulInteger", "a b - zb"), {**a, **b}, {"zb": bits(np.int8, 5)}, opset=10)
    cases.add("matmul_integer_batches", node("MatMulInteger", "a b za zb"),
              {"a": bits(np.uint8, 2, 1, 3, 4), "b": bits(np.int8, 3, 4, 2)}, {"za": np.uint8(9), "zb": np.int8(-9)}, opset=10)
    cases.add("matmul_integer_vector", node("MatMulInteger", "a b"), {"a": bits(np.uint8, 2, 3, 4), "b": bits(np.int8, 4)}, opset=10)
    cases.add("matmul_integer_vectors", node("MatMulInteger", "a b za"), {"a": bits(np.uint8, 4), "b": bits(np.int8, 4)},
              {"za": np.uint8(200)}, opset=10)
    cases.add("matmul_integer_row", node("MatMulInteger", "a b"), {"a": bits(np.uint8, 4), "b": bits(np.int8, 2, 4, 3)}, opset=10)
    cases.add("matmul_integer_of_nothing", node("MatMulInteger", "a b za"), {"a": bits(np.uint8, 3, 0), "b": bits(np.int8, 0, 2)},
              {"za": np.uint8(1)}, opset=10)
    sizes = [{"a": bits(np.uint8, m, 6), "b": bits(np.int8, 6, 4)} for m in (3, 1, 9)]
    cases.add("matmul_integer_free", node("MatMulInteger", "a b za"), sizes, {"za": np.uint8(77)}, opset=10,
              shapes={"a": ("M", 6), "y": ("M", 4)})
    cases.add("qlinear_matmul_by_rows_and_columns", node("QLinearMatMul", "a sa za b sb zb sy zy"), {**a, **b},
              {"sa": whole([0.5, 0.25, 1], F), **rows, "sb": whole([1, 2, 0.5, 1, 0.125], F), "zb": bits(np.int8, 5, seed=5),
               "sy": F(32), "zy": np.uint8(128)}, opset=10)
    cases.add("qlinear_matmul_halves_to_even", node("QLinearMatMul", "a sa za b sb zb sy zy"),
              {"a": whole([[1], [3], [5], [254]], np.uint8), "b": whole([[1, -1]], np.int8)},
              {"sa": F(0.5), "za": np.uint8(0), "sb": F(1), "zb": np.int8(0), "sy": F(1), "zy": np.uint8(3)}, opset=10)


def images(cases):
    for name, X, W in pairs():
        feeds = {"x": bits(X, 1, 2, 5, 6)}
        filters = {"w": bits(W, 3, 2, 3, 3, seed=1)}
        cases.add(f"conv_integer_{name}", node("ConvInteger", "x w zx zw", pads=[1, 1, 1, 1]), feeds,
                  {**filters, "zx": X(90), "zw": W(2)}, opset=10)
        cases.add(f"qlinear_conv_{name}", node("QLinearConv", "x sx zx w sw zw sy zy b", pads=[1, 0, 1, 2], strides=[2, 1]), feeds,
                  {"sx": F(0.5), "zx": X(90), **filters, "sw": whole([0.25, 0.5, 1], F), "zw": bits(W, 3, seed=2), "sy": F(128),
                   "zy": X(60), "b": whole([1000, -2000, 30], np.int32)}, opset=10)
    x, w = {"x": bits(np.uint8, 1, 2, 5, 6)}, {"w": bits(np.int8, 3, 2, 3, 3, seed=1)}
    cases.add("conv_integer_plain", node("ConvInteger", "x w"), x, w, opset=10)
    cases.add("conv_integer_zero_filters", node("ConvInteger", "x w zx zw"), x, {**w, "zx": np.uint8(3), "zw": bits(np.int8, 3)}, opset=10)
    cases.add("conv_integer_same", node("ConvInteger", "x w zx", auto_pad="SAME_UPPER", strides=[2, 2]), x, {**w, "zx": np.uint8(44)}, opset=10)
    cases.add("conv_integer_dilated", node("ConvInteger", "x w zx", dilations=[2, 2], pads=[2, 2, 2, 2]), x, {**w, "zx": np.uint8(44)}, opset=10)
    cases.add("conv_integer_groups", node("ConvInteger", "x w zx", group=2), {"x": bits(np.uint8, 2, 4, 4, 4)},
              {"w": bits(np.int8, 6, 2, 2, 2), "zx": np.uint8(44)}, opset=10)
    cases.add("conv_integer_one_axis", node("ConvInteger", "x w zx", pads=[2, 1]), {"x": bits(np.uint8, 1, 2, 9)},
              {"w": bits(np.int8, 3, 2, 3), "zx": np.uint8(44)}, opset=10)
    cases.add("conv_integer_three_axes", node("ConvInteger", "x w zx", pads=[1, 0, 1, 1, 0, 1]), {"x": bits(np.uint8, 1, 2, 3, 4, 3)},
              {"w": bits(np.int8, 2, 2, 2, 3, 2), "zx": np.uint8(44)}, opset=10)
    sizes = [{"x": bits(np.uint8, n, 2, h, 6)} for n, h in ((1, 5), (2, 4))]
    cases.add("conv_integer_free", node("ConvInteger", "x w zx", pads=[1, 1, 1, 1]), sizes, {**w, "zx": np.uint8(9)}, opset=10,
              shapes={"x": ("N", 2, "H", 6), "y": ("N", 3, "H", 6)})
    cases.add("qlinear_conv_one_axis", node("QLinearConv", "x sx zx w sw zw sy zy b"), {"x": bits(np.uint8, 1, 2, 9)},
              {"sx": F(0.5), "zx": np.uint8(9), "w": bits(np.int8, 3, 2, 3), "sw": F(0.5), "zw": np.int8(0), "sy": F(64), "zy": np.uint8(99),
               "b": whole([5, 6, 7], np.int32)}, opset=10)
    cases.add("qlinear_conv_of_ort", node("QLinearConv", "x sx zx w sw zw sy zy", domain=ORT), x,
              {"sx": F(0.5), "zx": np.uint8(9), **w, "sw": F(0.5), "zw": np.int8(0), "sy": F(64), "zy": np.uint8(99)}, opset=11)


def of_ort(cases):
    a, b = {"a": bits(np.uint8, 3, 7)}, {"b": bits(np.int8, 7, 5, seed=1)}
    scales = {"sa": F(0.5), "sb": whole([1, 2, 0.5, 1, 0.125], F)}
    cases.close("matmul_integer_to_float", node("MatMulIntegerToFloat", "a b sa sb", domain=ORT), a, {**b, **scales}, opset=11)
    cases.close("matmul_integer_to_float_all", node("MatMulIntegerToFloat", "a b sa sb za zb c", domain=ORT), a,
                {**b, **scales, "za": np.uint8(120), "zb": bits(np.int8, 5), "c": reals(5)}, opset=11)
    rows = {"a": reals(4, 9, low=-1, high=3)}
    weights = {"b": bits(np.int8, 9, 5), "sb": whole([1, 2, 0.5, 1, 0.125], F)}
    cases.close("dynamic_quantize_matmul", node("DynamicQuantizeMatMul", "a b sb", domain=ORT), rows, weights, opset=11)
    cases.close("dynamic_quantize_matmul_all", node("DynamicQuantizeMatMul", "a b sb zb c", domain=ORT), rows,
                {**weights, "zb": bits(np.int8, 5), "c": reals(5)}, opset=11)
    gemm = {"sa": F(0.5), "za": np.uint8(120), "b": bits(np.int8, 5, 7), "sb": F(0.25), "zb": np.int8(3)}
    cases.close("qgemm_float", node("QGemm", "a sa za b sb zb", transB=1, alpha=2.0, domain=ORT), a, gemm, opset=11)
    cases.add("qgemm", node("QGemm", "a sa za b sb zb c sy zy", transB=1, domain=ORT), a,
              {**gemm, "c": whole([100, -200, 300, 0, 9], np.int32), "sy": F(32), "zy": np.uint8(100)}, opset=11)
    two = {"a": bits(np.uint8, 2, 3, 4), "b": bits(np.uint8, 3, 4, seed=1)}
    how = {"sa": F(0.5), "za": np.uint8(100), "sb": F(0.25), "zb": np.uint8(3), "sy": F(1), "zy": np.uint8(90)}
    for name in ("Add", "Mul"):
        cases.add(f"qlinear_{name.lower()}", node(f"QLinear{name}", "a sa za b sb zb sy zy", domain=ORT), two,
                  {**how, "sy": F(1 if name == "Add" else 64)}, opset=11)
        cases.add(f"qlinear_{name.lower()}_i8", node(f"QLinear{name}", "a sa za b sb zb sy zy", domain=ORT),
                  {"a": bits(np.int8, 2, 3, 4), "b": bits(np.int8, 3, 4, seed=1)},
                  {**{k: np.int8(v) if v.dtype == np.uint8 else v for k, v in how.items()}, "sy": F(1 if name == "Add" else 64)}, opset=11)
    x, one = {"x": bits(np.uint8, 2, 3, 4, 4)}, {"s": F(0.0625), "z": np.uint8(128), "sy": F(1 / 256), "zy": np.uint8(0)}
    cases.add("qlinear_sigmoid", node("QLinearSigmoid", "x s z sy zy", domain=ORT), x, one, opset=11)
    cases.add("qlinear_leaky_relu", node("QLinearLeakyRelu", "x s z sy zy", alpha=0.25, domain=ORT), x,
              {**one, "sy": F(0.0625), "zy": np.uint8(100)}, opset=11)
    cases.add("qlinear_global_average_pool", node("QLinearGlobalAveragePool", "x s z sy zy", domain=ORT), x,
              {**one, "sy": F(0.0625), "zy": np.uint8(100)}, opset=11)


def four_bits(cases):
    for name, depth, block in (("whole_blocks", 64, 32), ("part_of_a_block", 40, 16), ("one_block", 7, 16)):
        blocks = -(-depth // block)
        rows = {"a": reals(2, 3, depth)}
        at = {"N": 5, "K": depth, "bits": 4, "block_size": block, "domain": ORT}
        weights = {"b": bits(np.uint8, 5, blocks, block // 2), "s": reals(5 * blocks, low=0.1, high=1)}
        cases.close(f"four_bits_{name}", node("MatMulNBits", "a b s", **at), rows, weights, opset=11)
        cases.close(f"four_bits_{name}_zeros", node("MatMulNBits", "a b s z", **at), rows,
                    {**weights, "z": bits(np.uint8, 5 * (-(-blocks // 2)), seed=7)}, opset=11)
    cases.close("four_bits_term", node("MatMulNBits", "a b s - - c", **at), rows, {**weights, "c": reals(5, seed=9)}, opset=11)


def add_to(cases):
    for part in (products, images, of_ort, four_bits):
        part(cases)
