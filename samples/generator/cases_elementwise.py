"""Elementwise operators: broadcasting, operand and attribute forms, element types, empty and rank-0 tensors."""
import numpy as np
from onnx import TensorProto

from .build import node
from .numbers import ints, nonzero, reals, whole

F = np.float32


def arithmetic(cases):
    for operator in ("Add", "Sub", "Mul", "Div"):
        name = operator.lower()
        right = nonzero if operator == "Div" else ints
        n = node(operator, "x z")
        cases.add(f"{name}_same", n, {"x": ints(3, 5), "z": right(3, 5, seed=1)})
        cases.add(f"{name}_both_ways", n, {"x": ints(2, 1, 4), "z": right(3, 1, seed=1)})
        cases.add(f"{name}_constant_row", n, {"x": ints(2, 3, 7)}, {"z": right(7, seed=1)})
        cases.add(f"{name}_channel", n, {"x": ints(2, 3, 4, 5)}, {"z": right(3, 1, 1, seed=1)}, opset=7)
        cases.add(f"{name}_int64", n, {"x": whole([-7, 8, 9]), "z": whole([2, -3, 4])}, opset=14)
    n = node("Add", "x z")
    cases.add("add_scalar_left", node("Add", "z x"), {"x": ints(4, 9)}, {"z": F(3)})
    cases.add("add_rank_0", n, {"x": F(3), "z": F(4)})
    cases.add("add_rank_0_row", n, {"x": F(3), "z": ints(5)})
    cases.add("add_itself", node("Add", "x x"), {"x": ints(5)})
    cases.add("add_empty", n, {"x": ints(0, 3), "z": ints(3)})
    cases.add("add_empty_broadcast", n, {"x": ints(2, 0), "z": ints(2, 1)})
    cases.add("add_int32", n, {"x": whole([1, -2], np.int32), "z": whole([[3], [4]], np.int32)}, opset=14)
    cases.add("add_rank_5", n, {"x": ints(2, 1, 3, 1, 2), "z": ints(3, 1, 2, 1, seed=1)})
    sizes = (1, 3, 0, 17)
    cases.add(
        "add_free_rows",
        n,
        [{"x": ints(k, 3)} for k in sizes],
        {"z": ints(3, seed=1)},
        shapes={"x": ["N", 3], "y": ["N", 3]},
    )
    cases.add(
        "mul_free_both",
        node("Mul", "x z"),
        [{"x": ints(k, 1, 2), "z": ints(m, 2, seed=1)} for k, m in ((1, 1), (2, 5), (4, 3))],
        shapes={"x": ["N", 1, 2], "z": ["M", 2], "y": ["N", "M", 2]},
    )
    cases.add("div_thirds_are_rounded", node("Div", "x z"), {"x": ints(20, low=-50, high=50)}, {"z": F(3)})
    cases.add("sub_vector_sizes", [node("Sub", "a b", "ya"), node("Sub", "c b", "yc")],
              {"a": ints(1), "b": ints(1, seed=2), "c": ints(17)}, outputs="ya yc")


