"""Evaluates an ONNX model in double precision, straight from the text of the ONNX standard.

Slow and obvious on purpose: the expected outputs of all committed models come from here, and from no other
implementation. Floating-point tensors are float64 arrays whatever their declared type; integers and booleans keep
theirs. One function per operator: f(inputs, attributes, opset) -> outputs; an absent optional input is None.
"""
import math

import numpy as np
from onnx import helper, numpy_helper

from . import forms, integers, quantizing, shaping, windows

erf = np.vectorize(math.erf, otypes=[np.float64])


def is_float(array):
    return array.dtype.kind == "f"


def widened(array):
    return array.astype(np.float64) if is_float(array) else array


def divide(a, b):
    if is_float(a):
        return a / b
    return (np.sign(a) * np.sign(b) * (abs(a) // abs(b))).astype(a.dtype)  # integers round toward zero


def gelu(x, at):
    if at.get("approximate", "none") == "tanh":
        return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return x / 2 * (1 + erf(x / math.sqrt(2)))


def gemm(a, b, c, at):
    a = a.T if at.get("transA", 0) else a
    b = b.T if at.get("transB", 0) else b
    out = at.get("alpha", 1.0) * (a @ b)
    if c is not None:
        out = out + at.get("beta", 1.0) * c
    return out


def clip(x, at, opset):
    # A bound that is not given is the end of the type: infinities are kept to the largest float.
    most = np.finfo(np.float32).max if x[0].dtype.kind == "f" else None
    if opset < 11:
        return np.clip(x[0], at.get("min", -most), at.get("max", most))
    low = x[1] if len(x) > 1 and x[1] is not None else None
    high = x[2] if len(x) > 2 and x[2] is not None else None
    out = x[0]
    if most is not None:
        low = -most if low is None else low
        high = most if high is None else high
    if low is not None:
        out = np.maximum(out, low)
    if high is not None:
        out = np.minimum(out, high)
    return out


def softmax(x, axis, opset):
    if opset >= 13:
        shifted = np.exp(x - x.max(axis=axis, keepdims=True))
        return shifted / shifted.sum(axis=axis, keepdims=True)
    # Before 13: everything from the axis on is one dimension.
    axis = axis % x.ndim if x.ndim else 0
    flat = x.reshape(math.prod(x.shape[:axis]), -1)
    shifted = np.exp(flat - flat.max(axis=1, keepdims=True))
    return (shifted / shifted.sum(axis=1, keepdims=True)).reshape(x.shape)


def batch_norm(x, scale, shift, mean, variance, at):
    shape = (1, -1) + (1,) * (x.ndim - 2)
    scale, shift, mean, variance = (v.reshape(shape) for v in (scale, shift, mean, variance))
    return (x - mean) / np.sqrt(variance + at.get("epsilon", 1e-5)) * scale + shift


def lrn(x, at):
    size = at["size"]
    before, after = (size - 1) // 2, size - 1 - (size - 1) // 2
    total = np.zeros_like(x)
    channels = x.shape[1]
    for c in range(channels):
        total[:, c] = (x[:, max(0, c - before) : min(channels, c + after + 1)] ** 2).sum(axis=1)
    return x / (at.get("bias", 1.0) + at.get("alpha", 1e-4) / size * total) ** at.get("beta", 0.75)


def layer_norm(inputs, at):
    x, scale = inputs[0], inputs[1]
    axis = at.get("axis", -1) % x.ndim
    axes = tuple(range(axis, x.ndim))
    mean = x.mean(axis=axes, keepdims=True)
    inverse = 1 / np.sqrt(((x - mean) ** 2).mean(axis=axes, keepdims=True) + at.get("epsilon", 1e-5))
    out = (x - mean) * inverse * scale
    if len(inputs) > 2 and inputs[2] is not None:
        out = out + inputs[2]
    return [out, mean, inverse]


def reduce_by(function):
    def run(x, at, opset):
        axes = at.get("axes")
        if len(x) > 1 and x[1] is not None:
            axes = x[1].tolist()
        if not axes:
            if at.get("noop_with_empty_axes", 0):
                return [x[0]]
            axes = range(x[0].ndim)
        axes = tuple(axis % x[0].ndim for axis in axes)
        return [np.asarray(function(x[0], axis=axes, keepdims=bool(at.get("keepdims", 1))))]

    return run


def cut(values, like):
    """As the type of the operand: what is no integer is cut."""
    return values if is_float(like) else np.trunc(values).astype(like.dtype)


def reduce_cut(before, behind):
    """Reductions of real numbers, in double also where the operand is of integers."""

    def run(x, at, opset):
        reduced = reduce_by(np.sum)([before(x[0].astype(np.float64)), *x[1:]], at, opset)[0]
        return [cut(behind(reduced), x[0])]

    return run


def log_sum_exp(x, at, opset):
    def pairs(values, axis, keepdims):
        for one in sorted(axis, reverse=True):
            values = np.logaddexp.reduce(values, axis=one, keepdims=keepdims)
        return values

    return [cut(reduce_by(pairs)([x[0].astype(np.float64), *x[1:]], at, opset)[0], x[0])]


def same(x):
    return x


def reduce_mean(x, at, opset):
    if is_float(x[0]):
        return reduce_by(np.mean)(x, at, opset)
    return [cut(reduce_by(np.mean)([x[0].astype(np.float64), *x[1:]], at, opset)[0], x[0])]


def trilu(x, at, opset):
    k = int(x[1]) if len(x) > 1 and x[1] is not None else 0
    return [(np.triu if at.get("upper", 1) else np.tril)(x[0], k)]


def shrink(x, at):
    bias, limit = at.get("bias", 0.0), at.get("lambd", 0.5)
    return cut(np.where(x < -limit, x + bias, np.where(x > limit, x - bias, 0)), x)


def fold(function):
    """Variadic operators."""

    def run(x, at, opset):
        out = x[0]
        for other in x[1:]:
            out = function(out, other)
        return [out]

    return run


def binary(function):
    return lambda x, at, opset: [function(x[0], x[1])]


def unary(function):
    return lambda x, at, opset: [function(x[0])]


def global_axes(x):
    return tuple(range(2, x.ndim))


def dropout(x, at, opset):
    return [x[0], np.ones(x[0].shape, dtype=bool)]


OPERATORS = {
    "Add": binary(np.add),
    "Sub": binary(np.subtract),
    "Mul": binary(np.multiply),
    "Div": binary(divide),
    "Pow": binary(np.power),
    "Equal": binary(np.equal),
    "Less": binary(np.less),
    "Greater": binary(np.greater),
    "LessOrEqual": binary(np.less_equal),
    "GreaterOrEqual": binary(np.greater_equal),
    "And": binary(np.logical_and),
    "Or": binary(np.logical_or),
    "Xor": binary(np.logical_xor),
    "Not": unary(np.logical_not),
    "Size": unary(lambda x: np.array(x.size, dtype=np.int64)),
    "Where": lambda x, at, opset: [np.where(x[0], x[1], x[2])],
    "Mod": binary(np.mod),
    "Sin": unary(np.sin),
    "Cos": unary(np.cos),
    "Sum": fold(np.add),
    "Max": fold(np.maximum),
    "Min": fold(np.minimum),
    "Mean": lambda x, at, opset: [fold(np.add)(x, at, opset)[0] / len(x)],
    "Relu": unary(lambda x: np.maximum(x, 0)),
    "Sigmoid": unary(lambda x: 1 / (1 + np.exp(-x))),
    "Tanh": unary(np.tanh),
    "Erf": unary(erf),
    "Mish": unary(lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    "Gelu": lambda x, at, opset: [gelu(x[0], at)],
    "Exp": unary(np.exp),
    "Sqrt": unary(np.sqrt),
    "Neg": unary(np.negative),
    "Abs": unary(np.abs),
    "Identity": unary(lambda x: x),
    "Dropout": dropout,
    "Clip": lambda x, at, opset: [clip(x, at, opset)],
    "MatMul": lambda x, at, opset: [np.matmul(x[0], x[1])],
    "Gemm": lambda x, at, opset: [gemm(x[0], x[1], x[2] if len(x) > 2 else None, at)],
    "Softmax": lambda x, at, opset: [softmax(x[0], at.get("axis", -1 if opset >= 13 else 1), opset)],
    "BatchNormalization": lambda x, at, opset: [batch_norm(*x[:5], at)],
    "LRN": lambda x, at, opset: [lrn(x[0], at)],
    "LayerNormalization": lambda x, at, opset: layer_norm(x, at),
    "ReduceMean": reduce_mean,
    "ReduceL1": reduce_cut(np.abs, same),
    "ReduceL2": reduce_cut(np.square, np.sqrt),
    "ReduceSumSquare": reduce_cut(np.square, same),
    "ReduceLogSum": reduce_cut(same, np.log),
    "ReduceLogSumExp": log_sum_exp,
    "Trilu": trilu,
    "Shrink": lambda x, at, opset: [shrink(x[0], at)],
    "ReduceSum": reduce_by(np.sum),
    "ReduceMax": reduce_by(np.max),
    "ReduceMin": reduce_by(np.min),
    "ReduceProd": reduce_by(np.prod),
    "GlobalAveragePool": lambda x, at, opset: [x[0].mean(axis=global_axes(x[0]), keepdims=True)],
    "GlobalMaxPool": lambda x, at, opset: [x[0].max(axis=global_axes(x[0]), keepdims=True)],
    **forms.OPERATORS,
    **quantizing.OPERATORS,
    **integers.OPERATORS,
    **windows.OPERATORS,
    **shaping.OPERATORS,
}


def attributes_of(node, given):
    """`given`: attributes of the function that the node stands in."""
    out = {"output_count": len(node.output)}
    for attribute in node.attribute:
        if attribute.ref_attr_name:
            if attribute.ref_attr_name in given:
                out[attribute.name] = given[attribute.ref_attr_name]
            continue
        value = helper.get_attribute_value(attribute)
        out[attribute.name] = value.decode() if isinstance(value, bytes) else value
    return out


class Evaluation:
    def __init__(self, model):
        self._functions = {(f.domain, f.name): f for f in model.functions}

    def run(self, nodes, values, opset, given):
        """Adds what the nodes compute to `values`."""
        for node in nodes:
            operands = [values[name] for name in node.input]
            results = self._results(node, operands, values, opset, attributes_of(node, given))
            for name, result in zip(node.output, results):
                if name:
                    values[name] = result if isinstance(result, list) else np.asarray(result)  # a list: a sequence

    def _results(self, node, operands, values, opset, attributes):
        function = self._functions.get((node.domain, node.op_type))
        if function:
            inner = {"": None, **dict.fromkeys(function.input), **dict(zip(function.input, operands))}
            own = next(o.version for o in function.opset_import if o.domain in ("", "ai.onnx"))
            self.run(function.node, inner, own, attributes)
            return [inner[name] for name in function.output]
        if node.op_type == "If":
            taken = attributes["then_branch" if operands[0].item() else "else_branch"]
            inner = dict(values)
            self.run(taken.node, inner, opset, attributes)
            return [inner[output.name] for output in taken.output]
        special = OPERATORS.get(f"{node.domain}.{node.op_type}") # what means another than the operator of ONNX
        return (special or OPERATORS[node.op_type])(operands, attributes, opset)


def evaluate(model, feeds):
    """Values of the graph's outputs, in their order. `feeds`: name -> array."""
    graph = model.graph
    opset = next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
    values = {"": None}
    for tensor in graph.initializer:
        values[tensor.name] = widened(numpy_helper.to_array(tensor))
    for name, array in feeds.items():
        values[name] = widened(array)
    with np.errstate(all="ignore"):
        Evaluation(model).run(graph.node, values, opset, {})
    return [values[output.name] for output in graph.output]
