"""Models in f16 and bf16. Every value has an element type: what an operator gives is computed in double precision and
rounded once, to the type that the model names. bf16 is rounded by the definition of its format, f16 by NumPy."""
import math
import shutil

import numpy as np
from onnx import TensorProto, helper

from .build import IR_VERSIONS
from .evaluate import attributes_of

CODES = {"f16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16, "f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE,
         "i64": TensorProto.INT64, "i32": TensorProto.INT32, "u8": TensorProto.UINT8, "i8": TensorProto.INT8,
         "u64": TensorProto.UINT64, "bool": TensorProto.BOOL}
ELEMENTS = {code: element for element, code in CODES.items()}
NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i64": np.int64, "i32": np.int32, "u8": np.uint8,
         "i8": np.int8, "u64": np.uint64, "bool": np.bool_}


def brain(values):
    """The nearest numbers of 8 bits and an exponent from -126 to 127, halves to even."""
    values = np.asarray(values)
    if values.dtype.kind in "iu":
        return np.array([whole_brain(int(v)) for v in values.ravel()]).reshape(values.shape)
    values = values.astype(np.float64)
    with np.errstate(invalid="ignore"):
        exponents = np.maximum(np.frexp(values)[1], -125) - 8
        rounded = np.ldexp(np.rint(np.ldexp(values, -exponents)), exponents)
    return np.where(np.abs(rounded) >= 2.0**128, np.copysign(np.inf, values), rounded)


def whole_brain(value):
    """Of an integer, which a double need not hold."""
    cut = max(abs(value).bit_length() - 8, 0)
    kept, rest = divmod(abs(value), 1 << cut)
    half = (1 << cut) // 2
    kept += cut > 0 and (rest > half or (rest == half and kept % 2))
    return math.copysign(float(kept << cut), value)


def rounded(values, element):
    """As doubles (integers as they are)."""
    if element == "bf16":
        return brain(values)
    if element in ("f16", "f32", "f64"):
        with np.errstate(over="ignore"):
            return np.asarray(values).astype(NUMPY[element]).astype(np.float64)
    return np.asarray(values).astype(NUMPY[element])


def raw(values, element):
    if element == "bf16":
        return (np.asarray(values).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).tobytes()
    return np.asarray(values).astype(NUMPY[element]).tobytes()


class Typed:
    def __init__(self, element, values):
        self.element = element
        self.values = rounded(values, element)

    def proto(self, name):
        return helper.make_tensor(name, CODES[self.element], self.values.shape, raw(self.values, self.element), raw=True)


class NarrowSample:
    """One folder with one data set. `operators`: name -> f(operands, attributes, opset) in double precision. Values named in
    `summed` are not rounded: they are added to in f32, as part of what follows."""

    def __init__(self, name, operators, nodes, feeds, weights=None, outputs="y", opset=17, shapes=None, summed=""):
        self.name = name
        self.feeds, self.outputs, self.summed = feeds, outputs.split(), summed.split()
        nodes = nodes if isinstance(nodes, list) else [nodes]
        values = {"": None, **(weights or {}), **feeds}
        with np.errstate(all="ignore"):
            for one in nodes:
                operands = [values[key] for key in one.input]
                attributes = attributes_of(one, {})
                given = [None if x is None else x.values for x in operands]
                named = attributes.get("to", attributes.get("dtype"))
                results = given[:1] if one.op_type == "Cast" else operators[one.op_type](given, attributes, opset)
                floats = [x.element for x in operands if x is not None and x.values.dtype.kind == "f"]
                for key, result in zip(one.output, results):
                    kind = np.asarray(result).dtype
                    element = ELEMENTS[named] if named else floats[0] if kind.kind == "f" else ELEMENT_OF[kind.name]
                    values[key] = Typed(element, result)
                    if key in self.summed:
                        values[key].values = np.asarray(result)
        self.results = [values[key] for key in self.outputs]
        shapes = shapes or {}
        declared = {key: helper.make_tensor_value_info(key, CODES[x.element], shapes.get(key, x.values.shape))
                    for key, x in [*feeds.items(), *zip(self.outputs, self.results)]}
        graph = helper.make_graph(nodes, name, [declared[key] for key in feeds], [declared[key] for key in self.outputs],
                                  [x.proto(key) for key, x in (weights or {}).items()])
        domains = sorted({one.domain for one in nodes if one.domain})
        opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 1) for domain in domains]
        self.model = helper.make_model(graph, producer_name="make_samples", opset_imports=opsets)
        self.model.ir_version = IR_VERSIONS[opset]

    def write(self, parent):
        folder = parent / self.name
        if folder.exists():
            shutil.rmtree(folder)
        data = folder / "test_data_set_0"
        data.mkdir(parents=True)
        (folder / "model.onnx").write_bytes(self.model.SerializeToString())
        for j, (name, value) in enumerate(self.feeds.items()):
            (data / f"input_{j}.pb").write_bytes(value.proto(name).SerializeToString())
        for j, (name, value) in enumerate(zip(self.outputs, self.results)):
            (data / f"output_{j}.pb").write_bytes(value.proto(name).SerializeToString())


ELEMENT_OF = {"int64": "i64", "int32": "i32", "uint8": "u8", "int8": "i8", "uint64": "u64", "bool": "bool"}
