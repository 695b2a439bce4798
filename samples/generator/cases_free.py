"""Sizes that a model leaves open: windows and movements over free dimensions, conditions that sizes decide, inputs of
which only the data say the shape, sequences whose tensors are known one by one."""
import numpy as np
from onnx import TensorProto, helper

from .build import node
from .numbers import ints, reals

F = np.float32


def whole(values, dtype=np.int64):
    return np.array(values, dtype=dtype)


def padding(cases):
    batches = [{"x": ints(n, 2, 4, 5, seed=n)} for n in (2, 1, 5)]
    pads = {"pads": whole([0, 0, 1, 2, 0, 0, 2, 1])}
    for mode, opset in (("reflect", 13), ("edge", 13), ("wrap", 19)):
        cases.add(f"pad_{mode}_free_batch", node("Pad", "x pads", mode=mode), batches, pads, opset=opset,
                  shapes={"x": ["N", 2, 4, 5], "y": ["N", 2, 7, 8]})
        images = [{"x": ints(1, 2, h, w, seed=h)} for h, w in ((3, 3), (4, 7), (9, 16))]
        cases.add(f"pad_{mode}_free_size", node("Pad", "x pads", mode=mode), images, pads, opset=opset,
                  shapes={"x": [1, 2, "H", "W"], "y": [1, 2, "P", "Q"]})


SIZES = ((5, 6), (6, 5), (1, 2), (16, 17), (9, 9))


def windows(cases):
    def slide(name, operator, kernel, opset=13, close=False, weights=None, scale=1, **attributes):
        add = cases.close if close else cases.add
        axes = len(kernel)
        images = [{"x": scale * ints(1, 2, *size[:axes], seed=sum(size))} for size in SIZES]
        names = ["H", "W"][:axes]
        add(name, node(operator, "x w" if weights else "x", kernel_shape=kernel, **attributes), images,
            {"w": ints(*weights, low=-3, high=3, seed=1)} if weights else None, opset=opset,
            shapes={"x": [1, 2, *names], "y": [1, weights[0] if weights and operator == "Conv" else
                                               weights[1] if weights else 2, *["P", "Q"][:axes]]})

    for same in ("SAME_UPPER", "SAME_LOWER"):
        end = same.lower()
        slide(f"conv_{end}_free_stride_2", "Conv", [3, 3], weights=(3, 2, 3, 3), auto_pad=same, strides=[2, 2])
        slide(f"conv_{end}_free_strides_differ", "Conv", [2, 4], weights=(3, 2, 2, 4), auto_pad=same, strides=[3, 2])
        slide(f"conv_{end}_free_dilated", "Conv", [3, 3], weights=(3, 2, 3, 3), auto_pad=same, strides=[2, 1],
              dilations=[2, 2])
        slide(f"conv_{end}_free_1d", "Conv", [5], weights=(3, 2, 5), auto_pad=same, strides=[2])
        slide(f"conv_transpose_{end}_free", "ConvTranspose", [3, 3], weights=(2, 3, 3, 3), auto_pad=same,
              strides=[2, 2])
        slide(f"max_pool_{end}_free", "MaxPool", [3, 3], auto_pad=same, strides=[2, 2])
        slide(f"average_pool_{end}_free", "AveragePool", [3, 3], auto_pad=same, strides=[2, 2], close=True)
        slide(f"average_pool_{end}_free_2x2", "AveragePool", [2, 2], auto_pad=same, strides=[2, 2], scale=4)
    slide("conv_1x1_same_free_stride_2", "Conv", [1, 1], weights=(3, 2, 1, 1), auto_pad="SAME_UPPER", strides=[2, 2])
    slide("conv_valid_free_stride_2", "Conv", [1, 2], weights=(3, 2, 1, 2), auto_pad="VALID", strides=[2, 2])
    ceil = {"ceil_mode": 1}
    slide("max_pool_ceil_free", "MaxPool", [3, 3], pads=[1, 1, 1, 1], strides=[2, 2], **ceil)
    slide("max_pool_ceil_free_2x2", "MaxPool", [2, 2], strides=[2, 2], **ceil)
    slide("max_pool_ceil_free_no_pads", "MaxPool", [1, 2], strides=[3, 2], **ceil)
    slide("average_pool_ceil_free", "AveragePool", [2, 2], strides=[2, 2], close=True, **ceil)
    slide("average_pool_ceil_free_counts_pads", "AveragePool", [3, 3], pads=[1, 1, 1, 1], strides=[2, 2], close=True,
          count_include_pad=1, **ceil)
    images = [{"x": ints(1, 2, h, w, seed=h)} for h, w in ((5, 6), (17, 8))]
    cases.add("conv_same_free_then_pool", [
        node("Conv", "x w", "c", kernel_shape=[3, 3], auto_pad="SAME_UPPER", strides=[2, 2]), node("Relu", "c", "r"),
        node("MaxPool", "r", "y", kernel_shape=[3, 3], auto_pad="SAME_UPPER", strides=[2, 2])], images,
        {"w": ints(4, 2, 3, 3, low=-3, high=3, seed=1)}, shapes={"x": [1, 2, "H", "W"], "y": [1, 4, "P", "Q"]})


