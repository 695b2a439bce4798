"""Sums of integers less their zero points, as the standard and ONNX Runtime have them: exact sums, scales in single precision, halves to even."""
import numpy as np

from . import quantizing, windows

F = np.float32


def given(x, i):
    return x[i] if i < len(x) and x[i] is not None else None


def less(values, zero, rows=False):
    """The exact integers that stand for numbers. A list of zero points is one for each column, or for each row."""
    values = values.astype(np.int64)
    if zero is None:
        return values
    zero = zero.astype(np.int64)
    return values - (zero.reshape(-1, 1) if rows and zero.ndim == 1 and zero.size > 1 else zero)


def column(scale, rank=2):
    return scale.reshape(-1, *[1] * (rank - 1)) if scale.ndim == 1 and scale.size > 1 else scale


def requantized(sums, scale, zero):
    limits = np.iinfo(zero.dtype)
    whole = np.rint(sums.astype(F) * scale.astype(F)).astype(np.float64) + zero
    return np.clip(whole, limits.min, limits.max).astype(zero.dtype)


def matmul_integer(x, at, opset):
    return [(less(x[0], given(x, 2), rows=True) @ less(x[1], given(x, 3))).astype(np.int32)]


def filtered(data, zero, filters, zeros, at):
    zeros = None if zeros is None else column(zeros, filters.ndim)
    sums = windows.conv([less(data, zero), less(filters, zeros)], at, 1)[0]
    return np.rint(sums).astype(np.int64)


def conv_integer(x, at, opset):
    return [filtered(x[0], given(x, 2), x[1], given(x, 3), at).astype(np.int32)]


def qlinear_conv(x, at, opset):
    sums = filtered(x[0], x[2], x[3], x[5], at)
    if given(x, 8) is not None:
        sums = sums + column(x[8], sums.ndim - 1)
    scale = F(x[1]) * column(x[4].astype(F), sums.ndim - 1) / F(x[6])
    return [requantized(sums, scale, x[7])]


def qlinear_matmul(x, at, opset):
    sums = less(x[0], x[2], rows=True) @ less(x[3], x[5])
    scale = column(x[1].astype(F)) * x[4].astype(F) / column(x[6].astype(F))
    return [requantized(sums, scale, column(x[7]))]


def to_float(x, at, opset):
    sums = (less(x[0], given(x, 4), rows=True) @ less(x[1], given(x, 5))).astype(F)
    out = sums * (column(x[2].astype(F)) * x[3].astype(F))
    return [out.astype(np.float64) + (0 if given(x, 6) is None else x[6])]


def of_dynamic(x, at, opset):
    q, scale, zero = quantizing.dynamic([x[0]], {}, opset)
    return to_float([q, x[1], np.asarray(scale), x[2], zero, given(x, 3), given(x, 4)], at, opset)


def gemm(x, at, opset):
    a, b = less(x[0], x[2]), less(x[3], x[5].reshape(1, -1) if not at.get("transB", 0) else x[5].reshape(-1, 1))
    sums = (a.T if at.get("transA", 0) else a) @ (b.T if at.get("transB", 0) else b)
    if given(x, 6) is not None:
        sums = sums + x[6]
    scale = F(at.get("alpha", 1.0)) * (F(x[1]) * x[4].astype(F))
    if given(x, 7) is None:
        return [(sums.astype(F) * scale).astype(np.float64)]
    return [requantized(sums, scale / F(x[7]), x[8] if given(x, 8) is not None else np.uint8(0))]


def meant(values, scale, zero):
    return (values.astype(np.float64) - (0 if zero is None else np.float64(zero.reshape(())))) * np.float64(scale.reshape(()))


def as_integers(values, scale, zero, dtype):
    zero = np.zeros((), dtype) if zero is None else zero.reshape(())
    return quantizing.quantize([values, scale.reshape(()), zero], {}, 13)


def both(function):
    def run(x, at, opset):
        return as_integers(function(meant(*x[0:3]), meant(*x[3:6])), x[6], given(x, 7), x[0].dtype)
    return run


def one(function):
    def run(x, at, opset):
        return as_integers(function(meant(*x[0:3]), at), x[3], given(x, 4), x[0].dtype)
    return run


def four_bits(x, at, opset):
    """Two weights in a byte, the lower half first; rows are padded to whole blocks."""
    rows, depth, block = at["N"], at["K"], at["block_size"]
    blocks = -(-depth // block)

    def halves(packed, count):
        flat = packed.reshape(rows, -1)
        return np.stack([flat & 15, flat >> 4], axis=-1).reshape(rows, -1)[:, :count].astype(np.float64)

    zeros = np.full((rows, blocks), 8.0) if given(x, 3) is None else halves(x[3], blocks)
    scales = x[2].reshape(rows, blocks)
    weights = halves(x[1], blocks * block).reshape(rows, blocks, block)
    weights = (weights - zeros[:, :, None]) * scales[:, :, None]
    out = x[0] @ weights.reshape(rows, -1)[:, :depth].T
    return [out if given(x, 5) is None else out + x[5]]


OPERATORS = {
    "MatMulInteger": matmul_integer, "ConvInteger": conv_integer, "QLinearConv": qlinear_conv,
    "QLinearMatMul": qlinear_matmul, "MatMulIntegerToFloat": to_float, "DynamicQuantizeMatMul": of_dynamic,
    "QGemm": gemm, "MatMulNBits": four_bits,
    "QLinearAdd": both(np.add), "QLinearMul": both(np.multiply),
    "QLinearSigmoid": one(lambda x, at: 1 / (1 + np.exp(-x))),
    "QLinearLeakyRelu": one(lambda x, at: np.where(x < 0, at.get("alpha", 0.01) * x, x)),
    "QLinearGlobalAveragePool": one(lambda x, at: x.mean(axis=tuple(range(2, x.ndim)), keepdims=True)),
}
