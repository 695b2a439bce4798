"""Operators that move, cut or make data, and those that speak about shapes."""
import math

import numpy as np
from onnx import TensorProto, numpy_helper

from . import boxes, resizing

INTEGER_TYPES = {
    TensorProto.INT32: np.int32,
    TensorProto.INT64: np.int64,
    TensorProto.INT8: np.int8,
    TensorProto.UINT8: np.uint8,
    TensorProto.BOOL: np.bool_,
}


def operand_or_attribute(x, position, at, name, default=None):
    """Operands that were attributes in older opsets."""
    if len(x) > position and x[position] is not None:
        return x[position].tolist()
    return at.get(name, default)


def reshape(x, at, opset):
    target = x[1].tolist()
    if not at.get("allowzero", 0):
        target = [x[0].shape[i] if d == 0 else d for i, d in enumerate(target)]
    return [x[0].reshape(target)]


def flatten(x, at, opset):
    axis = at.get("axis", 1)
    axis = axis + x[0].ndim if axis < 0 else axis
    return [x[0].reshape(math.prod(x[0].shape[:axis]), math.prod(x[0].shape[axis:]))]


def squeeze(x, at, opset):
    axes = operand_or_attribute(x, 1, at, "axes")
    if axes is None:
        return [np.squeeze(x[0])]
    return [np.squeeze(x[0], axis=tuple(axes))]


def unsqueeze(x, at, opset):
    axes = operand_or_attribute(x, 1, at, "axes")
    rank = x[0].ndim + len(axes)
    out = x[0]
    for axis in sorted(axis % rank for axis in axes):
        out = np.expand_dims(out, axis)
    return [out]


def transpose(x, at, opset):
    return [np.transpose(x[0], at.get("perm"))]


def gather(x, at, opset):
    return [np.take(x[0], x[1], axis=at.get("axis", 0))]


def slice_(x, at, opset):
    data = x[0]
    starts = operand_or_attribute(x, 1, at, "starts")
    ends = operand_or_attribute(x, 2, at, "ends")
    axes = operand_or_attribute(x, 3, at, "axes", list(range(len(starts))))
    steps = operand_or_attribute(x, 4, at, "steps", [1] * len(starts))
    where = [slice(None)] * data.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        size = data.shape[axis]
        start = start + size if start < 0 else start
        end = end + size if end < 0 else end
        if step > 0:
            start, end = min(max(start, 0), size), min(max(end, 0), size)
            where[axis] = slice(start, end, step)
        else:
            start, end = min(max(start, 0), size - 1), min(max(end, -1), size - 1)
            where[axis] = slice(start, None if end < 0 else end, step)
    return [data[tuple(where)]]


