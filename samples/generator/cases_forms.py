"""Operators in the forms that other programs write, and those that few exporters do."""
import numpy as np

from .build import node
from .numbers import ints, reals, whole

F = np.float32
ORT = "com.microsoft"


def norms(cases):
    """ONNX Runtime has LayerNormalization in the standard domain since its first opset, and writes it there."""
    x, rows = {"x": reals(2, 3, 4)}, {"s": reals(4, seed=1), "b": reals(4, seed=2)}
    for opset in (9, 12, 14, 16):
        cases.close(f"layer_norm_opset_{opset}", node("LayerNormalization", "x s b", axis=-1, epsilon=1e-5), x, rows,
                    opset=opset, checked=False)
    cases.close("layer_norm_opset_11_axis_1", node("LayerNormalization", "x s", axis=1), x, {"s": reals(3, 4, seed=1)},
                opset=11, checked=False)
    shapes = {"one_by_d": (1, 4), "one_by_one_by_d": (1, 1, 4), "column": (3, 1), "one": (1,), "number": (),
              "plane": (3, 4), "whole": (2, 3, 4), "batches": (2, 1, 1)}
    for name, shape in shapes.items():
        cases.close(f"layer_norm_scale_{name}", node("LayerNormalization", "x s b"), x,
                    {"s": reals(*shape, seed=1), "b": rows["b"]}, opset=17)
        cases.close(f"layer_norm_shift_{name}", node("LayerNormalization", "x s b"), x,
                    {"s": rows["s"], "b": reals(*shape, seed=2)}, opset=17)
    for name, shape in (("row", (4,)), ("column", (3, 1)), ("batches", (2, 1, 1))):
        cases.close(f"layer_norm_two_axes_scale_{name}", node("LayerNormalization", "x s b", axis=1), x,
                    {"s": reals(*shape, seed=1), "b": reals(3, 4, seed=2)}, opset=17)
    sizes = [{"x": reals(a, b, 4), "s": reals(b, 1, seed=1), "b": reals(1, 4, seed=2)} for a, b in ((2, 3), (1, 5), (0, 2))]
    cases.close("layer_norm_scale_free", node("LayerNormalization", "x s b"), sizes, opset=17,
                shapes={"x": ("A", "B", 4), "s": ("B", 1), "y": ("A", "B", 4)})
    wide = [{"x": reals(a, b)} for a, b in ((2, 7), (1, 4))]
    cases.close("layer_norm_free_row", node("LayerNormalization", "x s"), wide, {"s": F(2)}, opset=17,
                shapes={"x": ("A", "B"), "y": ("A", "B")})


def quantizing(cases):
    x = {"x": ints(3, 4, low=-99, high=99)}
    for label, dtype, zero in (("u8", np.uint8, 99), ("i8", np.int8, -3), ("u16", np.uint16, 700), ("i16", np.int16, -70)):
        one = {"s": F(0.5), "z": dtype(zero)}
        cases.add(f"ort_quantize_{label}", node("QuantizeLinear", "x s z", domain=ORT), x, one)
        cases.add(f"ort_dequantize_{label}", node("DequantizeLinear", "q s z", domain=ORT),
                  {"q": np.array([[0, 7, 100], [3, 50, 127]], dtype)}, one)
        rows = {"s": np.array([0.5, 2, 4], F), "z": np.array([zero, 0, 5], dtype)}
        cases.add(f"ort_quantize_along_{label}", node("QuantizeLinear", "x s z", domain=ORT, axis=0), x, rows)
        cases.add(f"ort_dequantize_along_{label}", node("DequantizeLinear", "q s z", domain=ORT, axis=-2),
                  {"q": np.array([[0, 7], [3, 50], [1, 2]], dtype)}, rows)
    cases.add("ort_dequantize_i32", node("DequantizeLinear", "q s", domain=ORT), {"q": whole([-70000, 3, 9], np.int32)},
              {"s": F(0.25)})
    cases.add("ort_dequantize_i32_zero", node("DequantizeLinear", "q s z", domain=ORT),
              {"q": whole([[-70000, 3, 9]], np.int32)}, {"s": np.array([0.25, 1, 2], F), "z": whole([0, 0, 0], np.int32)})
    cases.add("ort_quantize_no_zero", node("QuantizeLinear", "x s", domain=ORT), x, {"s": F(0.5)})
    cases.add("ort_quantize_number_of_one", node("QuantizeLinear", "x s z", domain=ORT), x,
              {"s": np.array([0.5], F), "z": whole([4], np.int8)})
    blocks = {"s": np.array([[0.5, 2, 4], [1, 8, 0.25]], F).repeat(2, axis=0), "z": np.array([[3, 0, 250]] * 4, np.uint8)}
    wide = {"x": ints(4, 5, low=-99, high=99)}
    cases.add("quantize_blocks_21", node("QuantizeLinear", "x s z", axis=1, block_size=2), wide, blocks, opset=21)
    cases.add("quantize_blocks_no_zero_21", node("QuantizeLinear", "x s", axis=-1, block_size=2), wide, {"s": blocks["s"]},
              opset=21)
    for label, dtype in (("u8", np.uint8), ("i8", np.int8)):
        cases.add(f"dequantize_blocks_{label}_21", node("DequantizeLinear", "q s z", axis=0, block_size=3),
                  {"q": (ints(6, 3, low=0, high=99)).astype(dtype)},
                  {"s": np.array([[0.5, 2, 4], [1, 8, 0.25]], F), "z": np.array([[3, 0, 1], [1, 2, 3]], dtype)}, opset=21)


