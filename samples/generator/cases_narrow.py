"""Operators in f16 and bf16: what is kept between their steps must not be rounded, and constants of them must be right.

Expected values are computed in double precision and rounded once for every value that a model names.
"""
import math

import numpy as np

from .build import node
from .evaluate import OPERATORS
from .narrow import CODES, NarrowSample, Typed
from .numbers import ints, reals


def norm(x, axes, eps):
    mean = x.mean(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axis=axes, keepdims=True) + eps)


def per_channel(v, x):
    return v.reshape((1, -1) + (1,) * (x.ndim - 2))


def instance_norm(x, at, opset):
    out = norm(x[0], tuple(range(2, x[0].ndim)), at.get("epsilon", 1e-5))
    return [out * per_channel(x[1], out) + per_channel(x[2], out)]


def group_norm(x, at, opset):
    groups = at["num_groups"]
    parts = x[0].reshape(x[0].shape[0], groups, -1)
    parts = norm(parts, (2,), at.get("epsilon", 1e-5))
    if opset < 21:  # one scale for each group
        return [(parts * x[1].reshape(1, -1, 1) + x[2].reshape(1, -1, 1)).reshape(x[0].shape)]
    out = parts.reshape(x[0].shape)
    return [out * per_channel(x[1], out) + per_channel(x[2], out)]


def rms_norm(x, at, opset):
    axes = tuple(range(at.get("axis", -1) % x[0].ndim, x[0].ndim))
    return [x[0] / np.sqrt((x[0] ** 2).mean(axis=axes, keepdims=True) + at.get("epsilon", 1e-5)) * x[1]]


def layer_norm(x, at, opset):
    return OPERATORS["LayerNormalization"](x, at, opset)[:1]


def mean_variance(x, at, opset):
    axes = tuple(at.get("axes", [0, 2, 3]))
    centred = x[0] - x[0].mean(axis=axes, keepdims=True)
    return [centred / (np.sqrt((centred**2).mean(axis=axes, keepdims=True)) + 1e-9)]


def log_softmax(x, at, opset):
    axis = at.get("axis", -1)
    shifted = x[0] - x[0].max(axis=axis, keepdims=True)
    return [shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))]


def reduced(function):
    def run(x, at, opset):
        axes = at.get("axes", range(x[0].ndim)) if len(x) < 2 else x[1].tolist()
        return [function(x[0], tuple(axis % x[0].ndim for axis in axes), bool(at.get("keepdims", 1)))]

    return run


def log_sum_exp(x, axes, keep):
    largest = x.max(axis=axes, keepdims=True)
    out = np.log(np.exp(x - largest).sum(axis=axes, keepdims=True)) + largest
    return out if keep else out.squeeze(axes)


def lp_pool(x, at, opset):
    p, windows = at.get("p", 2), OPERATORS["AveragePool"]([abs(x[0]) ** at.get("p", 2)], dict(at, count_include_pad=1), opset)
    return [(windows[0] * math.prod(at["kernel_shape"])) ** (1 / p)]


