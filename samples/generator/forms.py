"""What operators mean in the forms that few exporters write: scores of an attention as a result, updates of a part of a
tensor, spectra along an axis that is computed."""
import math

import numpy as np

from . import regions
from .windows import conv


def softmax_rows(s):
    top = s.max(axis=-1, keepdims=True)
    e = np.exp(s - np.where(np.isneginf(top), 0, top))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def heads_of(x, heads):
    return x if x.ndim == 4 else x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def optional(x, i):
    return x[i] if len(x) > i else None


def attention(x, at, opset):
    """As the function body of the standard: what may not be seen has minus infinity added, and a query that sees nothing
    gets zeros."""
    q, k, v = heads_of(x[0], at.get("q_num_heads")), *(heads_of(y, at.get("kv_num_heads")) for y in x[1:3])
    past = 0
    if optional(x, 4) is not None:
        past = x[4].shape[2]
        k, v = np.concatenate([x[4], k], axis=2), np.concatenate([x[5], v], axis=2)
    queries, keys = q.shape[2], k.shape[2]
    added = np.zeros((1, 1, queries, keys))
    mask, lengths = optional(x, 3), optional(x, 6)
    if mask is not None:
        if mask.dtype == bool:
            mask = np.where(mask, 0.0, -np.inf)
        missing = keys - mask.shape[-1]
        added = added + np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, missing)], constant_values=-np.inf)
    first = np.full(q.shape[0], past) if lengths is None else lengths - queries
    rows, columns = np.arange(queries)[:, None], np.arange(keys)
    if at.get("is_causal", 0):
        added = added + np.where(columns <= rows + first.reshape(-1, 1, 1, 1), 0.0, -np.inf)
    if lengths is not None:
        added = added + np.where(columns < lengths.reshape(-1, 1, 1, 1), 0.0, -np.inf)
    each = q.shape[1] // k.shape[1]
    shown = product = np.matmul(q, np.repeat(k, each, axis=1).swapaxes(2, 3)) * at.get("scale", 1 / math.sqrt(q.shape[3]))
    if at.get("softcap", 0.0):
        product = np.tanh(product / at["softcap"]) * at["softcap"]
    masked = product + added
    weights = np.where(np.isneginf(added.max(axis=-1, keepdims=True)), 0, softmax_rows(masked))
    shown = [shown, product, masked, weights][at.get("qk_matmul_output_mode", 0)]
    y = np.matmul(weights, np.repeat(v, each, axis=1))
    if x[0].ndim == 3:
        y = y.transpose(0, 2, 1, 3).reshape(*x[0].shape[:2], -1)
    return [y, k, v, shown]


def fused_attention(x, at, opset):
    """Of com.microsoft: one product for queries, keys and values, the keys and values of the past before them."""
    heads = at["num_heads"]
    q, k, v = (heads_of(part, heads) for part in np.split(np.matmul(x[0], x[1]) + x[2], 3, axis=2))
    past = optional(x, 4)
    if past is not None:
        k, v = np.concatenate([past[0], k], axis=2), np.concatenate([past[1], v], axis=2)
    scores = np.matmul(q, k.swapaxes(2, 3)) / math.sqrt(q.shape[3])
    mask = optional(x, 3)
    if mask is not None:
        mask = mask.reshape(mask.shape[0], 1, 1, -1) if mask.ndim == 2 else mask[:, None]
        scores = scores + np.where(mask > 0, 0, -10000.0)
    if at.get("unidirectional", 0):
        before = k.shape[2] - q.shape[2]
        scores = np.where(np.arange(k.shape[2]) <= np.arange(q.shape[2])[:, None] + before, scores, -np.inf)
    y = np.matmul(softmax_rows(scores), v).transpose(0, 2, 1, 3)
    return [y.reshape(*x[0].shape[:2], -1), np.stack([k, v])]


COMBINED = {"none": lambda old, new: new, "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def scatter(x, at, opset):
    out, axis = x[0].copy(), at.get("axis", 0)
    combine = COMBINED[at.get("reduction", "none")]
    for place in np.ndindex(*x[1].shape):
        where = list(place)
        where[axis] = x[1][place] % x[0].shape[axis]
        out[tuple(where)] = combine(out[tuple(where)], x[2][place])
    return [out]


def embedded(x, at, opset):
    """Of com.microsoft: rows of three tables, their sum, and its rows to mean 0 and variance 1."""
    words, segments, table, places, parts, g, t = x[:7]
    mask, where = optional(x, 7), optional(x, 8)
    where = np.arange(words.shape[1])[None] if where is None else where
    total = table[words] + places[where]
    if segments is not None:
        total = total + parts[segments]
    centred = total - total.mean(axis=-1, keepdims=True)
    rows = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + at.get("epsilon", 1e-12)) * g + t
    count = np.zeros(words.shape[0], np.int32) if mask is None else mask.sum(axis=1).astype(np.int32)
    return [rows, count, total]


FUNCTIONS = {
    "Relu": lambda y: np.maximum(y, 0), "Sigmoid": lambda y: 1 / (1 + np.exp(-y)), "Tanh": np.tanh,
    "LeakyRelu": lambda y, a: np.where(y < 0, a * y, y), "Clip": lambda y, low, high: np.minimum(np.maximum(y, low), high),
    "HardSigmoid": lambda y, a, b: np.maximum(0, np.minimum(1, a * y + b)),
}


def fused_conv(x, at, opset):
    y = conv([x[0], x[1], optional(x, 2)] if optional(x, 2) is not None else x[:2], at, opset)[0]
    y = y if optional(x, 3) is None else y + x[3]
    return [FUNCTIONS[at["activation"]](y, *at.get("activation_params", [])) if "activation" in at else y]


def fused_gemm(x, at, opset):
    a, b = x[0].T if at.get("transA", 0) else x[0], x[1].T if at.get("transB", 0) else x[1]
    y = at.get("alpha", 1.0) * (a @ b) + (0 if optional(x, 2) is None else at.get("beta", 1.0) * x[2])
    if "activation" not in at:
        return [y]
    return [FUNCTIONS[at["activation"]](y, *([at["activation_alpha"]] if "activation_alpha" in at else []))]


def dft(x, at, opset):
    data = x[0]
    axis = at.get("axis", 1) if opset < 20 else -2
    if optional(x, 2) is not None:
        axis = int(np.asarray(x[2]).reshape(()))
    axis %= data.ndim
    inverse, onesided = at.get("inverse", 0), at.get("onesided", 0)
    z = data[..., 0] + 1j * data[..., 1] if data.shape[-1] == 2 else data[..., 0]
    length = 2 * (data.shape[axis] - 1) if inverse and onesided else data.shape[axis]
    if optional(x, 1) is not None:
        length = int(np.asarray(x[1]).reshape(()))
    if inverse and onesided:
        return [np.fft.irfft(z, length, axis=axis)[..., None]]
    y = np.fft.ifft(z, length, axis=axis) if inverse else np.fft.fft(z, length, axis=axis)
    if onesided:
        y = np.take(y, np.arange(length // 2 + 1), axis=axis)
    return [np.stack([y.real, y.imag], axis=-1)]


OPERATORS = {"EmbedLayerNormalization": embedded, "FusedConv": fused_conv, "FusedGemm": fused_gemm, "Attention": attention, "com.microsoft.Attention": fused_attention, "ScatterElements": scatter, "DFT": dft,
             **regions.OPERATORS}
