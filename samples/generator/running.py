"""Networks with shapes that are computed: caches that grow, boxes that are selected, images of any size.

Written as exporters write them, with all their arithmetic on shapes left in.
"""
import numpy as np
import onnx
from onnx import TensorProto, helper

from .bodies import typed
from .build import Sample, node
from .models import Seeded


class Graph:
    """Nodes and weights; constants get names of their own."""

    def __init__(self, seed):
        self.s = Seeded(seed)
        self.nodes = []

    def add(self, operator, inputs, output, **attributes):
        self.nodes.append(node(operator, inputs, output, **attributes))
        return output.split()[0]

    def ints(self, name, *values):
        self.s.weights[name] = np.array(values, dtype=np.int64)
        return name

    def one_int(self, name, value):
        self.s.weights[name] = np.array(value, dtype=np.int64)
        return name

    def dense(self, source, name, rows, columns):
        self.s.matrix(f"{name}_w", rows, columns)
        self.s.bias(f"{name}_b", columns)
        self.add("MatMul", f"{source} {name}_w", f"{name}_product")
        return self.add("Add", f"{name}_product {name}_b", name)

    def conv(self, source, name, out, into, size, stride=1, relu=True, group=1):
        self.s.weight(f"{name}_w", out, into // group, size, size)
        self.s.bias(f"{name}_b", out)
        self.add("Conv", f"{source} {name}_w {name}_b", name, kernel_shape=[size, size], strides=[stride, stride],
                 pads=[size // 2] * 4, group=group)
        return self.add("Relu", name, f"{name}_relu") if relu else name

    def norm(self, source, name, width):
        self.s.weights[f"{name}_scale"] = np.float32(1) + self.s.data(width) * np.float32(0.1)
        self.s.bias(f"{name}_shift", width)
        return self.add("LayerNormalization", f"{source} {name}_scale {name}_shift", name, axis=-1, epsilon=1e-5)

    def extent(self, source, axis):
        """The extent of an axis as i64[1]."""
        self.add("Shape", source, f"{source}_shape{axis}")
        return self.add("Gather", f"{source}_shape{axis} {self.ints(f'axis{axis}', axis)}", f"{source}_d{axis}", axis=0)


def decoder():
    """One step of a decoder with a cache: rows and rotations of the new tokens, keys and values behind the old ones,
    a causal mask made of computed ranges. Batch, past and new tokens are free."""
    g = Graph(61)
    s = g.s
    words, width, heads, hidden = 200, 48, 4, 96
    each = width // heads
    s.weights["table"] = s.data(words, width)
    s.weights["far"] = np.float32(-10000)
    s.weights["none"] = np.float32(0)
    s.weights["root"] = np.float32(np.sqrt(each))
    s.weights["speeds"] = (1 / 10 ** (np.arange(each // 2) / (each // 2) * 3)).astype(np.float32).reshape(1, -1)
    zero, one = g.one_int("zero", 0), g.one_int("one", 1)
    g.ints("first", 0), g.ints("last", 1)
    new, old = g.extent("ids", 1), g.extent("past_k0", 2)
    total = g.add("Add", f"{new} {old}", "total")
    for name in (new, old, total):
        g.add("Squeeze", f"{name} first", f"{name}_count")
    g.add("Range", f"{old}_count {total}_count {one}", "places")
    g.add("Range", f"{zero} {total}_count {one}", "all_places")
    g.add("Unsqueeze", "places last", "rows")
    g.add("Unsqueeze", "all_places first", "columns")
    g.add("Greater", "columns rows", "is_ahead")
    g.add("Where", "is_ahead far none", "mask")
    g.add("Cast", "rows", "row_numbers", to=TensorProto.FLOAT)
    g.add("Mul", "row_numbers speeds", "angles")
    g.add("Cos", "angles", "cosines")
    g.add("Sin", "angles", "sines")
    g.ints("split_heads", 0, 0, heads, each), g.ints("join_heads", 0, 0, width), g.ints("halves", each // 2, each // 2)

    def turned(source):
        g.add("Split", f"{source} halves", f"{source}_a {source}_b", axis=3)
        for part, other, sign in (("a", "b", "Sub"), ("b", "a", "Add")):
            g.add("Mul", f"{source}_{part} cosines", f"{source}_{part}_cos")
            g.add("Mul", f"{source}_{other} sines", f"{source}_{part}_sin")
            g.add(sign, f"{source}_{part}_cos {source}_{part}_sin", f"{source}_{part}_turned")
        return g.add("Concat", f"{source}_a_turned {source}_b_turned", f"{source}_turned", axis=3)

    def layer(source, k):
        start = g.norm(source, f"before{k}", width)
        parts = {}
        for part in "qkv":
            g.dense(start, f"{part}{k}", width, width)
            g.add("Reshape", f"{part}{k} split_heads", f"{part}{k}_split")
            parts[part] = g.add("Transpose", f"{part}{k}_split", f"{part}{k}_heads", perm=[0, 2, 1, 3])
        query = turned(parts["q"])
        keys = g.add("Concat", f"past_k{k} {turned(parts['k'])}", f"next_k{k}", axis=2)
        values = g.add("Concat", f"past_v{k} {parts['v']}", f"next_v{k}", axis=2)
        g.add("Transpose", keys, f"columns{k}", perm=[0, 1, 3, 2])
        g.add("MatMul", f"{query} columns{k}", f"scores{k}")
        g.add("Div", f"scores{k} root", f"scaled{k}")
        g.add("Add", f"scaled{k} mask", f"masked{k}")
        g.add("Softmax", f"masked{k}", f"weights{k}", axis=-1)
        g.add("MatMul", f"weights{k} {values}", f"mixed{k}")
        g.add("Transpose", f"mixed{k}", f"mixed{k}_rows", perm=[0, 2, 1, 3])
        g.add("Reshape", f"mixed{k}_rows join_heads", f"joined{k}")
        g.dense(f"joined{k}", f"o{k}", width, width)
        g.add("Add", f"{source} o{k}", f"middle{k}")
        up = g.dense(g.norm(f"middle{k}", f"behind{k}", width), f"up{k}", width, hidden)
        g.add("Sigmoid", up, f"gate{k}")
        g.add("Mul", f"{up} gate{k}", f"silu{k}")
        g.dense(f"silu{k}", f"down{k}", hidden, width)
        return g.add("Add", f"middle{k} down{k}", f"layer{k}")

    g.add("Gather", "table ids", "tokens", axis=0)
    out = g.norm(layer(layer("tokens", 0), 1), "final", width)
    # The logits of the last token only.
    g.ints("minus_one", -1), g.ints("behind", np.iinfo(np.int64).max)
    g.add("Slice", f"{out} minus_one behind last", "last_token")
    s.matrix("head", width, words)
    g.add("MatMul", "last_token head", "logits")
    sets = []
    for batch, past, tokens in ((1, 0, 5), (1, 5, 1), (2, 17, 3)):
        feeds = {"ids": (np.abs(s.data(batch, tokens)) * 71).astype(np.int64) % words}
        for k in range(2):
            feeds |= {f"past_{part}{k}": s.data(batch, heads, past, each) for part in "kv"}
        sets.append(feeds)
    shapes = {"ids": ["B", "T"], "logits": ["B", 1, words]}
    outputs = ["logits"]
    for k in range(2):
        for part in "kv":
            shapes[f"past_{part}{k}"] = ["B", heads, "P", each]
            shapes[f"next_{part}{k}"] = ["B", heads, "P + T", each]
            outputs.append(f"next_{part}{k}")
    return Sample("decoder", g.nodes, sets, s.weights, " ".join(outputs), opset=17, shapes=shapes)


def detector():
    """A backbone, boxes around a grid of anchors, and a non-maximum suppression: how many boxes come out is known at
    the end. The image may have any height and width."""
    g = Graph(62)
    s = g.s
    classes = 3
    value = g.conv("image", "stem", 8, 3, 3, 2)
    value = g.conv(value, "narrow", 16, 8, 3, 2)
    value = g.conv(value, "head", 16, 16, 3)
    g.conv(value, "scored", classes, 16, 1, relu=False)
    g.conv(value, "placed", 4, 16, 1, relu=False)
    s.weights |= {"four": np.float32(4), "eight": np.float32(8), "half": np.float32(0.5)}
    zero, one = g.one_int("zero", 0), g.one_int("one", 1)
    g.ints("first", 0), g.ints("class_rows", 0, classes, -1), g.ints("box_rows", 0, 4, -1)
    for name, axis in (("y", 2), ("x", 3)):
        count = g.add("Squeeze", f"{g.extent('placed', axis)} first", f"{name}_count")
        g.add("Range", f"{zero} {count} {one}", f"{name}_places")
        g.add("Cast", f"{name}_places", f"{name}_numbers", to=TensorProto.FLOAT)
        g.add("Add", f"{name}_numbers half", f"{name}_middle")
        g.add("Mul", f"{name}_middle four", f"{name}_anchor")
    g.ints("as_column", -1, 1)
    g.add("Reshape", "y_anchor as_column", "y_column")
    g.add("Concat", "placed_d2 placed_d3", "grid", axis=0)
    g.ints("flat", -1)
    for name, source in (("y", "y_column"), ("x", "x_anchor")):
        g.add("Expand", f"{source} grid", f"{name}_grid")
        g.add("Reshape", f"{name}_grid flat", f"{name}_centers")
    g.add("Reshape", "placed box_rows", "offsets")
    g.ints("one_each", 1, 1, 1, 1)
    g.add("Split", "offsets one_each", "off_x off_y off_w off_h", axis=1)
    for name, off, log in (("x", "off_x", "off_w"), ("y", "off_y", "off_h")):
        g.add("Mul", f"{off} four", f"{name}_shift")
        g.add("Add", f"{name}_shift {name}_centers", f"{name}_center")
        g.add("Exp", log, f"{name}_scale")
        g.add("Mul", f"{name}_scale eight", f"{name}_extent")
    g.add("Concat", "x_center y_center x_extent y_extent", "box_columns", axis=1)
    g.add("Transpose", "box_columns", "boxes", perm=[0, 2, 1])
    g.add("Reshape", "scored class_rows", "logits")
    g.add("Sigmoid", "logits", "scores")
    g.one_int("most", 5)
    s.weights |= {"overlap": np.float32(0.4), "least": np.float32(0.55)}
    g.add("NonMaxSuppression", "boxes scores most overlap least", "selected", center_point_box=1)
    g.ints("third", 2), g.ints("behind", np.iinfo(np.int64).max), g.ints("column", 1), g.ints("second", 1)
    g.add("Slice", "selected third behind column", "which")
    g.add("Squeeze", "which column", "box_places")
    g.add("Squeeze", "boxes first", "only_boxes")
    g.add("Gather", "only_boxes box_places", "found", axis=0)
    g.add("Slice", "selected second third column", "labels")
    s.weights["minus_one"] = np.array([-1], dtype=np.int64)
    g.add("Squeeze", "labels minus_one", "found_labels")
    sets = [{"image": s.data(1, 3, h, w)} for h, w in ((32, 48), (17, 23), (64, 64))]
    shapes = {"image": [1, 3, "H", "W"], "found": ["F", 4], "found_labels": ["F"]}
    return Sample("detector", g.nodes, sets, s.weights, "found found_labels", opset=17, shapes=shapes)


def segmentation():
    """A small relative of LR-ASPP and FCN: two resolutions, one scaled by a mean over the image, both resized to what
    the image has. Height and width are free."""
    g = Graph(63)
    s = g.s
    low = g.conv("image", "stem", 12, 3, 3, 2)
    high = g.conv(g.conv(low, "narrow", 24, 12, 3, 2), "narrower", 32, 24, 3, 2)
    wide = g.conv(high, "wide", 16, 32, 1)
    g.add("GlobalAveragePool", high, "mean")
    g.conv("mean", "scaled", 16, 32, 1, relu=False)
    g.add("Sigmoid", "scaled", "scale")
    g.add("Mul", f"{wide} scale", "weighted")
    s.weights["no_region"] = np.zeros(0, dtype=np.float32)
    g.ints("from_2", 2), g.ints("from_0", 0), g.ints("to_4", 4), g.ints("to_2", 2), g.ints("along", 0)

    def resized(source, like, name):
        g.add("Shape", like, f"{name}_like")
        g.add("Slice", f"{name}_like from_2 to_4 along", f"{name}_size")
        g.add("Shape", source, f"{name}_own")
        g.add("Slice", f"{name}_own from_0 to_2 along", f"{name}_outer")
        g.add("Concat", f"{name}_outer {name}_size", f"{name}_sizes", axis=0)
        return g.add("Resize", f"{source} no_region - {name}_sizes", name, mode="linear",
                     coordinate_transformation_mode="pytorch_half_pixel")

    g.conv(resized("weighted", low, "up"), "coarse", 5, 16, 1, relu=False)
    g.conv(low, "fine", 5, 12, 1, relu=False)
    g.add("Add", "coarse fine", "joined")
    resized("joined", "image", "logits")
    g.add("ArgMax", "logits", "labels", axis=1, keepdims=0)
    sets = [{"image": s.data(n, 3, h, w)} for n, h, w in ((1, 32, 48), (2, 33, 41), (1, 64, 64))]
    shapes = {"image": ["N", 3, "H", "W"], "logits": ["N", 5, "H", "W"], "labels": ["N", "H", "W"]}
    return Sample("segmentation", g.nodes, sets, s.weights, "logits labels", opset=13, shapes=shapes)


def windows():
    """A small relative of Swin: patches, attention in windows, then in windows shifted by half of one, whose edges are
    padded by Mod and rolled by slices; patches are merged by strided slices. Fixed sizes, written with shapes all the
    same."""
    g = Graph(64)
    s = g.s
    width, heads, side = 16, 2, 4
    s.weights["root"] = np.float32(np.sqrt(width // heads))
    g.conv("image", "patches", width, 3, 4, 4, relu=False)
    g.nodes[-1] = node("Conv", "image patches_w patches_b", "patches", kernel_shape=[4, 4], strides=[4, 4])
    g.add("Transpose", "patches", "rows", perm=[0, 2, 3, 1])
    g.ints("window", side), g.ints("no_pad", 0), g.ints("first", 0)
    g.ints("halves", -1, side * side, width), g.ints("split_heads", 0, 0, heads, width // heads)
    g.ints("join_heads", -1, side, side, width)

    def padded(source, name):
        parts = []
        for axis in (1, 2):
            extent = g.extent(source, axis)
            g.add("Sub", f"window {extent}", f"{name}_left{axis}")
            parts.append(g.add("Mod", f"{name}_left{axis} window", f"{name}_more{axis}"))
        g.add("Concat", f"no_pad no_pad no_pad no_pad no_pad {parts[0]} {parts[1]} no_pad", f"{name}_pads", axis=0)
        return g.add("Pad", f"{source} {name}_pads", name)

    def rolled(source, name, shift):
        for axis in (1, 2):
            g.ints(f"{name}_at", shift % 1000 if shift > 0 else shift)
            g.ints(f"axis_{axis}", axis), g.ints("end", np.iinfo(np.int64).max)
            g.add("Slice", f"{source} {name}_at end axis_{axis}", f"{name}_tail{axis}")
            g.add("Slice", f"{source} first {name}_at axis_{axis}", f"{name}_head{axis}")
            source = g.add("Concat", f"{name}_tail{axis} {name}_head{axis}", f"{name}{axis}", axis=axis)
        return source

    def attended(source, name, high, wide):
        """Attention inside windows of an image of high x wide patches."""
        g.ints(f"{name}_cut", 1, high // side, side, wide // side, side, width)
        g.ints(f"{name}_join", 1, high // side, wide // side, side, side, width)
        g.ints(f"{name}_whole", 1, high, wide, width)
        g.add("Reshape", f"{source} {name}_cut", f"{name}_parts")
        g.add("Transpose", f"{name}_parts", f"{name}_windows", perm=[0, 1, 3, 2, 4, 5])
        g.add("Reshape", f"{name}_windows halves", f"{name}_rows")
        for part, perm in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
            g.dense(f"{name}_rows", f"{name}_{part}", width, width)
            g.add("Reshape", f"{name}_{part} split_heads", f"{name}_{part}_split")
            g.add("Transpose", f"{name}_{part}_split", f"{name}_{part}_heads", perm=perm)
        g.add("MatMul", f"{name}_q_heads {name}_k_heads", f"{name}_scores")
        g.add("Div", f"{name}_scores root", f"{name}_scaled")
        g.add("Softmax", f"{name}_scaled", f"{name}_weights", axis=-1)
        g.add("MatMul", f"{name}_weights {name}_v_heads", f"{name}_mixed")
        g.add("Transpose", f"{name}_mixed", f"{name}_back", perm=[0, 2, 1, 3])
        g.add("Reshape", f"{name}_back join_heads", f"{name}_joined")
        g.dense(f"{name}_joined", f"{name}_o", width, width)
        g.add("Reshape", f"{name}_o {name}_join", f"{name}_grid")
        g.add("Transpose", f"{name}_grid", f"{name}_lines", perm=[0, 1, 3, 2, 4, 5])
        return g.add("Reshape", f"{name}_lines {name}_whole", f"{name}_out")

    def block(source, name, high, wide, shift):
        full_high, full_wide = (n + -n % side for n in (high, wide))
        value = padded(g.norm(source, f"{name}_norm", width), f"{name}_padded")
        if shift:
            value = rolled(value, f"{name}_there", shift)
        value = attended(value, name, full_high, full_wide)
        if shift:
            value = rolled(value, f"{name}_again", -shift)
        g.ints(f"{name}_ends", high, wide), g.ints("starts", 0, 0), g.ints("both", 1, 2)
        g.add("Slice", f"{value} starts {name}_ends both", f"{name}_cropped")
        g.add("Add", f"{source} {name}_cropped", f"{name}_middle")
        up = g.dense(g.norm(f"{name}_middle", f"{name}_behind", width), f"{name}_up", width, 2 * width)
        g.add("Relu", up, f"{name}_relu")
        g.dense(f"{name}_relu", f"{name}_down", 2 * width, width)
        return g.add("Add", f"{name}_middle {name}_down", f"{name}_result")

    value = block(block("rows", "plain", 10, 7, 0), "shifted", 10, 7, side // 2)
    g.ints("even_end", 10, 6), g.ints("two", 2, 2)
    parts = []
    for k, (y, x) in enumerate(((0, 0), (1, 0), (0, 1), (1, 1))):
        g.ints(f"from{k}", y, x)
        parts.append(g.add("Slice", f"{value} from{k} even_end both two", f"merged{k}"))
    g.add("Concat", " ".join(parts), "merged", axis=3)
    g.dense(g.norm("merged", "merged_norm", 4 * width), "reduced", 4 * width, 2 * width)
    g.add("ReduceMean", "reduced", "mean", axes=[1, 2], keepdims=0)
    g.dense("mean", "logits", 2 * width, 10)
    return Sample("windows", g.nodes, [{"image": s.data(1, 3, 40, 28)} for _ in range(2)], s.weights, "logits", opset=17)


def lstm_classifier():
    """Words, a recurrent layer, a classifier: opens, is planned and timed around its LSTM, and does not run yet."""
    s = Seeded(65)
    words, width, hidden, classes = 120, 24, 32, 4
    s.weights["table"] = s.data(words, width)
    s.weight("w", 1, 4 * hidden, width)
    s.weight("r", 1, 4 * hidden, hidden)
    s.bias("b", 8 * hidden)
    s.weights["b"] = s.weights["b"].reshape(1, -1)
    s.matrix("head_w", hidden, classes)
    s.bias("head_b", classes)
    s.weights["first"] = np.array([0], dtype=np.int64)
    nodes = [
        node("Gather", "table ids", "rows", axis=0),
        node("Transpose", "rows", "steps", perm=[1, 0, 2]),
        node("LSTM", "steps w r b", "all last", hidden_size=hidden),
        node("Squeeze", "last first", "state"),
        node("MatMul", "state head_w", "product"),
        node("Add", "product head_b", "logits"),
        node("Softmax", "logits", "probabilities", axis=-1),
    ]
    graph = helper.make_graph(
        nodes, "lstm_classifier", [typed("ids", ["B", "S"], TensorProto.INT64)], [typed("probabilities", ["B", classes])],
        [onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in s.weights.items()],
        value_info=[typed("last", [1, "B", hidden])],
    )
    made = helper.make_model(graph, producer_name="make_samples", opset_imports=[helper.make_opsetid("", 16)])
    made.ir_version = 8
    onnx.checker.check_model(made)
    return made.SerializeToString()


def all_running():
    return [decoder(), detector(), segmentation(), windows()]