def parts(cases):
    rows = {"x": [2, "N"], "p": [2, "A"], "q": [2, "A"], "r": [2, "B"]}
    cases.add("split_equal_free_13", node("Split", "x", "p q r", axis=1), [{"x": ints(2, n)} for n in (3, 9, 0)],
              outputs="p q r", shapes={**rows, "r": [2, "A"]})
    cases.add("split_num_outputs_free_18", node("Split", "x", "p q r", axis=1, num_outputs=3),
              [{"x": ints(2, n)} for n in (7, 3, 9, 5)], outputs="p q r", opset=18, shapes=rows)
    cases.add("split_chunks_free_18", [node("Split", "x", "p q", axis=0, num_outputs=2), node("Neg", "q", "y")],
              [{"x": ints(n, 3)} for n in (5, 2, 1)], opset=18, shapes={"x": ["N", 3], "y": ["M", 3]})
    cases.add("squeeze_no_axes_free", node("Squeeze", "x"), [{"x": ints(n, 1, 3)} for n in (2, 4)],
              shapes={"x": ["N", 1, 3], "y": ["N", 3]})
    cases.add("squeeze_no_axes_free_is_one", node("Squeeze", "x"), [{"x": ints(1, 1, 3)}, {"x": ints(1, 1, 3, seed=1)}],
              folder="data",
              shapes={"x": ["N", 1, 3], "y": ["M"]})

    # Sizes that are the values of an input.
    cases.add("layernorm_of_given_sizes", [node("Expand", "x s", "c"), node("LayerNormalization", "c g b")],
              {"x": F([4]), "s": whole([2, 3]), "g": F([3, 5, 7])}, {"b": F([1, -2, 0.5])}, opset=17, folder="data",
              shapes={"x": [1], "s": [2], "g": [3], "y": ["A", "B"]})
    cases.add("sizes_split_from_a_constant",
              [node("Split", "z", "a b", axis=0, num_outputs=2), node("Concat", "b a", "s", axis=0), node("Expand", "x s")],
              {"x": ints(1, 3)}, {"z": whole([3, 1, 2])}, opset=18)
    cases.add("range_beyond_2_to_53", [node("Range", "a b d", "r"), node("Sub", "r a")],
              {"a": whole(2**60), "b": whole(2**60 + 2000), "d": whole(7)}, shapes={"y": ["N"]})


def names(cases):
    cases.add("dims_question_marks", node("Relu", "x"), [{"x": ints(1, h, w)} for h, w in ((5, 7), (3, 3))],
              shapes={"x": ["?", "?", "?"], "y": ["?", "?", "?"]})
    cases.add("dims_minus_one", node("Relu", "x"), [{"x": ints(2, h, w)} for h, w in ((5, 7), (3, 3))],
              shapes={"x": [-1, -1, -1], "y": [-1, -1, -1]})
    cases.add("dims_of_two_inputs_without_names", node("Concat", "a b", axis=1),
              [{"a": ints(2, k), "b": ints(2, m, seed=1)} for k, m in ((3, 1), (1, 4))],
              shapes={"a": [2, "None"], "b": [2, "None"], "y": [2, "-1"]})


def branch(operator, name):
    body = helper.make_graph([helper.make_node(operator, ["x"], [name])], name, [],
                             [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)])
    return body


