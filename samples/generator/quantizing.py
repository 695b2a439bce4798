"""Quantization: quotients in single precision, halves to even."""
import numpy as np


def shaped(values, x, axis, block=0):
    if block:
        return np.take(np.repeat(values, block, axis=axis), np.arange(x.shape[axis]), axis=axis)
    if values.ndim == 0 or values.size == 1:
        return values.reshape(())
    return values.reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])


def quantize(x, at, opset):
    zero = x[2] if len(x) > 2 and x[2] is not None else np.uint8(0)
    data, axis, block = x[0], at.get("axis", 1), at.get("block_size", 0)
    zeros = np.asarray(zero) if len(x) > 2 and x[2] is not None else np.zeros(np.shape(x[1]), np.uint8)
    quotient = data.astype(np.float32) / shaped(np.asarray(x[1]), data, axis, block).astype(np.float32)
    whole = np.rint(quotient).astype(np.float64) + shaped(zeros, data, axis, block)
    limits = np.iinfo(zero.dtype)
    return [np.clip(whole, limits.min, limits.max).astype(zero.dtype)]


def dequantize(x, at, opset):
    axis, block = at.get("axis", 1), at.get("block_size", 0)
    data = x[0].astype(np.float64)
    if len(x) > 2 and x[2] is not None:
        data = data - shaped(x[2].astype(np.float64), data, axis, block)
    return [data * shaped(np.asarray(x[1]), data, axis, block)]


def dynamic(x, at, opset):
    data = x[0].astype(np.float32)
    low, high = np.float32(min(data.min(), 0)), np.float32(max(data.max(), 0))
    scale = np.float32(1) if low == high else (high - low) / np.float32(255)
    zero = np.rint(np.clip(-low / scale, 0, 255))
    return [np.clip(np.rint(data / scale) + zero, 0, 255).astype(np.uint8), np.asarray(scale, np.float64),
            np.asarray(zero.astype(np.uint8))]


OPERATORS = {"QuantizeLinear": quantize, "DequantizeLinear": dequantize, "DynamicQuantizeLinear": dynamic}
