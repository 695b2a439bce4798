"""Matrix products, normalisations and reductions."""
import numpy as np

from .build import node
from .numbers import ints, reals, whole

F = np.float32


def products(cases):
    n = node("MatMul", "x w")
    for rows, inner, columns in ((1, 1, 1), (2, 3, 4), (5, 17, 7), (17, 16, 33), (1, 64, 10), (33, 5, 1)):
        cases.add(f"matmul_{rows}x{inner}x{columns}", n, {"x": ints(rows, inner)}, {"w": ints(inner, columns, seed=1)})
    cases.add("matmul_two_inputs", n, {"x": ints(6, 9), "w": ints(9, 8, seed=1)})
    cases.add("matmul_batched", n, {"x": ints(3, 2, 5), "w": ints(3, 5, 4, seed=1)})
    cases.add("matmul_batch_broadcast", n, {"x": ints(2, 1, 3, 5), "w": ints(4, 5, 2, seed=1)})
    cases.add("matmul_shared_weight", n, {"x": ints(2, 7, 5)}, {"w": ints(5, 9, seed=1)})
    cases.add("matmul_left_weight", node("MatMul", "w x"), {"x": ints(2, 5, 9)}, {"w": ints(7, 5, seed=1)}, opset=9)
    cases.add("matmul_vector_right", n, {"x": ints(4, 5), "w": ints(5, seed=1)})
    cases.add("matmul_vector_left", n, {"x": ints(5), "w": ints(5, 4, seed=1)})
    cases.add("matmul_vectors", n, {"x": ints(5), "w": ints(5, seed=1)})
    cases.add("matmul_vector_batch", n, {"x": ints(5), "w": ints(2, 5, 3, seed=1)})
    cases.add("matmul_empty_inner", n, {"x": ints(2, 0), "w": ints(0, 3)})
    cases.add("matmul_empty_rows", n, {"x": ints(0, 4), "w": ints(4, 3)})
    cases.add("matmul_bias_relu", [node("MatMul", "x w", "m"), node("Add", "m b", "a"), node("Relu", "a")],
              {"x": ints(7, 12)}, {"w": ints(12, 19, seed=1), "b": ints(19, seed=2)})
    cases.add("matmul_free_rows", n, [{"x": ints(k, 6)} for k in (1, 0, 5, 16, 33)], {"w": ints(6, 10, seed=1)},
              shapes={"x": ["N", 6], "y": ["N", 10]})
    cases.add("matmul_free_inner", n, [{"x": ints(3, k), "w": ints(k, 4, seed=1)} for k in (1, 0, 9)],
              shapes={"x": [3, "K"], "w": ["K", 4], "y": [3, 4]})
    cases.add("matmul_chain", [node("MatMul", "x w", "m"), node("MatMul", "m v")], {"x": ints(3, 4)},
              {"w": ints(4, 5, seed=1), "v": ints(5, 2, seed=2)})


def gemms(cases):
    for left in (0, 1):
        for right in (0, 1):
            x = ints(9, 5) if left else ints(5, 9)
            w = ints(7, 9, seed=1) if right else ints(9, 7, seed=1)
            cases.add(f"gemm_{'t' if left else 'n'}{'t' if right else 'n'}",
                      node("Gemm", "x w b", transA=left, transB=right), {"x": x}, {"w": w, "b": ints(7, seed=2)})
    x, w = {"x": ints(3, 4)}, ints(4, 5, seed=1)
    forms = {"row": (5,), "one_row": (1, 5), "column": (3, 1), "full": (3, 5), "one": (1,), "rank_0": ()}
    for label, shape in forms.items():
        cases.add(f"gemm_bias_{label}", node("Gemm", "x w b"), x, {"w": w, "b": ints(*shape, seed=2)}, opset=9)
    cases.add("gemm_no_bias", node("Gemm", "x w"), x, {"w": w}, opset=11)
    cases.add("gemm_alpha_beta", node("Gemm", "x w b", alpha=2.0, beta=0.5), x, {"w": w, "b": 2 * ints(5, seed=2)})
    cases.add("gemm_beta_zero", node("Gemm", "x w b", beta=0.0), x, {"w": w, "b": ints(5, seed=2)}, opset=7)
    cases.add("gemm_alpha_only", node("Gemm", "x w", alpha=0.25), {"x": 4 * ints(3, 4)}, {"w": w})
    cases.add("gemm_three_inputs", node("Gemm", "x w b", transB=1),
              {"x": ints(2, 3), "w": ints(4, 3, seed=1), "b": ints(4, seed=2)})
    cases.add("gemm_relu_free", [node("Gemm", "x w b", "g", transB=1), node("Relu", "g")],
              [{"x": ints(k, 8)} for k in (1, 2, 0, 7)], {"w": ints(5, 8, seed=1), "b": ints(5, seed=2)},
              shapes={"x": ["N", 8], "y": ["N", 5]})


