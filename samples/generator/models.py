"""The sample models: small, with seeded weights, each for one thing to look at in the workbench."""
import numpy as np

from .build import Sample, node


class Seeded:
    """Weights and data of one sample. Its own stream, so that adding a sample changes no other."""

    def __init__(self, seed):
        self._random = np.random.default_rng(seed)
        self.weights = {}

    def data(self, *shape):
        return self._random.standard_normal(shape).astype(np.float32)

    def weight(self, name, *shape):
        fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else shape[0]
        self.weights[name] = self.data(*shape) * np.float32(1.4 / np.sqrt(fan_in))

    def matrix(self, name, rows, columns):
        """A right operand of MatMul: the fan-in is the number of rows."""
        self.weights[name] = self.data(rows, columns) * np.float32(1.4 / np.sqrt(rows))

    def bias(self, name, size):
        self.weights[name] = self.data(size) * np.float32(0.1)

    def batch_norm(self, name, channels):
        uniform = lambda low, high: self._random.uniform(low, high, channels).astype(np.float32)
        self.weights[f"{name}_scale"] = uniform(0.5, 1.5)
        self.weights[f"{name}_shift"] = uniform(-0.3, 0.3)
        self.weights[f"{name}_mean"] = uniform(-0.3, 0.3)
        self.weights[f"{name}_var"] = uniform(0.5, 1.5)


def mlp():
    s = Seeded(1)
    sizes = [784, 64, 32, 10]
    nodes = []
    value = "image"
    for i in range(3):
        s.weight(f"w{i}", sizes[i + 1], sizes[i])
        s.bias(f"b{i}", sizes[i + 1])
        nodes.append(node("Gemm", f"{value} w{i} b{i}", f"dense{i}", transB=1))
        value = f"dense{i}"
        if i < 2:
            nodes.append(node("Relu", value, f"relu{i}"))
            value = f"relu{i}"
    nodes.append(node("Softmax", value, "probabilities", axis=1))
    return Sample("mlp", nodes, [{"image": s.data(1, 784)} for _ in range(2)], s.weights, "probabilities")


def lenet():
    s = Seeded(2)
    s.weight("conv1_w", 8, 1, 5, 5)
    s.bias("conv1_b", 8)
    s.weight("conv2_w", 16, 8, 5, 5)
    s.bias("conv2_b", 16)
    s.weight("fc1_w", 64, 400)
    s.bias("fc1_b", 64)
    s.weight("fc2_w", 10, 64)
    s.bias("fc2_b", 10)
    pool = {"kernel_shape": [2, 2], "strides": [2, 2]}
    nodes = [
        node("Conv", "image conv1_w conv1_b", "conv1", kernel_shape=[5, 5], pads=[2, 2, 2, 2]),
        node("Relu", "conv1", "relu1"),
        node("MaxPool", "relu1", "pool1", **pool),
        node("Conv", "pool1 conv2_w conv2_b", "conv2", kernel_shape=[5, 5]),
        node("Relu", "conv2", "relu2"),
        node("MaxPool", "relu2", "pool2", **pool),
        node("Flatten", "pool2", "flat", axis=1),
        node("Gemm", "flat fc1_w fc1_b", "fc1", transB=1),
        node("Relu", "fc1", "relu3"),
        node("Gemm", "relu3 fc2_w fc2_b", "logits", transB=1),
    ]
    return Sample("lenet", nodes, [{"image": s.data(1, 1, 28, 28)} for _ in range(2)], s.weights, "logits")