def scores(q, k, v, scale, softcap=0.0, causal=False):
    s = q @ np.swapaxes(k, -1, -2) * scale
    if softcap:
        s = softcap * np.tanh(s / softcap)
    if causal:
        s = np.where(np.tril(np.ones(s.shape[-2:], dtype=bool)), s, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


def heads(x, count):
    return x.reshape(x.shape[0], x.shape[1], count, -1).transpose(0, 2, 1, 3)


def attention(x, at, opset):
    return [scores(x[0], x[1], x[2], at.get("scale", 1 / math.sqrt(x[0].shape[-1])), at.get("softcap", 0.0),
                   bool(at.get("is_causal", 0)))]


def multi_head(x, at, opset):
    count = at["num_heads"]
    q, k, v = (heads(part, count) for part in x[:3])
    out = scores(q, k, v, at.get("scale", 1 / math.sqrt(q.shape[-1])))
    return [out.transpose(0, 2, 1, 3).reshape(x[0].shape)]


def bias_gelu(x, at, opset):
    return OPERATORS["Gelu"]([x[0] + x[1]], at, opset)


def cum_sum(x, at, opset):
    return [np.cumsum(x[0], axis=int(x[1]))]


def eye_like(x, at, opset):
    return [np.eye(*x[0].shape)]


def negative_log(x, at, opset):
    return [np.asarray(-np.take_along_axis(x[0], x[1][:, None], axis=1).mean())]


def cross_entropy(x, at, opset):
    return negative_log([log_softmax([x[0]], {"axis": 1}, opset)[0], x[1]], at, opset)


NARROW = {
    **OPERATORS,
    "InstanceNormalization": instance_norm,
    "GroupNormalization": group_norm,
    "RMSNormalization": rms_norm,
    "LayerNormalization": layer_norm,
    "MeanVarianceNormalization": mean_variance,
    "LogSoftmax": log_softmax,
    "ReduceL1": reduced(lambda x, axes, keep: abs(x).sum(axis=axes, keepdims=keep)),
    "ReduceL2": reduced(lambda x, axes, keep: np.sqrt((x**2).sum(axis=axes, keepdims=keep))),
    "ReduceSumSquare": reduced(lambda x, axes, keep: (x**2).sum(axis=axes, keepdims=keep)),
    "ReduceLogSum": reduced(lambda x, axes, keep: np.log(x.sum(axis=axes, keepdims=keep))),
    "ReduceLogSumExp": reduced(log_sum_exp),
    "LpPool": lp_pool,
    "GlobalLpPool": lambda x, at, opset: [(abs(x[0]) ** at.get("p", 2)).sum(axis=(2, 3), keepdims=True) ** (1 / at.get("p", 2))],
    "Attention": attention,
    "MultiHeadAttention": multi_head,
    "BiasGelu": bias_gelu,
    "CumSum": cum_sum,
    "EyeLike": eye_like,
    "Trilu": lambda x, at, opset: [np.triu(x[0]) if at.get("upper", 1) else np.tril(x[0])],
    "Einsum": lambda x, at, opset: [np.einsum(at["equation"], *x)],
    "Log": lambda x, at, opset: [np.log(x[0])],
    "NegativeLogLikelihoodLoss": negative_log,
    "SoftmaxCrossEntropyLoss": cross_entropy,
    "FusedMatMul": lambda x, at, opset: [at.get("alpha", 1.0) * (x[0] @ x[1])],
}


class Narrow:
    """Cases of one element type; names begin with it."""

    def __init__(self, element):
        self.element = element
        self.samples = []

    def __call__(self, values):
        return Typed(self.element, values)

    def add(self, name, nodes, feeds, weights=None, **options):
        name = f"{self.element}_{name}"
        try:
            self.samples.append(NarrowSample(name, NARROW, nodes, feeds, weights, **options))
        except Exception as error:
            raise ValueError(f"case {name}: {error}") from error


def norms(n):
    near = 1000 + ints(2, 8)
    ones, none, some = n(np.ones(8)), n(np.zeros(8)), n(reals(8, seed=3))
    for name, x, eps in (("offset", near, 1e-5), ("large", 300 * reals(2, 8), 1e-5), ("small", 1e-3 * reals(2, 8), 1e-12),
                         ("constant", np.full((2, 8), 3.0), 1e-12)):
        n.add(f"layer_norm_{name}", node("LayerNormalization", "x g b", epsilon=eps), {"x": n(x)}, {"g": some, "b": none})
        n.add(f"rms_norm_{name}", node("RMSNormalization", "x g", epsilon=eps), {"x": n(x)}, {"g": some}, opset=23)
    n.add("layer_norm_two_axes", node("LayerNormalization", "x g b", axis=1), {"x": n(300 * reals(2, 3, 40))},
          {"g": n(reals(3, 40, seed=1)), "b": n(reals(3, 40, seed=2))})
    n.add("layer_norm_between_casts", [node("Cast", "x", "a", to=CODES[n.element]), node("LayerNormalization", "a g b", "c"),
                                       node("Cast", "c", to=CODES["f32"])],
          {"x": Typed("f32", near)}, {"g": ones, "b": none})
    image = 300 * reals(2, 4, 5, 7)
    channels = {"s": n(reals(4, seed=1)), "b": n(reals(4, seed=2))}
    n.add("instance_norm", node("InstanceNormalization", "x s b"), {"x": n(image)}, channels)
    n.add("instance_norm_many", node("InstanceNormalization", "x s b", epsilon=1e-6), {"x": n(reals(1, 4, 70, 70))}, channels)
    n.add("group_norm_21", node("GroupNormalization", "x s b", num_groups=2), {"x": n(image)}, channels, opset=21)
    n.add("group_norm_21_free", node("GroupNormalization", "x s b", num_groups=4), {"x": n(image)}, channels, opset=21,
          shapes={"x": ["N", 4, "H", "W"], "y": ["N", 4, "H", "W"]})
    n.add("group_norm_18", node("GroupNormalization", "x s b", num_groups=4), {"x": n(image)}, channels, opset=18)
    n.add("mean_variance", node("MeanVarianceNormalization", "x"), {"x": n(image)})
    statistics = {"g": n(reals(4, low=0.5, high=2, seed=1)), "t": n(reals(4, seed=2)), "m": n(1000 + reals(4, seed=3)),
                  "v": n(reals(4, low=0.01, high=2, seed=4))}
    n.add("batch_norm_large_mean", node("BatchNormalization", "x g t m v"), {"x": n(1000 + 2 * ints(2, 4, 5))}, statistics)
    n.add("batch_norm_of_inputs", node("BatchNormalization", "x g t m v", epsilon=1e-3), {"x": n(1000 + 2 * ints(2, 4, 5)), **statistics})
    n.add("conv_batch_norm", [node("Conv", "x w", "c"), node("BatchNormalization", "c g t m v", "b"), node("Relu", "b")],
          {"x": n(reals(1, 3, 6, 6))}, {"w": n(reals(4, 3, 3, 3, seed=5)), **statistics, "m": n(np.zeros(4))}, summed="c")
    n.add("conv_bias_batch_norm", [node("Conv", "x w q", "c"), node("BatchNormalization", "c g t m v")],
          {"x": n(reals(1, 3, 6, 6))}, {"w": n(reals(4, 3, 3, 3, seed=5)), "q": n(1000 + reals(4, seed=6)), **statistics}, summed="c")
    n.add("conv_batch_norm_of_zeros", [node("Conv", "x w", "c"), node("BatchNormalization", "c g t m v")],
          {"x": n(reals(1, 1, 3))}, {"w": n(np.ones((1, 1, 1))), "g": n([1]), "t": n([0]), "m": n([0]), "v": n([1])})
    n.add("lrn", node("LRN", "x", size=3), {"x": n(reals(1, 5, 4, 4, low=-200, high=200))})


def reductions(n):
    many = reals(2, 4099, low=0, high=60)
    for name in ("Mean", "L1", "L2", "LogSum", "LogSumExp"):
        n.add(f"reduce_{name.lower()}_many", node(f"Reduce{name}", "x", axes=[1]), {"x": n(many if name == "Mean" else many / 8)})
    n.add("reduce_mean_large", node("ReduceMean", "x", axes=[1], keepdims=0), {"x": n(np.full((1, 4), 60000.0))})
    n.add("reduce_mean_grouped", node("ReduceMean", "x", axes=[2, 3]), {"x": n(reals(2, 3, 64, 64, low=0, high=99))})
    n.add("reduce_mean_free", node("ReduceMean", "x", axes=[1]), {"x": n(many)}, shapes={"x": ["N", "K"], "y": ["N", 1]})
    # Counts that the type does not hold.
    n.add("reduce_mean_odd", node("ReduceMean", "x", axes=[1]), {"x": n(np.full((2, 2051 if n.element == "f16" else 257), 1.75))})
    n.add("reduce_l2_large", node("ReduceL2", "x", axes=[1]), {"x": n(300 * reals(3, 50))})
    n.add("reduce_l2_small", node("ReduceL2", "x", axes=[1]), {"x": n(1e-4 * reals(3, 50, low=1))})
    n.add("reduce_sum_square", node("ReduceSumSquare", "x", axes=[1]), {"x": n(reals(3, 500))})
    n.add("reduce_sum_there_and_back", node("ReduceSum", "x axes"), {"x": n(np.tile([60000.0, 50000, -60000, -49000], (2, 9)))},
          {"axes": Typed("i64", [1])})
    n.add("reduce_sum_of_ones", node("ReduceSum", "x axes", keepdims=0), {"x": n(np.ones((3, 3001)))}, {"axes": Typed("i64", [1])})
    n.add("reduce_prod_there_and_back", node("ReduceProd", "x", axes=[1]), {"x": n([[300.0, 300, 1 / 256, 1 / 256, 3]])})
    n.add("reduce_log_sum_exp_large", node("ReduceLogSumExp", "x", axes=[1]), {"x": n(1000 * reals(3, 40))})
    n.add("softmax_many", node("Softmax", "x"), {"x": n(reals(2, 3000))})
    n.add("softmax_large", node("Softmax", "x", axis=1), {"x": n(1000 * reals(2, 30, 3))})
    n.add("softmax_of_equals", node("Softmax", "x"), {"x": n(np.zeros((1, 2049)))})
    n.add("log_softmax_many", node("LogSoftmax", "x"), {"x": n(reals(2, 3000))})
    n.add("log_softmax_large", node("LogSoftmax", "x", axis=0), {"x": n(100 * reals(20, 3))})
    n.add("cum_sum", node("CumSum", "x axis"), {"x": n(np.ones((2, 3001)))}, {"axis": Typed("i64", np.array(1))})
    n.add("loss_of_likelihoods", node("NegativeLogLikelihoodLoss", "x t"), {"x": n(-9 * reals(3000, 3, low=0)), "t": Typed("i64", np.arange(3000) % 3)})
    n.add("loss_of_scores", node("SoftmaxCrossEntropyLoss", "x t"), {"x": n(20 * reals(3000, 3)), "t": Typed("i64", np.arange(3000) % 3)})
    n.add("mean_of_four", node("Mean", "a b c d"), {key: n(np.full(3, 60000.0)) for key in "abcd"})
    n.add("sum_there_and_back", node("Sum", "a b c"), {"a": n([60000.0, 1]), "b": n([50000.0, 2]), "c": n([-60000.0, 0.001])})


def windows(n):
    image = n(60000 * reals(1, 2, 6, 6, low=0.9, high=1))
    n.add("average_pool", node("AveragePool", "x", kernel_shape=[3, 3], strides=[2, 2]), {"x": image})
    n.add("average_pool_pads", node("AveragePool", "x", kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1), {"x": image})
    n.add("average_pool_1d", node("AveragePool", "x", kernel_shape=[5]), {"x": n(60000 * reals(1, 2, 9, low=0.9, high=1))})
    n.add("average_pool_long", node("AveragePool", "x", kernel_shape=[1, 3001]), {"x": n(reals(1, 1, 1, 3003, low=0, high=90))})
    n.add("global_average_pool", node("GlobalAveragePool", "x"), {"x": image})
    n.add("global_average_pool_many", node("GlobalAveragePool", "x"), {"x": n(reals(1, 2, 80, 80, low=0, high=50))})
    n.add("max_pool", node("MaxPool", "x", kernel_shape=[2, 2], strides=[2, 2]), {"x": image})
    n.add("lp_pool", node("LpPool", "x", kernel_shape=[2, 2], p=2), {"x": n(300 * reals(1, 2, 5, 5))})
    n.add("lp_pool_of_three", node("LpPool", "x", kernel_shape=[3, 3], p=3), {"x": n(50 * reals(1, 2, 5, 5))})
    n.add("global_lp_pool", node("GlobalLpPool", "x"), {"x": n(300 * reals(1, 2, 5, 5))})
    n.add("resize_linear", node("Resize", "x - - s", mode="linear", coordinate_transformation_mode="pytorch_half_pixel"), {"x": n(900 * reals(1, 2, 5, 4))}, {"s": Typed("i64", [1, 2, 10, 8])})


def products(n):
    a, b = reals(5, 300), reals(300, 7, seed=1)
    n.add("matmul", node("MatMul", "a b"), {"a": n(a), "b": n(b)})
    n.add("matmul_constant", node("MatMul", "a b"), {"a": n(a)}, {"b": n(b)})
    n.add("matmul_there_and_back", node("MatMul", "a b"), {"a": n(np.tile([250.0, 250], (2, 40))), "b": n(np.tile([[250.0], [-249.0]], (40, 3)))})
    n.add("matmul_bias_relu", [node("MatMul", "a b", "m"), node("Add", "m c", "s"), node("Relu", "s")], {"a": n(a)},
          {"b": n(b), "c": n(reals(7, seed=2))})
    n.add("gemm", node("Gemm", "a b c", alpha=0.5, beta=2.0), {"a": n(a), "b": n(b)}, {"c": n(reals(7, seed=2))})
    n.add("gemm_bias", node("Gemm", "a b c"), {"a": n(a)}, {"b": n(b), "c": n(-30 * np.ones(7))})
    n.add("gemm_bias_back", node("Gemm", "a b c"), {"a": n(np.full((2, 4), 150.0))}, {"b": n(np.full((4, 3), 150.0)), "c": n(np.full(3, -50000.0))})
    n.add("gemm_transposed", node("Gemm", "a b c", transA=1, transB=1, alpha=0.125), {"a": n(a.T), "b": n(b.T), "c": n(reals(5, 7, seed=2))})
    n.add("einsum_of_three", node("Einsum", "a b c", equation="ij,jk,kl->il"), {"a": n(reals(3, 40)), "b": n(40 * reals(40, 30, seed=1)), "c": n(reals(30, 4, seed=2) / 64)})
    n.add("fused_matmul", node("FusedMatMul", "a b", alpha=1 / 256, domain="com.microsoft"), {"a": n(200 * reals(3, 40)), "b": n(200 * reals(40, 5, seed=1))})
    x = n(reals(1, 4, 7, 7))
    w, bias = n(reals(6, 4, 3, 3, seed=1)), n(reals(6, seed=2))
    n.add("conv", node("Conv", "x w"), {"x": x}, {"w": w})
    n.add("conv_bias", node("Conv", "x w b", pads=[1, 1, 1, 1]), {"x": x}, {"w": w, "b": bias})
    n.add("conv_bias_back", node("Conv", "x w b"), {"x": n(np.full((1, 4, 4, 4), 60.0))}, {"w": n(np.full((6, 4, 3, 3), 40.0)), "b": n(np.full(6, -60000.0))})
    n.add("conv_bias_relu_free", [node("Conv", "x w b", "c"), node("Relu", "c")], {"x": x}, {"w": w, "b": bias},
          shapes={"x": ["N", 4, "H", "W"], "y": None})
    n.add("conv_of_inputs", node("Conv", "x w b", strides=[2, 2]), {"x": x, "w": w, "b": bias})
    n.add("conv_grouped", node("Conv", "x w b", group=2), {"x": x}, {"w": n(reals(6, 2, 3, 3, seed=1)), "b": bias})
    n.add("conv_1d", node("Conv", "x w b"), {"x": n(reals(1, 4, 9))}, {"w": n(reals(6, 4, 3, seed=1)), "b": bias})
    n.add("conv_transpose", node("ConvTranspose", "x w b", strides=[2, 2]), {"x": n(reals(1, 4, 3, 3))}, {"w": n(reals(4, 6, 2, 2, seed=1)), "b": bias})
    n.add("conv_scale", [node("Conv", "x w", "c"), node("Mul", "c k")], {"x": x}, {"w": w, "k": n(reals(1, 6, 1, 1, seed=3))})


def attentions(n):
    q, k, v = (n(60 * reals(1, 2, 5, 64, seed=seed)) for seed in (1, 2, 3))
    n.add("attention_large_scores", node("Attention", "q k v"), {"q": q, "k": k, "v": v}, opset=23)
    n.add("attention_causal_softcap", node("Attention", "q k v", is_causal=1, softcap=5.0),
          {"q": q, "k": k, "v": n(reals(1, 2, 5, 64, seed=3))}, opset=23)
    flat = {key: n(60 * reals(1, 5, 128, seed=seed)) for key, seed in (("q", 1), ("k", 2), ("v", 3))}
    n.add("multi_head_attention", node("MultiHeadAttention", "q k v", num_heads=2, domain="com.microsoft"), flat)
    n.add("bias_gelu", node("BiasGelu", "x b", domain="com.microsoft"), {"x": n(reals(3, 40))}, {"b": n(reals(40, seed=1))})


def constants(n):
    x = {"x": n(reals(3, 3))}
    table = n(ints(3, 3, low=-1, high=1))
    operand = [("folded_sub", [node("Sub", "k k", "c")], {"k": table}), ("trilu", [node("Trilu", "k", "c", upper=1)], {"k": n(np.full((3, 3), -100.0))}),
               ("tril", [node("Trilu", "k", "c", upper=0)], {"k": n(np.ones((3, 3)))}),
               ("eye_like", [node("EyeLike", "k", "c", dtype=CODES[n.element])], {"k": Typed("f32", np.zeros((3, 3)))}),
               ("underflow", [node("Mul", "k k", "c")], {"k": n(np.full((3, 3), 1e-6 if n.element == "f16" else 1e-30))}),
               ("transposed", [node("Transpose", "k", "c")], {"k": table}), ("gathered", [node("Gather", "k i", "c")], {"k": table, "i": Typed("i64", [2, 0, 1])}),
               ("relu", [node("Relu", "k", "c")], {"k": table}),
               ("where", [node("Where", "w k z", "c")], {"w": Typed("bool", np.eye(3)), "k": table, "z": n(np.zeros((3, 3)))}),
               ("cast_int", [node("Cast", "k", "c", to=CODES[n.element])], {"k": Typed("i64", ints(3, 3))}),
               ("cast_bool", [node("Cast", "k", "c", to=CODES[n.element])], {"k": Typed("bool", np.eye(3))}),
               ("cast_float", [node("Cast", "k", "c", to=CODES[n.element])], {"k": Typed("f32", reals(3, 3, seed=2))}),
               ("concat", [node("Concat", "k l", "c", axis=0)], {"k": n(np.zeros((1, 3))), "l": n(np.ones((2, 3)))}),
               ("zeros", [], {"c": n(np.zeros((3, 3)))})]
    for name, nodes, weights in operand:
        n.add(f"constant_{name}", [*nodes, node("Add", "x c")], x, weights)
    n.add("constant_range", [node("Range", "a b s", "r"), node("Cast", "r", "c", to=CODES[n.element]), node("Add", "x c")],
          {"x": n(reals(3))}, {"a": Typed("i64", np.array(0)), "b": Typed("i64", np.array(3)), "s": Typed("i64", np.array(1))})
    n.add("pad_with_zero", node("Pad", "x pads z"), x, {"pads": Typed("i64", [1, 0, 0, 2]), "z": n(np.array(0.0))})
    n.add("clip_from_zero", node("Clip", "x z"), x, {"z": n(np.array(0.0))})
    n.add("pow_of_f32", node("Pow", "x e"), {"x": n(reals(40, low=0.1, high=9))}, {"e": Typed("f32", np.array(2.3))})


def casts(n):
    """Numbers of 16 bits, and halves between two of them, a little less and a little more. (tests/tensor/test_conversions.cpp
    has all of them.)"""
    bits = np.arange(65536, dtype=np.uint16)
    with np.errstate(invalid="ignore"):
        all_f16 = bits.view(np.float16).astype(np.float64)
        all_bf16 = (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    every = all_f16 if n.element == "f16" else all_bf16
    own = np.sort(every[np.isfinite(every)])
    for to in ("bf16" if n.element == "f16" else "f16", "f32", "f64"):
        n.add(f"cast_to_{to}", node("Cast", "x", to=CODES[to]), {"x": n(own[::11])})
    middle = np.concatenate([((own[1:] + own[:-1]) / 2)[::17], [own[-1] + (own[-1] - own[-2]) / 2]])
    for source in ("f32", "f64"):
        near = Typed(source, middle).values
        lower, upper = (np.nextafter(near.astype(np.float32 if source == "f32" else np.float64), end).astype(np.float64) for end in (-np.inf, np.inf))
        n.add(f"cast_of_{source}", node("Cast", "x", to=CODES[n.element]), {"x": Typed(source, np.concatenate([near, lower, upper]))})
    whole = [sign * (base + (1 << p - 8) + off) for p in range(9, 63) for base in (1 << p, (1 << p) + (1 << p - 7)) for off in (-1, 0, 1) for sign in (1, -1)]
    n.add("cast_of_i64", node("Cast", "x", to=CODES[n.element]), {"x": Typed("i64", np.array(whole, dtype=np.int64))})
    n.add("cast_of_i32", node("Cast", "x", to=CODES[n.element]), {"x": Typed("i32", np.array([v for v in whole if abs(v) < 1 << 31], dtype=np.int32))})


def all_narrow():
    samples = []
    for element in ("f16", "bf16"):
        narrow = Narrow(element)
        for part in (norms, reductions, windows, products, attentions, constants, casts):
            part(narrow)
        samples += narrow.samples
    return samples
