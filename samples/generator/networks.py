"""Small relatives of networks that people run: the shapes of the real ones, with weights that fit into a repository."""
import numpy as np

from .build import Sample, node
from .models import Seeded


def conv_relu(s, nodes, source, name, out, into, size):
    s.weight(f"{name}_w", out, into, size, size)
    s.bias(f"{name}_b", out)
    nodes.append(node("Conv", f"{source} {name}_w {name}_b", name, kernel_shape=[size, size], pads=[size // 2] * 4))
    nodes.append(node("Relu", name, f"{name}_relu"))
    return f"{name}_relu"


def inception():
    """A stem, one block of four branches that are joined by a concat, a classifier."""
    s = Seeded(7)
    nodes = []
    stem = conv_relu(s, nodes, "image", "stem", 48, 3, 3)
    nodes.append(node("MaxPool", stem, "pool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]))
    one = conv_relu(s, nodes, "pool", "one", 32, 48, 1)
    three = conv_relu(s, nodes, conv_relu(s, nodes, "pool", "three_reduce", 32, 48, 1), "three", 48, 32, 3)
    five = conv_relu(s, nodes, conv_relu(s, nodes, "pool", "five_reduce", 8, 48, 1), "five", 16, 8, 5)
    nodes.append(node("MaxPool", "pool", "around", kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1]))
    pooled = conv_relu(s, nodes, "around", "projected", 16, 48, 1)
    s.weight("fc_w", 10, 112)
    s.bias("fc_b", 10)
    nodes += [
        node("Concat", f"{one} {three} {five} {pooled}", "block", axis=1),
        node("GlobalAveragePool", "block", "mean"),
        node("Flatten", "mean", "flat", axis=1),
        node("Gemm", "flat fc_w fc_b", "logits", transB=1),
    ]
    return Sample("inception", nodes, [{"image": s.data(1, 3, 32, 32)} for _ in range(2)], s.weights, "logits")


def encoder():
    """Two layers of a transformer encoder: token and position embeddings, a padding mask, a free sequence length."""
    s = Seeded(8)
    words, longest, width, heads, hidden = 300, 64, 64, 4, 256
    s.weights["word_table"] = s.data(words, width)
    s.weights["position_table"] = s.data(longest, width) * np.float32(0.2)
    s.weights["split_heads"] = np.array([0, 0, heads, width // heads], dtype=np.int64)
    s.weights["join_heads"] = np.array([0, 0, width], dtype=np.int64)
    s.weights["root"] = np.float32(np.sqrt(width // heads))
    s.weights["root2"] = np.float32(np.sqrt(2))
    s.weights["one"] = np.float32(1)
    s.weights["half"] = np.float32(0.5)
    s.weights["far"] = np.float32(-10000)
    s.weights["mask_axes"] = np.array([1, 2], dtype=np.int64)

    def norm(source, name):
        s.weights[f"{name}_scale"] = np.float32(1) + s.data(width) * np.float32(0.1)
        s.bias(f"{name}_shift", width)
        return [node("LayerNormalization", f"{source} {name}_scale {name}_shift", name, axis=-1, epsilon=1e-5)]

    def dense(source, name, rows, columns):
        s.matrix(f"{name}_w", rows, columns)
        s.bias(f"{name}_b", columns)
        return [node("MatMul", f"{source} {name}_w", f"{name}_product"), node("Add", f"{name}_product {name}_b", name)]

    def layer(source, k):
        nodes = []
        for part, perm in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
            name = f"{part}{k}"
            nodes += dense(source, name, width, width)
            nodes += [
                node("Reshape", f"{name} split_heads", f"{name}_split"),
                node("Transpose", f"{name}_split", f"{name}_heads", perm=perm),
            ]
        nodes += [
            node("MatMul", f"q{k}_heads k{k}_heads", f"scores{k}"),
            node("Div", f"scores{k} root", f"scaled{k}"),
            node("Add", f"scaled{k} hidden_words", f"masked{k}"),
            node("Softmax", f"masked{k}", f"weights{k}", axis=-1),
            node("MatMul", f"weights{k} v{k}_heads", f"mixed{k}"),
            node("Transpose", f"mixed{k}", f"mixed{k}_rows", perm=[0, 2, 1, 3]),
            node("Reshape", f"mixed{k}_rows join_heads", f"joined{k}"),
        ]
        nodes += dense(f"joined{k}", f"o{k}", width, width)
        nodes += [node("Add", f"{source} o{k}", f"middle{k}")]
        nodes += norm(f"middle{k}", f"attended{k}")
        nodes += dense(f"attended{k}", f"up{k}", width, hidden)
        nodes += [
            node("Div", f"up{k} root2", f"gelu{k}_in"),
            node("Erf", f"gelu{k}_in", f"gelu{k}_erf"),
            node("Add", f"gelu{k}_erf one", f"gelu{k}_sum"),
            node("Mul", f"up{k} gelu{k}_sum", f"gelu{k}_product"),
            node("Mul", f"gelu{k}_product half", f"gelu{k}"),
        ]
        nodes += dense(f"gelu{k}", f"down{k}", hidden, width)
        nodes += [node("Add", f"attended{k} down{k}", f"outer{k}")]
        return nodes + norm(f"outer{k}", f"layer{k}")

    nodes = [
        node("Gather", "word_table ids", "word_rows", axis=0),
        node("Gather", "position_table places", "place_rows", axis=0),
        node("Add", "word_rows place_rows", "embedded"),
        *norm("embedded", "tokens"),
        node("Sub", "one mask", "absent"),
        node("Mul", "absent far", "absent_far"),
        node("Unsqueeze", "absent_far mask_axes", "hidden_words"),
        *layer("tokens", 0),
        *layer("layer0", 1),
    ]
    sets = []
    for length, kept in ((12, 9), (1, 1), (31, 31)):
        ids = (np.abs(s.data(1, length)) * 97).astype(np.int64) % words
        mask = (np.arange(length) < kept).astype(np.float32)
        sets.append({"ids": ids, "places": np.arange(length, dtype=np.int64)[None, :], "mask": mask[None, :]})
    shapes = {"ids": [1, "S"], "places": [1, "S"], "mask": [1, "S"], "layer1": [1, "S", width]}
    return Sample("encoder", nodes, sets, s.weights, "layer1", opset=17, shapes=shapes)


def mobilenet():
    """MobileNet v1 at width 0.25, 27 convolutions, batch norms left in."""
    s = Seeded(9)
    nodes = []

    def conv_norm(source, name, out, into, size, stride, group=1):
        s.weight(f"{name}_w", out, into // group, size, size)
        s.batch_norm(f"{name}_bn", out)
        norm = f"{name}_bn"
        nodes.extend([
            node("Conv", f"{source} {name}_w", name, kernel_shape=[size, size], strides=[stride, stride],
                 pads=[size // 2] * 4, group=group),
            node("BatchNormalization", f"{name} {norm}_scale {norm}_shift {norm}_mean {norm}_var", norm, epsilon=1e-3),
            node("Clip", f"{norm} zero six", f"{name}_relu6"),
        ])
        return f"{name}_relu6"

    s.weights["zero"] = np.float32(0)
    s.weights["six"] = np.float32(6)
    value, width = conv_norm("image", "stem", 8, 3, 3, 2), 8
    blocks = [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *[(128, 1)] * 5, (256, 2), (256, 1)]
    for i, (out, stride) in enumerate(blocks):
        value = conv_norm(value, f"depth{i}", width, width, 3, stride, group=width)
        value, width = conv_norm(value, f"point{i}", out, width, 1, 1), out
    s.weight("fc_w", 10, width)
    s.bias("fc_b", 10)
    nodes += [
        node("GlobalAveragePool", value, "pooled"),
        node("Flatten", "pooled", "flat", axis=1),
        node("Gemm", "flat fc_w fc_b", "logits", transB=1),
        node("Softmax", "logits", "probabilities", axis=1),
    ]
    return Sample("mobilenet", nodes, [{"image": s.data(1, 3, 64, 64)}], s.weights, "probabilities")


def recommender():
    """Embeddings of user, item and weekday beside plain numbers, a dot product and a perceptron; a free batch."""
    s = Seeded(10)
    tables = {"user": (500, 16), "item": (800, 16), "weekday": (7, 4)}
    for name, (rows, columns) in tables.items():
        s.weights[f"{name}_table"] = s.data(rows, columns) * np.float32(0.5)
    s.weights["last"] = np.array([1], dtype=np.int64)
    nodes = [node("Gather", f"{name}_table {name}", f"{name}_row", axis=0) for name in tables]
    nodes += [
        node("Mul", "user_row item_row", "affinity"),
        node("ReduceSum", "affinity last", "dot", keepdims=1),
        node("Concat", "user_row item_row weekday_row facts dot", "features", axis=1),
    ]
    value, sizes = "features", [16 + 16 + 4 + 6 + 1, 64, 32, 1]
    for i in range(3):
        s.weight(f"w{i}", sizes[i + 1], sizes[i])
        s.bias(f"b{i}", sizes[i + 1])
        nodes.append(node("Gemm", f"{value} w{i} b{i}", f"dense{i}", transB=1))
        value = f"dense{i}"
        if i < 2:
            nodes.append(node("Relu", value, f"relu{i}"))
            value = f"relu{i}"
    nodes.append(node("Sigmoid", value, "click"))
    sets = []
    for batch in (1, 5, 32):
        feeds = {name: (np.abs(s.data(batch)) * 1000).astype(np.int64) % rows for name, (rows, _) in tables.items()}
        sets.append({**feeds, "facts": s.data(batch, 6)})
    shapes = {name: ["N"] for name in tables} | {"facts": ["N", 6], "click": ["N", 1]}
    return Sample("recommender", nodes, sets, s.weights, "click", shapes=shapes)


def unet():
    """A U-Net of three levels: what is convolved on the way down is concatenated on the way up."""
    s = Seeded(11)
    nodes = []
    skipped, value, into, widths = [], "image", 3, [8, 16, 32]
    for i, width in enumerate(widths):
        value = conv_relu(s, nodes, value, f"down{i}a", width, into, 3)
        value, into = conv_relu(s, nodes, value, f"down{i}b", width, width, 3), width
        if i + 1 < len(widths):
            skipped.append(value)
            nodes.append(node("MaxPool", value, f"pool{i}", kernel_shape=[2, 2], strides=[2, 2]))
            value = f"pool{i}"
    for i in reversed(range(len(skipped))):
        width = widths[i]
        s.weight(f"up{i}_w", into, width, 2, 2)
        s.bias(f"up{i}_b", width)
        nodes.append(node("ConvTranspose", f"{value} up{i}_w up{i}_b", f"up{i}", kernel_shape=[2, 2], strides=[2, 2]))
        nodes.append(node("Concat", f"{skipped[i]} up{i}", f"joined{i}", axis=1))
        value = conv_relu(s, nodes, f"joined{i}", f"up{i}a", width, 2 * width, 3)
        value, into = conv_relu(s, nodes, value, f"up{i}b", width, width, 3), width
    s.weight("head_w", 2, into, 1, 1)
    s.bias("head_b", 2)
    nodes += [
        node("Conv", f"{value} head_w head_b", "head", kernel_shape=[1, 1]),
        node("Sigmoid", "head", "mask"),
    ]
    return Sample("unet", nodes, [{"image": s.data(1, 3, 32, 48)}], s.weights, "mask")


def all_networks():
    return [inception(), encoder(), mobilenet(), recommender(), unet()]