def single(cases):
    special = np.array([-np.inf, -2, -0.0, 0, 3, np.inf], dtype=F)
    for operator in ("Relu", "Neg", "Abs"):
        cases.add(f"{operator.lower()}_plain", node(operator, "x"), {"x": ints(3, 17)})
        cases.add(f"{operator.lower()}_special", node(operator, "x"), {"x": special})
    cases.add("relu_rank_0", node("Relu", "x"), {"x": F(-3)}, opset=7)
    cases.add("relu_empty", node("Relu", "x"), {"x": ints(2, 0, 3)})
    cases.add("abs_int64", node("Abs", "x"), {"x": whole([-3, 0, 4])})
    cases.add("neg_int32", node("Neg", "x"), {"x": whole([-3, 0, 4], np.int32)})
    cases.add("sqrt_squares", node("Sqrt", "x"), {"x": ints(9, 3) ** 2})
    cases.close("sqrt_reals", node("Sqrt", "x"), {"x": reals(40, low=0, high=50)})
    wide = np.array([-100, -20, -1, -1e-3, 0, 1e-3, 0.5, 1, 20, 80], dtype=F)
    for operator in ("Sigmoid", "Tanh", "Erf", "Exp"):
        opset = 9 if operator == "Erf" else 7
        cases.close(f"{operator.lower()}_reals", node(operator, "x"), {"x": reals(4, 33)}, opset=opset)
        cases.close(f"{operator.lower()}_wide", node(operator, "x"), {"x": wide})
    cases.close("pow_square", node("Pow", "x z"), {"x": ints(4, 5)}, {"z": F(2)})
    cases.close("pow_square_int_exponent", node("Pow", "x z"), {"x": ints(4, 5)}, {"z": whole(2)})
    cases.close("pow_cube_opset_7", node("Pow", "x z"), {"x": ints(4, 5)}, {"z": F(3)}, opset=7)
    cases.close("pow_half", node("Pow", "x z"), {"x": reals(7, low=0.1)}, {"z": F(0.5)}, opset=12)
    cases.close("pow_broadcast", node("Pow", "x z"), {"x": reals(3, 1, low=0.5), "z": reals(4, seed=1)})
    cases.close("pow_negative_exponent", node("Pow", "x z"), {"x": nonzero(6)}, {"z": F(-1)})


def clips(cases):
    x = {"x": ints(5, 7, low=-9, high=9)}
    n = node("Clip", "x low high")
    cases.add("clip_attributes", node("Clip", "x", min=-2.0, max=3.0), x, opset=7)
    cases.add("clip_attribute_min", node("Clip", "x", min=0.0), x, opset=10)
    cases.add("clip_attribute_max", node("Clip", "x", max=6.0), x, opset=6 + 4)
    cases.add("clip_operands", n, x, {"low": F(-2), "high": F(3)}, opset=11)
    cases.add("clip_operand_high", node("Clip", "x - high"), x, {"high": F(3)}, opset=12)
    cases.add("clip_operand_low", node("Clip", "x low"), x, {"low": F(0)}, opset=13)
    cases.add("clip_no_bounds", node("Clip", "x"), x, opset=13)
    ends = {"x": np.array([np.inf, -np.inf, np.nan, 0.5, np.finfo(F).max, np.finfo(F).min], dtype=F)}
    given = {"low": np.array(-1, F), "high": np.array(1, F)}
    cases.add("clip_infinite_attribute_min", node("Clip", "x", min=-1.0), ends, opset=6 + 1)
    cases.add("clip_infinite_attribute_max", node("Clip", "x", max=1.0), ends, opset=10)
    cases.add("clip_infinite_low", node("Clip", "x low"), ends, {"low": F(-1)}, opset=11)
    cases.add("clip_infinite_high", node("Clip", "x - high"), ends, {"high": F(1)})
    cases.add("clip_infinite_no_bounds", node("Clip", "x"), ends)
    cases.add("clip_infinite_low_computed", node("Clip", "x low"), {**ends, "low": given["low"]})
    cases.add("clip_infinite_high_computed", node("Clip", "x - high"), {**ends, "high": given["high"]})
    cases.add("clip_between_infinities", node("Clip", "x low high"), ends, {"low": F(-np.inf), "high": F(np.inf)})
    cases.add("clip_constants_from_nodes", [
        node("Constant", "", "low", value_float=-1.0), node("Constant", "", "high", value_float=6.0), n], x)


def variadic(cases):
    three = {"a": ints(2, 3), "b": ints(2, 3, seed=1), "c": ints(2, 3, seed=2)}
    for operator in ("Sum", "Max", "Min"):
        name = operator.lower()
        cases.add(f"{name}_three", node(operator, "a b c"), three, opset=7 if operator == "Sum" else 8)
        cases.add(f"{name}_one", node(operator, "a"), {"a": ints(4)})
        cases.add(f"{name}_broadcast", node(operator, "a b"), {"a": ints(2, 1, 3), "b": ints(4, 1, seed=1)})
    cases.add("mean_four", node("Mean", "a b c a"), three)
    cases.add("mean_two_broadcast", node("Mean", "a b"), {"a": ints(2, 3), "b": ints(3, seed=1)}, opset=8)
    cases.add("max_int64", node("Max", "a b"), {"a": whole([1, 5]), "b": whole([4, 2])})


