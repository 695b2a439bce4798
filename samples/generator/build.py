"""Builds a model from short descriptions and writes it in the layout of the ONNX backend tests:

    NAME/model.onnx   NAME/test_data_set_K/input_J.pb   NAME/test_data_set_K/output_J.pb
"""
import shutil

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .evaluate import evaluate

IR_VERSIONS = {7: 3, 8: 3, 9: 4, 10: 5, 11: 6, 12: 7, 13: 7, 14: 7, 15: 8, 16: 8, 17: 8, 18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11, 24: 11}
CHECKED_OPSET = 17  # the newest that Debian's python3-onnx can check


def node(operator, inputs, outputs="y", **attributes):
    """Operands are separated by blanks, so are results; "-" is an optional one that is absent."""
    operands, results = (["" if name == "-" else name for name in text.split()] for text in (inputs, outputs))
    return helper.make_node(operator, operands, results, name=f"{operator}_{outputs.split()[0]}", **attributes)


def stored(array):
    """What goes into a file: floating-point values as float32."""
    array = np.asarray(array)
    return array.astype(np.float32) if array.dtype.kind == "f" else array


def numpy_type(dtype):
    return onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[dtype]


class Sample:
    """One folder. `sets`: a list of {input: array}; `weights`: {name: array}, kept as initializers.
    `shapes` overrides the declared shape of inputs and outputs, where a dimension is free. `checked`: whether the checker
    of ONNX takes it, too."""

    def __init__(self, name, nodes, sets, weights=None, outputs="y", opset=13, shapes=None, doc="",
                 functions=(), checked=True):
        self.name = name
        self.weights = {key: stored(value) for key, value in (weights or {}).items()}
        self.sets = [{key: stored(value) for key, value in feeds.items()} for feeds in sets]
        self.outputs = outputs.split()
        self.shapes = shapes or {}
        self.model = self._model(nodes, opset, doc, functions)
        self.results = [evaluate(self.model, feeds) for feeds in self.sets]
        self._declare_outputs()
        shaped = None not in self.shapes.values()  # the checker wants a shape of each input
        if checked and shaped and opset <= CHECKED_OPSET:
            onnx.checker.check_model(self.model)

    def _value(self, name, array):
        return helper.make_tensor_value_info(name, numpy_type(array.dtype), self.shapes.get(name, array.shape))

    def _model(self, nodes, opset, doc, functions):
        inputs = [self._value(name, array) for name, array in self.sets[0].items()]
        if IR_VERSIONS[opset] < 4:  # initializers had to be inputs too
            inputs += [self._value(name, array) for name, array in self.weights.items()]
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in self.outputs]
        initializers = [numpy_helper.from_array(array, name) for name, array in self.weights.items()]
        graph = helper.make_graph(nodes, self.name, inputs, outputs, initializers, doc_string=doc)
        opsets = [helper.make_opsetid("", opset)]
        domains = {f.domain for f in functions} | {n.domain for n in nodes if n.domain}
        opsets += [helper.make_opsetid(domain, 1) for domain in sorted(domains)]
        model = helper.make_model(graph, producer_name="make_samples", opset_imports=opsets, functions=functions)
        model.ir_version = IR_VERSIONS[opset]
        return model

    def _declare_outputs(self):
        del self.model.graph.output[:]
        for name, array in zip(self.outputs, self.results[0]):
            self.model.graph.output.append(self._value(name, stored(array)))

    def write(self, parent):
        folder = parent / self.name
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        (folder / "model.onnx").write_bytes(self.model.SerializeToString())
        for k, feeds in enumerate(self.sets):
            data = folder / f"test_data_set_{k}"
            data.mkdir()
            for j, (name, array) in enumerate(feeds.items()):
                (data / f"input_{j}.pb").write_bytes(numpy_helper.from_array(array, name).SerializeToString())
            for j, (name, array) in enumerate(zip(self.outputs, self.results[k])):
                tensor = numpy_helper.from_array(stored(array), name)
                (data / f"output_{j}.pb").write_bytes(tensor.SerializeToString())