def normal(cases):
    def weights(channels):
        # variance + epsilon is a square of a power of two, so that every order of computing is exact
        return {"s": ints(channels, seed=1), "b": ints(channels, seed=2), "m": ints(channels, seed=3),
                "v": np.array([3, 15] * channels, dtype=F)[:channels]}

    def norm(**more):
        return node("BatchNormalization", "x s b m v", epsilon=1.0, **more)

    x = {"x": 4 * ints(2, 3, 4, 5)}
    cases.add("batch_norm_4d", norm(), x, weights(3), opset=9)
    cases.add("batch_norm_opset_7", norm(momentum=0.9), x, weights(3), opset=7)
    cases.add("batch_norm_opset_15", norm(training_mode=0), x, weights(3), opset=15)
    cases.add("batch_norm_2d", norm(), {"x": 4 * ints(5, 3)}, weights(3))
    cases.add("batch_norm_3d", norm(), {"x": 4 * ints(2, 3, 7)}, weights(3))
    cases.add("batch_norm_after_conv", [node("Conv", "x w", "c", kernel_shape=[3, 3], pads=[1] * 4),
                                        node("BatchNormalization", "c s b m v", "n", epsilon=1.0), node("Relu", "n")],
              {"x": 4 * ints(1, 2, 5, 6)}, {"w": ints(3, 2, 3, 3, seed=4), **weights(3)})
    cases.close("batch_norm_epsilon", node("BatchNormalization", "x s b m v"), {"x": reals(1, 3, 4, 4)},
                {"s": reals(3, seed=1), "b": reals(3, seed=2), "m": reals(3, seed=3), "v": reals(3, low=0.01, seed=4)})
    for size in (1, 3, 4, 5):
        cases.close(f"lrn_size_{size}", node("LRN", "x", size=size, alpha=0.5, beta=0.75, bias=2.0),
                    {"x": reals(2, 5, 3, 3)}, opset=7)
    cases.close("lrn_defaults", node("LRN", "x", size=3), {"x": reals(1, 4, 2, 5)})
    layer = {"s": reals(6, seed=1), "b": reals(6, seed=2)}
    cases.close("layer_norm_last", node("LayerNormalization", "x s b"), {"x": reals(2, 3, 6)}, layer, opset=17)
    cases.close("layer_norm_no_shift", node("LayerNormalization", "x s", epsilon=0.1), {"x": reals(4, 6)},
                {"s": layer["s"]}, opset=17)
    cases.close("layer_norm_axis_1", node("LayerNormalization", "x s b", axis=1), {"x": reals(2, 3, 6)},
                {"s": reals(3, 6, seed=1), "b": reals(3, 6, seed=2)}, opset=17)
    cases.close("softmax_last_13", node("Softmax", "x"), {"x": reals(3, 4, 17)})
    cases.close("softmax_axis_1_13", node("Softmax", "x", axis=1), {"x": reals(2, 5, 3)})
    cases.close("softmax_axis_0_13", node("Softmax", "x", axis=0), {"x": reals(4, 3)})
    cases.close("softmax_flattens_11", node("Softmax", "x", axis=1), {"x": reals(2, 3, 4)}, opset=11)
    cases.close("softmax_default_11", node("Softmax", "x"), {"x": reals(2, 3, 4)}, opset=11)
    cases.close("softmax_negative_axis_12", node("Softmax", "x", axis=-1), {"x": reals(2, 3, 4)}, opset=12)
    cases.close("softmax_flattens_all_7", node("Softmax", "x", axis=0), {"x": reals(2, 3)}, opset=7)
    cases.close("softmax_large_values", node("Softmax", "x"), {"x": 1000 * ints(2, 5)})
    cases.close("softmax_free", node("Softmax", "x"), [{"x": reals(k, 5)} for k in (1, 4, 0)],
                shapes={"x": ["N", 5], "y": ["N", 5]})


def reductions(cases):
    x = {"x": ints(3, 4, 5)}
    for operator in ("ReduceSum", "ReduceMax", "ReduceMean"):
        # Means over 4 elements only: exact.
        label = operator[6:].lower()
        cases.add(f"reduce_{label}_axis", node(operator, "x", axes=[1]), x, opset=11)
        cases.add(f"reduce_{label}_drop", node(operator, "x", axes=[1], keepdims=0), x, opset=7)
        cases.add(f"reduce_{label}_negative_axis", node(operator, "x", axes=[-2]), x, opset=12)
        cases.add(f"reduce_{label}_all", node(operator, "x", keepdims=0), {"x": ints(4, 4)}, opset=11)
    cases.add("reduce_sum_two_axes", node("ReduceSum", "x", axes=[0, 2]), x, opset=11)
    cases.add("reduce_sum_operand_13", node("ReduceSum", "x axes", keepdims=0), x, {"axes": whole([0, -1])})
    cases.add("reduce_sum_no_axes_13", node("ReduceSum", "x"), x)
    cases.add("reduce_sum_nothing_13", node("ReduceSum", "x axes", noop_with_empty_axes=1), x, {"axes": whole([])})
    cases.add("reduce_sum_empty", node("ReduceSum", "x axes"), {"x": ints(2, 0, 3)}, {"axes": whole([1])})
    cases.add("reduce_mean_spatial", node("ReduceMean", "x", axes=[2, 3]), {"x": ints(2, 3, 4, 8)})
    cases.add("reduce_max_last_13", node("ReduceMax", "x", axes=[-1], keepdims=0), {"x": ints(2, 33)})
    cases.add("reduce_sum_to_scalar", node("ReduceSum", "x", keepdims=0), {"x": ints(17)})
    cases.close("reduce_mean_thirds", node("ReduceMean", "x", axes=[0]), {"x": ints(3, 7)})
    cases.add("reduce_sum_free", node("ReduceSum", "x axes", keepdims=0), [{"x": ints(k, 3)} for k in (1, 6, 0)],
              {"axes": whole([0])}, shapes={"x": ["N", 3], "y": [3]})


def add_to(cases):
    for part in (products, gemms, normal, reductions):
        part(cases)
