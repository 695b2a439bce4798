"""Models whose nodes have graphs inside: functions of the model, branches, loops."""
import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, helper, numpy_helper

from .build import Sample, node
from .models import Seeded


def function(name, inputs, outputs, nodes, attributes=(), opset=17):
    return helper.make_function(
        "local", name, inputs.split(), outputs.split(), nodes,
        [helper.make_opsetid("", opset), helper.make_opsetid("local", 1)], list(attributes)
    )


def referring(made, **attributes):
    """Attributes of the node that are the function's: {name: (type, name in the function)}."""
    for name, (kind, of) in attributes.items():
        attribute = made.attribute.add()
        attribute.name, attribute.type, attribute.ref_attr_name = name, kind, of
    return made


def call(name, inputs, outputs, **attributes):
    made = node(name, inputs, outputs, **attributes)
    made.domain = "local"
    return made


def branch(name, nodes, outputs):
    return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for o in outputs.split()])


def functions():
    """A perceptron of layers that are functions, which call another; a branch that is always taken."""
    s = Seeded(31)
    for i, (rows, columns) in enumerate([(32, 16), (32, 32), (4, 32)]):
        s.weight(f"w{i}", rows, columns)
        s.bias(f"b{i}", rows)
    s.weights["trained"] = np.array(True)
    swish = function("swish", "x", "y", [node("Sigmoid", "x", "s"), node("Mul", "x s", "y")])
    layer = function("layer", "x w b", "y", [
        referring(node("Gemm", "x w b", "d", transB=1), alpha=(AttributeProto.FLOAT, "gain")),
        call("swish", "d", "y"),
    ], ["gain"])
    nodes = [
        call("layer", "features w0 b0", "h0", gain=1.0),
        call("layer", "h0 w1 b1", "h1", gain=0.5),
        node("Gemm", "h1 w2 b2", "scores", transB=1),
        node("If", "trained", "classes",
             then_branch=branch("softmax", [node("Softmax", "scores", "p", axis=1)], "p"),
             else_branch=branch("plain", [node("Identity", "scores", "q")], "q")),
    ]
    sets = [{"features": s.data(rows, 16)} for rows in (3, 1)]
    return Sample("functions", nodes, sets, s.weights, "classes", opset=17,
                  shapes={"features": ["N", 16], "classes": ["N", 4]}, functions=[layer, swish])


def typed(name, dims, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, dims)


def control_flow():
    """A loop that reads a weight from outside, a branch inside it, and a scan over rows: shown, not run."""
    s = Seeded(32)
    s.weight("w", 8, 8)
    step = helper.make_graph(
        [
            node("MatMul", "state w", "product"),
            node("ReduceMax", "product", "largest", keepdims=0),
            node("Less", "limit largest", "too_large"),
            node("If", "too_large", "next",
                 then_branch=branch("shrink", [node("Tanh", "product", "shrunk")], "shrunk"),
                 else_branch=branch("keep", [node("Identity", "product", "kept")], "kept")),
            node("Identity", "going", "still_going"),
        ],
        "step",
        [typed("i", [], TensorProto.INT64), typed("going", [], TensorProto.BOOL), typed("state", [4, 8])],
        [typed("still_going", [], TensorProto.BOOL), typed("next", [4, 8])],
    )
    running = helper.make_graph(
        [node("Add", "sum row", "new_sum"), node("Identity", "new_sum", "shown_sum")],
        "running_sum",
        [typed("sum", [8]), typed("row", [8])],
        [typed("new_sum", [8]), typed("shown_sum", [8])],
    )
    nodes = [
        node("Relu", "x", "start"),
        node("Loop", "trips yes start", "turned", body=step),
        node("Scan", "zeros turned", "total sums", body=running, num_scan_inputs=1),
        node("Sigmoid", "sums", "y"),
    ]
    weights = {"w": s.weights["w"], "limit": np.float32(4), "trips": np.array(3), "yes": np.array(True),
               "zeros": np.zeros(8, np.float32)}
    graph = helper.make_graph(
        nodes, "control_flow", [typed("x", [4, 8])], [typed("y", [4, 8])],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()],
        value_info=[typed("turned", [4, 8]), typed("total", [8]), typed("sums", [4, 8])],
    )
    made = helper.make_model(graph, producer_name="make_samples", opset_imports=[helper.make_opsetid("", 16)])
    made.ir_version = 8
    onnx.checker.check_model(made)
    return made.SerializeToString()