def choices(cases):
    pair = {"x": ints(4, 6, low=-2, high=2), "z": ints(6, low=-2, high=2, seed=1)}
    for operator, opset in (("Equal", 11), ("Less", 9), ("Greater", 7)):
        cases.add(f"{operator.lower()}_float", node(operator, "x z"), pair, opset=opset)
    integers = {"x": whole([1, 2, 3]), "z": whole([3, 2, 1])}
    cases.add("equal_int64", node("Equal", "x z"), integers, opset=7)
    cases.add("less_int64", node("Less", "x z"), integers)
    condition = np.array([[True], [False]])
    cases.add("where_broadcast", node("Where", "c x z"), {"c": condition, "x": ints(3), "z": ints(2, 3, seed=1)}, opset=9)
    cases.add("where_after_greater", [node("Greater", "x zero", "positive"), node("Where", "positive x low")],
              {"x": ints(5, 5)}, {"zero": F(0), "low": F(-1)})
    cases.add("where_int64", node("Where", "c x z"), {"c": condition, "x": whole([1, 2]), "z": whole(7)})


def passing(cases):
    cases.add("identity", node("Identity", "x"), {"x": ints(3, 2)})
    cases.add("identity_of_constant", node("Identity", "w"), {"x": ints(2)}, {"w": ints(3)})
    for opset in (7, 10, 12):
        cases.add(f"dropout_opset_{opset}", [node("Dropout", "x", "d", **({"ratio": 0.5} if opset < 12 else {})),
                                            node("Add", "d x")], {"x": ints(3, 4)}, opset=opset)
    cases.add("dropout_operands_13", [node("Dropout", "x ratio training", "d"), node("Neg", "d")], {"x": ints(3, 4)},
              {"ratio": F(0.5), "training": np.array(False)})
    for to, label in ((TensorProto.INT64, "int64"), (TensorProto.INT32, "int32"), (TensorProto.BOOL, "bool")):
        x = {"x": np.array([-2.7, -1, 0, 0.5, 2.9], dtype=F)}
        cases.add(f"cast_to_{label}", node("Cast", "x", to=to), x, opset=9)
    cases.add("cast_int64_to_float", node("Cast", "x", to=TensorProto.FLOAT), {"x": whole([-3, 0, 9])}, opset=7)
    cases.add("cast_bool_to_float", node("Cast", "x", to=TensorProto.FLOAT), {"x": np.array([True, False])})
    cases.add("cast_int32_to_int64", node("Cast", "x", to=TensorProto.INT64), {"x": whole([1, -2], np.int32)})
    cases.add("cast_to_itself", node("Cast", "x", to=TensorProto.FLOAT), {"x": ints(3)})


def chains(cases):
    """Several at once, so that fusion has something to get wrong."""
    cases.add("chain_residual", [node("Add", "x b", "a"), node("Relu", "a", "r"), node("Mul", "r s", "m"),
                                 node("Add", "m x")], {"x": ints(3, 5)}, {"b": ints(5, seed=1), "s": F(2)})
    cases.add("chain_value_escapes", [node("Add", "x b", "a"), node("Relu", "a", "r"), node("Neg", "a", "n"),
                                      node("Mul", "r n")], {"x": ints(4, 17)}, {"b": ints(17, seed=1)}, outputs="a y")
    cases.add("chain_diamond", [node("Relu", "x", "a"), node("Neg", "a", "l"), node("Abs", "a", "r"),
                                node("Sub", "l r")], {"x": ints(2, 9)})
    cases.add("output_is_input", [node("Neg", "x")], {"x": ints(3)}, outputs="x y")
    cases.add("unused_input", [node("Neg", "x")], {"x": ints(3), "z": ints(2)})
    cases.add("weights_only", [node("Add", "a b")], {"x": ints(1)}, {"a": ints(3), "b": ints(3, seed=1)})


def add_to(cases):
    for part in (arithmetic, single, clips, variadic, choices, passing, chains):
        part(cases)