def split(x, at, opset):
    """Without sizes the parts are equal; their number is the number of outputs, which `evaluate` passes as an
    attribute of its own."""
    axis = at.get("axis", 0)
    sizes = operand_or_attribute(x, 1, at, "split")
    if sizes is None:
        count = at["output_count"]
        chunk = -(-x[0].shape[axis] // count)  # since opset 18 the last part may be smaller
        sizes = [chunk] * (count - 1)
        return np.split(x[0], np.cumsum(sizes), axis=axis)
    return np.split(x[0], np.cumsum(sizes)[:-1], axis=axis)


def pad(x, at, opset):
    pads = operand_or_attribute(x, 1, at, "pads")
    value = at.get("value", 0.0)
    if len(x) > 2 and x[2] is not None:
        value = x[2].item()
    rank = x[0].ndim
    data = x[0]
    if len(x) > 3 and x[3] is not None:
        whole_pads = [0] * (2 * rank)
        for i, axis in enumerate(x[3].tolist()):
            whole_pads[axis % rank] = pads[i]
            whole_pads[axis % rank + rank] = pads[len(x[3]) + i]
        pads = whole_pads
    # A negative pad cuts.
    data = data[tuple(slice(max(0, -pads[i]), data.shape[i] - max(0, -pads[rank + i])) for i in range(rank))]
    widths = [(max(0, pads[i]), max(0, pads[rank + i])) for i in range(rank)]
    mode = at.get("mode", "constant")
    if mode == "constant":
        return [np.pad(data, widths, constant_values=value)]
    if mode == "wrap":  # np.pad before 1.25 does not go around several times
        for axis, (before, behind) in enumerate(widths):
            if before or behind:
                data = data.take(np.arange(-before, data.shape[axis] + behind) % data.shape[axis], axis)
        return [data]
    return [np.pad(data, widths, mode=mode)]


def cast(x, at, opset):
    to = at["to"]
    if to in INTEGER_TYPES:
        return [x[0].astype(INTEGER_TYPES[to])]
    return [x[0].astype(np.float64)]


def constant(x, at, opset):
    for name, value in at.items():
        if not name.startswith("value"):
            continue
        if name == "value":
            array = numpy_helper.to_array(value)
        elif name in ("value_float", "value_floats"):
            array = np.asarray(value, dtype=np.float32)
        else:
            array = np.asarray(value, dtype=np.int64)
        return [array.astype(np.float64) if array.dtype.kind == "f" else array]
    raise ValueError("a constant without a value")


def constant_of_shape(x, at, opset):
    value = numpy_helper.to_array(at["value"]) if "value" in at else np.zeros(1, dtype=np.float32)
    value = value.astype(np.float64) if value.dtype.kind == "f" else value
    return [np.full(x[0].tolist(), value[0])]


def shape(x, at, opset):
    dims = np.array(x[0].shape, dtype=np.int64)
    return [dims[slice(at.get("start", 0), at.get("end"))]]


def expand(x, at, opset):
    return [x[0] * np.ones(x[1].tolist(), dtype=x[0].dtype)]


def range_(x, at, opset):
    start, limit, delta = (operand.item() for operand in x)
    count = max(math.ceil((limit - start) / delta), 0)
    return [np.array([start + i * delta for i in range(count)], dtype=x[0].dtype)]


def arg_max(x, at, opset):
    axis = at.get("axis", 0)
    found = np.argmax(x[0], axis=axis)
    return [np.expand_dims(found, axis) if at.get("keepdims", 1) else found]


def one_hot(x, at, opset):
    depth = int(np.asarray(x[1]).reshape(()))
    return [np.where((x[0][..., None] % depth) == np.arange(depth), x[2][1], x[2][0])]


def split_to_sequence(x, at, opset):
    """A sequence is a list of arrays. Without sizes every part has extent 1, and loses its axis if keepdims is 0."""
    axis, data = at.get("axis", 0), x[0]
    extent = data.shape[axis]
    given = x[1] if len(x) > 1 else None
    each = 1 if given is None else given.item() if given.ndim == 0 else None
    ends = np.arange(each, extent, each) if each else np.cumsum(given)[:-1]
    found = np.split(data, ends, axis=axis)
    if given is None and not at.get("keepdims", 1):
        found = [np.squeeze(part, axis=axis) for part in found]
    return [list(found)]


def sequence_insert(x, at, opset):
    place = int(x[2]) if len(x) > 2 else len(x[0])
    return [[*x[0][:place], x[1], *x[0][place:]]]


def sequence_erase(x, at, opset):
    place = (int(x[1]) if len(x) > 1 else -1) % len(x[0])
    return [[part for i, part in enumerate(x[0]) if i != place]]


def concat_from_sequence(x, at, opset):
    return [(np.stack if at.get("new_axis", 0) else np.concatenate)(x[0], axis=at["axis"])]


OPERATORS = {
    "SplitToSequence": split_to_sequence,
    "SequenceConstruct": lambda x, at, opset: [list(x)],
    "SequenceEmpty": lambda x, at, opset: [[]],
    "SequenceAt": lambda x, at, opset: [x[0][int(x[1])]],
    "SequenceInsert": sequence_insert,
    "SequenceErase": sequence_erase,
    "SequenceLength": lambda x, at, opset: [np.array(len(x[0]), dtype=np.int64)],
    "ConcatFromSequence": concat_from_sequence,
    "OneHot": one_hot,
    "Range": range_,
    "ArgMax": arg_max,
    "NonMaxSuppression": boxes.suppression,
    "Resize": resizing.resize,
    "Concat": lambda x, at, opset: [np.concatenate(x, axis=at["axis"])],
    "Reshape": reshape,
    "Flatten": flatten,
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Transpose": transpose,
    "Gather": gather,
    "Slice": slice_,
    "Split": split,
    "Pad": pad,
    "Cast": cast,
    "Constant": constant,
    "ConstantOfShape": constant_of_shape,
    "Shape": shape,
    "Expand": expand,
}