def scattering(cases):
    x = {"x": ints(3, 4, 5, low=-9, high=9)}
    at = whole([[[0, -1], [2, 0]]])  # fewer along every axis, one of them twice
    for reduction in ("none", "add", "mul", "max", "min"):
        for axis in (0, 1, -1):
            extent = x["x"].shape[axis]
            feeds = {**x, "i": at % extent, "u": ints(1, 2, 2, low=-9, high=9, seed=1)}
            how = {} if reduction == "none" else {"reduction": reduction}
            name = f"scatter_part_{reduction}_axis_{axis % 3}"
            cases.add(name, node("ScatterElements", "x i u", axis=axis, **how), feeds,
                      opset=13 if reduction == "none" else 16 if reduction in ("add", "mul") else 18, checked=False)
    twice = {"x": ints(3, 4), "i": whole([[1, 1, -2], [0, 2, 1]]), "u": ints(2, 3, seed=1)}
    for reduction in ("add", "mul", "max", "min"):
        cases.add(f"scatter_twice_{reduction}", node("ScatterElements", "x i u", axis=0, reduction=reduction), twice, opset=18)
    whole_numbers = {"x": whole([[5, 6, 7], [8, 9, 1]]), "i": whole([[1, -1]], np.int32), "u": whole([[40, 50]])}
    cases.add("scatter_part_i64", node("ScatterElements", "x i u", axis=1), whole_numbers, opset=13)
    sizes = [{"x": ints(a, 4), "i": whole(np.arange(2 * b).reshape(b, 2) % 4), "u": ints(b, 2, seed=1)}
             for a, b in ((3, 2), (4, 4), (2, 0))]
    cases.add("scatter_part_free", node("ScatterElements", "x i u", axis=1), sizes, opset=13,
              shapes={"x": ("A", 4), "i": ("B", 2), "u": ("B", 2), "y": ("A", 4)})


def regions(cases):
    image = {"x": reals(2, 2, 6, 7)}
    rois = np.array([[0.5, 1, 5, 4.5], [1, 1, 2.5, 1.5], [-30, -20, 40, 50], [3, 2, 3.5, 9], [20, 20, 30, 40], [4, 4, 2, 1]], F)
    of = whole([0, 1, 1, 0, 0, 1])
    for mode in ("avg", "max"):
        for places, opset in (("half_pixel", 16), ("output_half_pixel", 16), ("old", 10)):
            how = {} if places == "old" else {"coordinate_transformation_mode": places}
            cases.close(f"roi_align_adaptive_{mode}_{places}",
                        node("RoiAlign", "x rois of", mode=mode, output_height=2, output_width=3, spatial_scale=0.5, **how),
                        {**image, "rois": rois, "of": of}, opset=opset)
    sizes = [{"x": reals(1, 1, h, w), "rois": rois[:n], "of": np.zeros(n, np.int64)} for h, w, n in ((5, 4, 2), (1, 9, 6), (3, 3, 0))]
    cases.close("roi_align_adaptive_free", node("RoiAlign", "x rois of", output_height=3, output_width=2), sizes, opset=16,
                shapes={"x": (1, 1, "H", "W"), "rois": ("N", 4), "of": ("N",), "y": ("N", 1, 3, 2)})


