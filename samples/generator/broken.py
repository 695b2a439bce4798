"""Files that must be refused with a clear message, for the tests of the importer and of the command line."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from .build import node


def model(nodes, inputs, outputs, initializers=(), opsets=(("", 13),)):
    def value(name, dims):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)

    graph = helper.make_graph(
        nodes, "broken", [value(*i) for i in inputs], [value(*o) for o in outputs], list(initializers)
    )
    built = helper.make_model(graph, opset_imports=[helper.make_opsetid(*o) for o in opsets])
    built.ir_version = 7
    return built


def relu(dims):
    return model([node("Relu", "x")], [("x", dims)], [("y", dims)])


def external_escape():
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value="../secret")
    return model([node("Add", "x w")], [("x", [4])], [("y", [4])], [weight])


def short_weight():
    weight = numpy_helper.from_array(np.ones(4, dtype=np.float32), "w")
    weight.raw_data = weight.raw_data[:10]
    return model([node("Add", "x w")], [("x", [4])], [("y", [4])], [weight])


def cycle():
    nodes = [node("Add", "x b", "a"), node("Relu", "a", "b"), node("Neg", "b", "y")]
    return model(nodes, [("x", [2])], [("y", [2])])


def broken_files():
    """name -> bytes"""
    whole = model(
        [node("MatMul", "x w", "m"), node("Relu", "m", "y")],
        [("x", [2, 8])],
        [("y", [2, 4])],
        [numpy_helper.from_array(np.arange(32, dtype=np.float32).reshape(8, 4), "w")],
    ).SerializeToString()
    stranger = helper.make_node("Frobnicate", ["x"], ["y"], name="stranger", domain="com.example")
    models = {
        "unknown_op": model([stranger], [("x", [2])], [("y", [2])], opsets=(("", 13), ("com.example", 1))),
        "shape_mismatch": model([node("Add", "x z")], [("x", [2, 3]), ("z", [4, 5])], [("y", [2, 3])]),
        "cycle": cycle(),
        "missing_input": model([node("Add", "x nowhere")], [("x", [2])], [("y", [2])]),
        "huge_dim": relu([2**31, 2**31, 2**31]),
        "external_escape": external_escape(),
        "short_weight": short_weight(),
        "duplicate_name": model([node("Relu", "x", "y"), node("Neg", "x", "y")], [("x", [2])], [("y", [2])]),
    }
    files = {f"{name}.onnx": built.SerializeToString() for name, built in models.items()}
    files["empty.onnx"] = b""
    files["truncated.onnx"] = whole[: len(whole) // 2]
    files["random.onnx"] = np.random.default_rng(7).bytes(512)
    files["text.onnx"] = b"This is not a model.\n"
    return files