def residual():
    s = Seeded(3)
    nodes = []

    def conv_norm(source, name, out, into, size, stride=1):
        s.weight(f"{name}_w", out, into, size, size)
        s.batch_norm(f"{name}_bn", out)
        pads = [size // 2] * 4
        nodes.append(
            node("Conv", f"{source} {name}_w", name, kernel_shape=[size, size], strides=[stride, stride], pads=pads)
        )
        norm = f"{name}_bn"
        nodes.append(
            node("BatchNormalization", f"{name} {norm}_scale {norm}_shift {norm}_mean {norm}_var", norm, epsilon=1e-5)
        )
        return norm

    nodes.append(node("Relu", conv_norm("image", "stem", 16, 3, 3), "stem_relu"))
    nodes.append(node("Relu", conv_norm("stem_relu", "left1", 32, 16, 3, 2), "left_relu"))
    left = conv_norm("left_relu", "left2", 32, 32, 3)
    right = conv_norm("stem_relu", "right", 32, 16, 1, 2)
    s.weight("fc_w", 10, 32)
    s.bias("fc_b", 10)
    nodes += [
        node("Add", f"{left} {right}", "sum"),
        node("Relu", "sum", "sum_relu"),
        node("GlobalAveragePool", "sum_relu", "pooled"),
        node("Flatten", "pooled", "flat", axis=1),
        node("Gemm", "flat fc_w fc_b", "logits", transB=1),
    ]
    return Sample("residual", nodes, [{"image": s.data(1, 3, 32, 32)} for _ in range(2)], s.weights, "logits")


def free_batch():
    s = Seeded(4)
    s.weight("conv_w", 6, 2, 3, 3)
    s.bias("conv_b", 6)
    s.matrix("fc_w", 54, 10)
    s.bias("fc_b", 10)
    s.bias("temperature", 1)
    s.weights["temperature"] = np.abs(s.weights["temperature"]) + np.float32(0.5)
    nodes = [
        node("Conv", "images conv_w conv_b", "conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("Relu", "conv", "relu"),
        node("MaxPool", "relu", "pool", kernel_shape=[3, 3], strides=[2, 2]),
        node("Flatten", "pool", "flat", axis=1),
        node("MatMul", "flat fc_w", "dense"),
        node("Add", "dense fc_b", "logits"),
        node("Mul", "logits temperature", "cooled"),
        node("Softmax", "cooled", "probabilities", axis=-1),
    ]
    sets = [{"images": s.data(n, 2, 7, 7)} for n in (1, 3, 7)]
    shapes = {"images": ["N", 2, 7, 7], "probabilities": ["N", 10]}
    return Sample("free_batch", nodes, sets, s.weights, "probabilities", shapes=shapes)


def conv_zoo():
    s = Seeded(5)
    s.weight("stem_w", 12, 8, 3, 3)
    s.bias("stem_b", 12)
    s.weight("depthwise_w", 12, 1, 3, 3)
    s.bias("depthwise_b", 12)
    s.weight("grouped_w", 18, 4, 3, 3)
    s.weight("dilated_w", 9, 12, 3, 3)
    s.bias("dilated_b", 9)
    s.weight("up_w", 27, 6, 3, 3)
    s.bias("up_b", 6)
    s.weights["six"] = np.float32(6)
    s.weights["zero"] = np.float32(0)
    s.weight("wide_w", 5, 6, 1, 5)
    nodes = [
        node("Conv", "image stem_w stem_b", "stem", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Relu", "stem", "stem_relu"),
        node("LRN", "stem_relu", "norm", size=5, alpha=1e-2, beta=0.75, bias=1.0),
        node("Conv", "norm depthwise_w depthwise_b", "depthwise", kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=12),
        node("Clip", "depthwise zero six", "relu6"),
        node("Conv", "relu6 grouped_w", "grouped", kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=3),
        node("Conv", "norm dilated_w dilated_b", "dilated", kernel_shape=[3, 3], pads=[2, 2, 2, 2], dilations=[2, 2]),
        node("Concat", "grouped dilated", "both", axis=1),
        node("Sigmoid", "both", "gate"),
        node("Mul", "both gate", "swish"),
        node("AveragePool", "swish", "smooth", kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1),
        node("ConvTranspose", "smooth up_w up_b", "up", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1],
             output_padding=[0, 1]),
        node("Conv", "up wide_w", "wide", kernel_shape=[1, 5], auto_pad="SAME_UPPER", strides=[1, 2]),
        node("Tanh", "wide", "out"),
    ]
    return Sample("conv_zoo", nodes, [{"image": s.data(1, 8, 17, 15)} for _ in range(2)], s.weights, "out")


def attention():
    s = Seeded(6)
    length, width, heads, hidden = 17, 32, 4, 64
    for name in ("q", "k", "v", "o"):
        s.matrix(f"{name}_w", width, width)
        s.bias(f"{name}_b", width)
    s.matrix("up_w", width, hidden)
    s.bias("up_b", hidden)
    s.matrix("down_w", hidden, width)
    s.bias("down_b", width)
    for name in ("norm1", "norm2"):
        s.weights[f"{name}_scale"] = np.float32(1) + s.data(width) * np.float32(0.1)
        s.bias(f"{name}_shift", width)
    s.weights["split_heads"] = np.array([0, 0, heads, width // heads], dtype=np.int64)
    s.weights["join_heads"] = np.array([0, 0, width], dtype=np.int64)
    s.weights["root"] = np.float32(np.sqrt(width // heads))
    s.weights["root2"] = np.float32(np.sqrt(2))
    s.weights["one"] = np.float32(1)
    s.weights["half"] = np.float32(0.5)
    nodes = [node("LayerNormalization", "tokens norm1_scale norm1_shift", "norm1", axis=-1, epsilon=1e-5)]
    for name, perm in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        nodes += [
            node("MatMul", f"norm1 {name}_w", f"{name}_product"),
            node("Add", f"{name}_product {name}_b", name),
            node("Reshape", f"{name} split_heads", f"{name}_split"),
            node("Transpose", f"{name}_split", f"{name}_heads", perm=perm),
        ]
    nodes += [
        node("MatMul", "q_heads k_heads", "scores"),
        node("Div", "scores root", "scaled"),
        node("Softmax", "scaled", "weights", axis=-1),
        node("MatMul", "weights v_heads", "mixed"),
        node("Transpose", "mixed", "mixed_rows", perm=[0, 2, 1, 3]),
        node("Reshape", "mixed_rows join_heads", "joined"),
        node("MatMul", "joined o_w", "o_product"),
        node("Add", "o_product o_b", "o"),
        node("Add", "tokens o", "middle"),
        node("LayerNormalization", "middle norm2_scale norm2_shift", "norm2", axis=-1, epsilon=1e-5),
        node("MatMul", "norm2 up_w", "up_product"),
        node("Add", "up_product up_b", "up"),
        node("Div", "up root2", "gelu_in"),
        node("Erf", "gelu_in", "gelu_erf"),
        node("Add", "gelu_erf one", "gelu_sum"),
        node("Mul", "up gelu_sum", "gelu_product"),
        node("Mul", "gelu_product half", "gelu"),
        node("MatMul", "gelu down_w", "down_product"),
        node("Add", "down_product down_b", "down"),
        node("Add", "middle down", "out"),
    ]
    return Sample("attention", nodes, [{"tokens": s.data(1, length, width)} for _ in range(2)], s.weights, "out", opset=17)


def custom():
    """One node of a domain of one's own, of samples/own-operator."""
    s = Seeded(51)
    s.weight("w", 16, 3, 3, 3)
    mine = node("MyConv", "image w", "found", steps=[2, 2])
    mine.domain = "com.me"
    return Sample("custom", [mine, node("Relu", "found", "y")], [{"image": s.data(1, 56, 56, 3)}], s.weights, "y")


def all_models():
    return [mlp(), lenet(), residual(), free_batch(), conv_zoo(), attention()]