def spectra(cases):
    x = {"x": reals(2, 5, 4, 2)}
    for axis in (0, 1, 2, -3, -2):
        cases.close(f"dft_axis_computed_{axis % 4}{'_behind' if axis < 0 else ''}", node("DFT", "x - a"),
                    {**x, "a": np.array(axis)}, opset=20)
    cases.close("dft_length_computed_17", node("DFT", "x n", axis=1), {**x, "n": np.array(7)}, opset=17,
                shapes={"y": (2, "M", 4, 2)})
    cases.close("dft_length_computed_20", node("DFT", "x n a", inverse=1), {**x, "n": np.array(3)}, {"a": np.array(2)},
                opset=20, shapes={"y": (2, 5, "M", 2)})
    real = {"x": reals(2, 6, 3, 1)}
    both = [{**real, "n": np.array(n), "a": np.array(a)} for n, a in ((6, 1), (5, 2), (2, -4))]
    cases.close("dft_length_and_axis_computed", node("DFT", "x n a", onesided=1), both, opset=20,
                shapes={"y": ("A", "B", "C", 2)})
    cases.close("dft_onesided_axis_computed", node("DFT", "x - a", onesided=1), [{**real, "a": np.array(a)} for a in (1, 2, 0)],
                opset=20, shapes={"y": ("A", "B", "C", 2)})
    half = {"x": reals(2, 4, 3, 2)}
    cases.close("dft_inverse_onesided_20", node("DFT", "x - a", inverse=1, onesided=1), half, {"a": np.array(1)}, opset=20)
    cases.close("dft_inverse_onesided_length_20", node("DFT", "x n a", inverse=1, onesided=1), half,
                {"n": np.array(7), "a": np.array(1)}, opset=20)
    cases.close("dft_inverse_onesided_axis_computed", node("DFT", "x - a", inverse=1, onesided=1),
                [{**half, "a": np.array(a)} for a in (1, 2, 0)], opset=20, shapes={"y": ("A", "B", "C", 1)})


def attentions(cases):
    q, k, v = reals(2, 3, 4, 8), reals(2, 3, 6, 8, seed=1), reals(2, 3, 6, 5, seed=2)
    some = {"q": q, "k": k, "v": v}
    added = reals(4, 6, seed=3)
    for mode in range(4):
        for cap in (0.0, 2.0):
            name = f"attention_shown_{mode}{'_capped' if cap else ''}"
            cases.close(name, node("Attention", "q k v m", "y - - s", qk_matmul_output_mode=mode, softcap=cap),
                        {**some, "m": added}, outputs="y s", opset=23)
    seen = np.arange(24).reshape(4, 6) % 5 > 1
    cases.close("attention_shown_allowed_causal", node("Attention", "q k v m", "y - - s", is_causal=1, qk_matmul_output_mode=2),
                {**some, "m": seen}, outputs="y s", opset=23)
    none = seen.copy()
    none[1] = False
    cases.close("attention_row_of_false", node("Attention", "q k v m", "y - - s", qk_matmul_output_mode=3),
                {**some, "m": none}, outputs="y s", opset=23)
    far = np.where(none, added, -np.inf).astype(F)
    cases.close("attention_row_of_infinities", node("Attention", "q k v m", "y - - s", qk_matmul_output_mode=3),
                {**some, "m": far}, outputs="y s", opset=23)
    cases.close("attention_row_of_infinities_constant", node("Attention", "q k v m"), some, {"m": far}, opset=23)
    late = np.where(np.arange(6) < 3, -np.inf, 0).astype(F)[None].repeat(4, axis=0)
    cases.close("attention_infinities_and_causal", node("Attention", "q k v m", is_causal=1), {**some, "m": late}, opset=23)
    grouped = {"q": reals(2, 6, 4, 8), "k": k, "v": v}
    cases.close("attention_shown_grouped", node("Attention", "q k v m", "y - - s", qk_matmul_output_mode=2),
                {**grouped, "m": reals(2, 6, 4, 6, seed=3)}, outputs="y s", opset=23)
    flat = {"q": reals(2, 4, 24), "k": reals(2, 6, 24, seed=1), "v": reals(2, 6, 24, seed=2)}
    past = {"pk": reals(2, 3, 2, 8, seed=4), "pv": reals(2, 3, 2, 8, seed=5)}
    cases.close("attention_shown_flat_past", node("Attention", "q k v m pk pv", "y nk nv s", q_num_heads=3, kv_num_heads=3,
                                                  is_causal=1, qk_matmul_output_mode=2),
                {**flat, "m": reals(4, 8, seed=3), **past}, outputs="y nk nv s", opset=23)
    for name, mask in (("added", reals(4, 4, seed=3)), ("allowed", seen[:, :4])):
        cases.close(f"attention_short_mask_{name}", node("Attention", "q k v m", is_causal=1), {**some, "m": mask}, opset=23)
    for name, lengths in (("some", [4, 6]), ("few", [2, 3]), ("none", [0, 6])):
        for causal in (0, 1):
            cases.close(f"attention_lengths_{name}{'_causal' if causal else ''}",
                        node("Attention", "q k v - - - n", "y - - s", is_causal=causal, qk_matmul_output_mode=3),
                        {**some, "n": whole(lengths)}, outputs="y s", opset=24)
    cases.close("attention_lengths_grouped_mask", node("Attention", "q k v m - - n", is_causal=1),
                {**grouped, "m": added, "n": whole([5, 3])}, opset=24)
    sizes = [{"q": reals(a, 2, b, 4), "k": reals(a, 2, c, 4, seed=1), "v": reals(a, 2, c, 4, seed=2), "n": whole([c] * a)}
             for a, b, c in ((2, 3, 5), (1, 1, 4))]
    cases.close("attention_lengths_free", node("Attention", "q k v - - - n", is_causal=1), sizes, opset=24,
                shapes={"q": ("A", 2, "B", 4), "k": ("A", 2, "C", 4), "v": ("A", 2, "C", 4), "n": ("A",), "y": ("A", 2, "B", 4)})