def conditions(cases):
    def decide(name, nodes, inputs, weights, **more):
        taken = helper.make_node("If", ["c"], ["y"], name="If_y", then_branch=branch("Relu", "t"),
                                 else_branch=branch("Neg", "e"))
        cases.add(name, [*nodes, taken], inputs, weights, **more)

    x = {"x": ints(2, 1, 3)}
    two = {"a": whole(1), "two": whole(2)}
    comparisons = [("Greater", 9), ("Less", 9), ("GreaterOrEqual", 12), ("LessOrEqual", 12), ("Equal", 11)]
    for operator, opset in comparisons:
        decide(f"if_constant_{operator.lower()}", [node(operator, "a two", "c")], x, two, opset=max(opset, 12))
    decide("if_constant_cast_of_a_size", [
        node("Shape", "x", "s"), node("Gather", "s one", "g", axis=0), node("Squeeze", "g zero", "q"),
        node("Cast", "q", "c", to=TensorProto.BOOL)], x, {"one": whole([1]), "zero": whole([0])})
    decide("if_constant_not_of_real", [node("Less", "f g", "l"), node("Not", "l", "c")], x,
           {"f": F(0.5), "g": F(0.25)})
    decide("if_constant_of_both", [
        node("Size", "x", "n"), node("Greater", "n two", "m"), node("Less", "n a", "l"), node("Or", "m l", "o"),
        node("Xor", "o l", "z"), node("And", "z m", "c")], x, two)
    decide("if_constant_reduced", [node("Shape", "x", "s"), node("ReduceMax", "s", "r", keepdims=0),
                                   node("GreaterOrEqual", "r two", "c")], x, two)
    sizes = {"x": ["N", 3], "y": ["N", 3]}
    rows = [node("Shape", "x", "s"), node("Gather", "s zero", "n", axis=0)]
    decide("if_decided_by_data", [*rows, node("Equal", "n two", "c")], {"x": ints(2, 3)},
           {"zero": whole(0), "two": whole(2)}, shapes=sizes, folder="data")
    decide("if_decided_by_each_data_set", [*rows, node("Greater", "n two", "c")],
           [{"x": ints(n, 3)} for n in (2, 3, 1, 7)], {"zero": whole(0), "two": whole(2)}, shapes=sizes,
           folder="data")
    decide("if_never_negative_size", [*rows, node("Less", "n zero", "c")], [{"x": ints(n, 3)} for n in (2, 5)],
           {"zero": whole(0)}, shapes=sizes)


def untold(cases):
    cases.add("input_without_shape", [node("Transpose", "x", "t", perm=[1, 0]), node("Add", "t b")],
              [{"x": ints(3, 2)}, {"x": ints(3, 4)}], {"b": ints(3)}, shapes={"x": None, "y": None},
              folder="data")
    cases.add("softmax_of_input_without_shape", node("Softmax", "x", axis=-1), {"x": reals(2, 5)},
              shapes={"x": None, "y": None}, folder="data")


def sequences(cases):
    one = {"one": whole(1)}
    x = {"x": ints(2, 3, 4)}
    cases.add("split_to_sequence_unbind", [node("SplitToSequence", "x", "q", axis=0, keepdims=0),
                                           node("SequenceAt", "q one")], x, one)
    cases.add("split_to_sequence_unbind_free", [node("SplitToSequence", "x", "q", axis=1, keepdims=0),
                                                node("SequenceAt", "q one")],
              [{"x": ints(n, 3)} for n in (2, 5, 0)], {"one": whole(-1)}, shapes={"x": ["N", 3], "y": ["N"]})
    cases.add("split_to_sequence_chunks", [
        node("SplitToSequence", "x size", "q", axis=2), node("SequenceAt", "q one", "p"),
        node("SequenceAt", "q zero", "r"), node("ReduceSum", "r axes", "s"), node("Mul", "p s")], x,
        {**one, "zero": whole(0), "size": whole(3), "axes": whole([2])})
    cases.add("split_to_sequence_sizes", [
        node("SplitToSequence", "x sizes", "q", axis=2), node("SequenceAt", "q one")], x,
        {**one, "sizes": whole([1, 3])})
    ab = {"a": ints(2, 3), "b": ints(2, 3, seed=1)}
    for is_new, axis in ((0, 1), (1, 0), (1, -1)):
        name = f"sequence_concat_new_{is_new}_axis_{axis}".replace("-", "minus_")
        cases.add(name, [node("SequenceConstruct", "a b", "q"),
                         node("ConcatFromSequence", "q", axis=axis, new_axis=is_new)], ab)
    cases.add("sequence_insert_erase_length", [
        node("SequenceEmpty", "", "e"), node("SequenceInsert", "e a", "f"), node("SequenceInsert", "f b zero", "g"),
        node("SequenceInsert", "g a", "h"), node("SequenceErase", "h one", "i"), node("SequenceLength", "i", "l"),
        node("ConcatFromSequence", "i", "c", axis=0), node("Cast", "l", "k", to=TensorProto.FLOAT),
        node("Mul", "c k")], ab, {**one, "zero": whole(0)})


def add_to(cases):
    for part in (padding, windows, parts, names, conditions, untold, sequences):
        part(cases)