def fused(cases):
    x, past = {"x": reals(2, 3, 8)}, reals(2, 2, 2, 4, 4, seed=3)
    weights = {"w": reals(8, 24, seed=1), "b": reals(24, seed=2)}
    how = {"domain": ORT, "num_heads": 2}
    cases.close("ort_attention_past", node("Attention", "x w b - past", "y present", **how), {**x, "past": past}, weights,
                outputs="y present")
    cases.close("ort_attention_past_causal", node("Attention", "x w b - past", "y present", unidirectional=1, **how),
                {**x, "past": past}, weights, outputs="y present")
    cases.close("ort_attention_past_mask", node("Attention", "x w b m past", "y present", unidirectional=1, **how),
                {**x, "m": whole([[0, 1, 1, 1, 1, 1, 1], [1] * 7], np.int32), "past": past}, weights, outputs="y present")
    cases.close("ort_attention_present_alone", node("Attention", "x w b", "y present", **how), x, weights, outputs="y present")
    sizes = [{"x": reals(a, b, 8), "past": reals(2, a, 2, p, 4, seed=3)} for a, b, p in ((2, 3, 4), (1, 1, 0))]
    cases.close("ort_attention_past_free", node("Attention", "x w b - past", "y present", unidirectional=1, **how), sizes,
                weights, outputs="y present", shapes={"x": ("A", "B", 8), "past": (2, "A", 2, "P", 4), "y": ("A", "B", 8),
                                                      "present": (2, "A", 2, "T", 4)})


def resizing(cases):
    x = {"x": reals(1, 1, 7, 9)}
    for mode in ("linear", "cubic"):
        for exclude in (0, 1):
            name = f"resize_filtered_{mode}{'_exclude' if exclude else ''}"
            how = {"mode": mode, "antialias": 1, "exclude_outside": exclude}
            cases.close(f"{name}_sizes_computed", node("Resize", "x - - sizes", **how),
                        [{**x, "sizes": whole([1, 1, *size])} for size in ((3, 4), (5, 12), (1, 2))], opset=18,
                        shapes={"y": (1, 1, "H", "W")}, checked=False)
            cases.close(f"{name}_scales_computed", node("Resize", "x - scales", **how),
                        {**x, "scales": np.array([1, 1, 0.6, 0.45], F)}, opset=18, shapes={"y": (1, 1, "H", "W")})


def sums(cases):
    x = {"x": reals(2, 3, 4, low=-30, high=30)}
    for keep in (0, 1):
        cases.close(f"reduce_log_sum_exp_axes_computed_{keep}", node("ReduceLogSumExp", "x a", keepdims=keep),
                    [{**x, "a": whole([1])}, {**x, "a": whole([-1])}], opset=18,
                    shapes={"y": ("A", "B", "C") if keep else ("A", "B")})
    for dtype in (np.float32, np.float64):
        most, inf = np.finfo(dtype).max, np.inf
        ends = np.array([[most, -inf, 1, -inf], [-most] * 4, [inf, 1, most, 2], [-inf] * 4, [most, -most, most / 2, 0], [-inf, -3, -most, -inf]])
        cases.close(f"reduce_log_sum_exp_ends_{np.dtype(dtype).name}", node("ReduceLogSumExp", "x", axes=[1], keepdims=0),
                    {"x": ends.astype(dtype)}, opset=13)


def of_ort(cases):
    """What its optimizer writes: rows of tables with a norm, and functions behind products."""
    ids = {"ids": whole([[1, 4, 2], [0, 3, 3]], np.int32)}
    tables = {"table": reals(5, 8), "places": reals(6, 8, seed=1), "g": reals(8, seed=2), "t": reals(8, seed=3)}
    parts = {"parts": reals(2, 8, seed=4)}
    segments, mask = {"segments": whole([[0, 0, 1], [1, 0, 1]], np.int32)}, {"mask": whole([[1, 1, 0], [1, 0, 0]], np.int32)}
    cases.close("embed_layer_norm", node("EmbedLayerNormalization", "ids segments table places parts g t mask", "y count",
                                         epsilon=1e-5, domain=ORT), {**ids, **segments, **mask}, {**tables, **parts}, outputs="y count", opset=11)
    cases.close("embed_layer_norm_without_segments", node("EmbedLayerNormalization", "ids - table places - g t", "y count", domain=ORT), ids,
                tables, outputs="y count", opset=11)
    cases.close("embed_layer_norm_places", node("EmbedLayerNormalization", "ids segments table places parts g t - at", "y count sum", domain=ORT),
                {**ids, **segments}, {**tables, **parts, "at": whole([[2, 0, 5]], np.int32)}, outputs="y count sum", opset=11)
    sizes = [{"ids": whole(np.arange(b * s).reshape(b, s) % 5, np.int32)} for b, s in ((1, 3), (2, 6))]
    cases.close("embed_layer_norm_free", node("EmbedLayerNormalization", "ids - table places - g t", "y count", domain=ORT), sizes, tables,
                outputs="y count", opset=11, shapes={"ids": ("B", "S"), "y": ("B", "S", 8), "count": ("B",)})
    x, w, b = {"x": reals(1, 2, 5, 6)}, {"w": reals(3, 2, 3, 3, seed=1)}, {"b": reals(3, seed=2)}
    for name, numbers in (("Relu", ()), ("Sigmoid", ()), ("Tanh", ()), ("LeakyRelu", (0.25,)), ("Clip", (-1.0, 2.0)), ("HardSigmoid", (0.5, 0.25))):
        at = {"activation_params": list(numbers)} if numbers else {}
        cases.close(f"fused_conv_{name.lower()}", node("FusedConv", "x w b", activation=name, pads=[1, 1, 1, 1], domain=ORT, **at), x, {**w, **b}, opset=11)
    cases.close("fused_conv_alone", node("FusedConv", "x w b", domain=ORT), x, {**w, **b}, opset=11)
    cases.close("fused_gemm_alone", node("FusedGemm", "a b", domain=ORT), {"a": reals(3, 7)}, {"b": reals(7, 5, seed=1)}, opset=11)
    cases.close("fused_conv_term", node("FusedConv", "x w b z", activation="Relu", domain=ORT), {**x, "z": reals(1, 3, 3, 4, seed=5)}, {**w, **b}, opset=11)
    cases.close("fused_conv_one_axis", node("FusedConv", "x w", activation="Relu", domain=ORT), {"x": reals(1, 2, 9)}, {"w": reals(3, 2, 3)}, opset=11)
    a = {"a": reals(3, 7)}
    for name in ("Relu", "Sigmoid", "Tanh"):
        cases.close(f"fused_gemm_{name.lower()}", node("FusedGemm", "a b c", activation=name, transB=1, alpha=0.5, domain=ORT), a,
                    {"b": reals(5, 7, seed=1), "c": reals(5, seed=2)}, opset=11)
    cases.close("fused_gemm_leakyrelu", node("FusedGemm", "a b", activation="LeakyRelu", activation_alpha=0.25, domain=ORT), a,
                {"b": reals(7, 5, seed=1)}, opset=11)


def add_to(cases):
    for part in (norms, quantizing, scattering, regions, spectra, attentions, fused, of_ort, resizing, sums):
        part(cases)
