"""Odd networks: the shapes that benchmarks leave out. Small weights, work enough to be timed; inputs of
tests/bench/peer_table.py and cases of the tests. Weights and data are multiples of 1/64, which a repository packs well."""
import numpy as np

from .build import Sample, node
from .models import Seeded


class Coarse(Seeded):
    def data(self, *shape):
        return np.float32(np.clip(np.round(super().data(*shape) * 64), -127, 127) / 64)

    def weight(self, name, *shape):
        super().weight(name, *shape)
        self._coarsen(name)

    def matrix(self, name, rows, columns):
        super().matrix(name, rows, columns)
        self._coarsen(name)

    def _coarsen(self, name):
        values = self.weights[name]
        step = np.float32(2.0 ** np.ceil(np.log2(max(np.abs(values).max(), 1e-6) / 127)))
        self.weights[name] = np.float32(np.round(values / step) * step)


class Net:
    """A list of nodes that grows from one value to the next."""

    def __init__(self, name, seed):
        self.name, self.s, self.nodes = name, Coarse(seed), []

    def add(self, operator, inputs, output, **attributes):
        self.nodes.append(node(operator, inputs, output, **attributes))
        return output.split()[0]

    def constant(self, name, values, dtype=np.int64):
        self.s.weights[name] = np.array(values, dtype=dtype)
        return name

    def conv(self, source, name, into, out, kernel, group=1, stride=1, dilation=1, relu=True):
        high, wide = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        self.s.weight(f"{name}_w", out, into // group, high, wide)
        self.s.bias(f"{name}_b", out)
        pads = [0] * 4 if stride == high > 1 else [(high - 1) * dilation // 2, (wide - 1) * dilation // 2] * 2
        self.add("Conv", f"{source} {name}_w {name}_b", name, kernel_shape=[high, wide], pads=pads, group=group,
                 strides=[stride] * 2, dilations=[dilation] * 2)
        return self.add("Relu", name, f"{name}_relu") if relu else name

    def swish(self, source):
        self.add("Sigmoid", source, f"{source}_gate")
        return self.add("Mul", f"{source} {source}_gate", f"{source}_swish")

    def shuffle(self, source, channels, groups, high, wide):
        self.constant(f"{source}_apart", [0, groups, channels // groups, high, wide])
        self.constant(f"{source}_whole", [0, channels, high, wide])
        self.add("Reshape", f"{source} {source}_apart", f"{source}_groups")
        self.add("Transpose", f"{source}_groups", f"{source}_turned", perm=[0, 2, 1, 3, 4])
        return self.add("Reshape", f"{source}_turned {source}_whole", f"{source}_shuffled")

    def dense(self, source, name, rows, columns):
        self.s.matrix(f"{name}_w", rows, columns)
        self.s.bias(f"{name}_b", columns)
        self.add("MatMul", f"{source} {name}_w", f"{name}_product")
        return self.add("Add", f"{name}_product {name}_b", name)

    def norm(self, source, name, width):
        self.s.weights[f"{name}_scale"] = np.float32(1) + self.s.data(width) * np.float32(0.125)
        self.s.bias(f"{name}_shift", width)
        return self.add("LayerNormalization", f"{source} {name}_scale {name}_shift", name, axis=-1, epsilon=1e-5)

    def gelu(self, source):
        self.constant("root2", np.sqrt(2), np.float32)
        self.constant("one", 1, np.float32)
        self.constant("half", 0.5, np.float32)
        self.add("Div", f"{source} root2", f"{source}_in")
        self.add("Erf", f"{source}_in", f"{source}_erf")
        self.add("Add", f"{source}_erf one", f"{source}_sum")
        self.add("Mul", f"{source} {source}_sum", f"{source}_twice")
        return self.add("Mul", f"{source}_twice half", f"{source}_gelu")

    def heads(self, source, perms, width):
        """The dense layers q, k and v of `source`, split by the constant split_heads."""
        for part, perm in perms.items():
            self.dense(source, part, width, width)
            self.add("Reshape", f"{part} split_heads", f"{part}_split")
            self.add("Transpose", f"{part}_split", f"{part}_heads", perm=perm)

    def attend(self, source, keys, values, width, hidden, output):
        """q_heads over keys and values, joined by the constant join_heads, and two dense layers; skips around both."""
        self.add("MatMul", f"q_heads {keys}", "scores")
        self.add("Div", "scores root", "scaled")
        self.add("Softmax", "scaled", "shares", axis=-1)
        self.add("MatMul", f"shares {values}", "mixed")
        self.add("Transpose", "mixed", "mixed_rows", perm=[0, 2, 1, 3])
        self.add("Reshape", "mixed_rows join_heads", "joined")
        self.dense("joined", "o", width, width)
        self.add("Add", f"{source} o", "middle")
        value = self.gelu(self.dense(self.norm("middle", "norm2", width), "up", width, hidden))
        self.dense(value, "down", hidden, width)
        return self.add("Add", "middle down", output)

    def classify(self, source, channels):
        self.add("GlobalAveragePool", source, "pooled")
        self.add("Flatten", "pooled", "flat", axis=1)
        self.s.weight("fc_w", 10, channels)
        self.s.bias("fc_b", 10)
        return self.add("Gemm", "flat fc_w fc_b", "logits", transB=1)

    def sample(self, feeds, outputs="logits"):
        return Sample(self.name, self.nodes, [feeds], self.s.weights, outputs, opset=17)


def group_two():
    net = Net("group_two", 31)
    value = net.conv("image", "stem", 3, 48, 3, stride=2)
    for i in range(3):
        value = net.shuffle(net.conv(value, f"reduce{i}", 48, 48, 1, group=2), 48, 2, 40, 40)
        value = net.conv(value, f"wide{i}", 48, 48, 3, group=2)
    net.classify(value, 48)
    return net.sample({"image": net.s.data(1, 3, 80, 80)})


def group_three():
    """The unit of ShuffleNet: grouped products around a depthwise convolution, a shuffle between them."""
    net = Net("group_three", 32)
    value = net.conv("image", "stem", 3, 60, 3, stride=2)
    for i in range(4):
        inner = net.shuffle(net.conv(value, f"in{i}", 60, 60, 1, group=3), 60, 3, 40, 40)
        inner = net.conv(inner, f"depth{i}", 60, 60, 3, group=60, relu=False)
        inner = net.conv(inner, f"out{i}", 60, 60, 1, group=3, relu=False)
        net.add("Add", f"{inner} {value}", f"sum{i}")
        value = net.add("Relu", f"sum{i}", f"unit{i}")
    net.classify(value, 60)
    return net.sample({"image": net.s.data(1, 3, 80, 80)})


def group_eight():
    net = Net("group_eight", 33)
    value = net.conv("image", "stem", 3, 64, 3, stride=2)
    for i in range(3):
        inner = net.conv(value, f"in{i}", 64, 64, 1)
        inner = net.shuffle(net.conv(inner, f"wide{i}", 64, 64, 3, group=8), 64, 8, 32, 32)
        inner = net.conv(inner, f"out{i}", 64, 64, 1, relu=False)
        net.add("Add", f"{inner} {value}", f"sum{i}")
        value = net.add("Relu", f"sum{i}", f"unit{i}")
    net.classify(value, 64)
    return net.sample({"image": net.s.data(1, 3, 64, 64)})


def primes():
    net = Net("primes", 34)
    value = net.conv("image", "a", 3, 17, 3)
    value = net.conv(value, "b", 17, 31, 5, stride=2)
    value = net.conv(value, "c", 31, 47, 3)
    net.add("MaxPool", value, "pooled_c", kernel_shape=[3, 3], strides=[2, 2])
    value = net.conv("pooled_c", "d", 47, 53, 3)
    net.classify(value, 53)
    return net.sample({"image": net.s.data(1, 3, 61, 67)})


def batch_three():
    net = Net("batch_three", 35)
    value = net.conv("images", "a", 3, 24, 3, stride=2)
    value = net.conv(value, "b", 24, 48, 3)
    value = net.conv(value, "c", 48, 48, 3, stride=2)
    value = net.conv(value, "d", 48, 96, 1)
    net.classify(value, 96)
    return net.sample({"images": net.s.data(3, 3, 48, 48)})


def dilated():
    """Windows with holes, side by side and one behind another, as segmentation networks have them."""
    net = Net("dilated", 36)
    value = net.conv("image", "stem", 3, 32, 3, stride=2)
    value = net.conv(value, "two", 32, 32, 3, dilation=2)
    sides = [net.conv(value, f"side{d}", 32, 16, 3, dilation=d) for d in (1, 3, 5)]
    net.add("Concat", " ".join(sides), "joined", axis=1)
    value = net.conv("joined", "last", 48, 32, 3, dilation=4)
    net.classify(value, 32)
    return net.sample({"image": net.s.data(1, 3, 96, 96)})


def wide_depthwise():
    """Depthwise windows of 5x5 and 7x7 between dense layers with a gelu."""
    net = Net("wide_depthwise", 37)
    value = net.conv("image", "stem", 3, 48, 4, stride=4, relu=False)
    for i, size in enumerate((5, 7, 7)):
        inner = net.conv(value, f"depth{i}", 48, 48, size, group=48, relu=False)
        net.add("Transpose", inner, f"last{i}", perm=[0, 2, 3, 1])
        inner = net.norm(f"last{i}", f"norm{i}", 48)
        inner = net.gelu(net.dense(inner, f"up{i}", 48, 192))
        inner = net.dense(inner, f"down{i}", 192, 48)
        net.add("Transpose", inner, f"first{i}", perm=[0, 3, 1, 2])
        value = net.add("Add", f"first{i} {value}", f"unit{i}")
    net.classify(value, 48)
    return net.sample({"image": net.s.data(1, 3, 112, 112)})


def dense_chain():
    """Every layer reads what all before it made: batch norm, relu, 1x1 and 3x3, concat."""
    net = Net("dense_chain", 38)
    value, width = net.conv("image", "stem", 3, 24, 3), 24

    def normed(source, name, channels):
        net.s.batch_norm(f"{name}_bn", channels)
        parts = " ".join(f"{name}_bn_{part}" for part in ("scale", "shift", "mean", "var"))
        net.add("BatchNormalization", f"{source} {parts}", f"{name}_bn", epsilon=1e-5)
        return net.add("Relu", f"{name}_bn", f"{name}_in")

    for i in range(8):
        inner = net.conv(normed(value, f"a{i}", width), f"one{i}", width, 32, 1, relu=False)
        inner = net.conv(normed(inner, f"b{i}", 32), f"three{i}", 32, 12, 3, relu=False)
        value = net.add("Concat", f"{value} {inner}", f"chain{i}", axis=1)
        width += 12
    net.classify(normed(value, "end", width), width)
    return net.sample({"image": net.s.data(1, 3, 36, 36)})


def patches():
    """An image cut into pieces of 16x16, one layer of attention with twelve heads."""
    net = Net("patches", 39)
    width, heads, tokens = 96, 12, 49
    net.s.weight("cut_w", width, 3, 16, 16)
    net.s.bias("cut_b", width)
    net.add("Conv", "image cut_w cut_b", "cut", kernel_shape=[16, 16], strides=[16, 16])
    net.constant("rows", [0, width, tokens])
    net.constant("split_heads", [0, tokens, heads, width // heads])
    net.constant("join_heads", [0, tokens, width])
    net.constant("root", np.sqrt(width // heads), np.float32)
    net.add("Reshape", "cut rows", "cut_rows")
    net.add("Transpose", "cut_rows", "tokens", perm=[0, 2, 1])
    value = net.norm("tokens", "norm", width)
    net.heads(value, {"q": [0, 2, 1, 3], "k": [0, 2, 3, 1], "v": [0, 2, 1, 3]}, width)
    net.attend("tokens", "k_heads", "v_heads", width, 2 * width, "outer")
    net.add("ReduceMean", "outer", "logits", axes=[1], keepdims=0)
    return net.sample({"image": net.s.data(1, 3, 112, 112)})


def cached_row():
    """One token beside a cache of keys and values: every product has one row."""
    net = Net("cached_row", 40)
    width, heads, kept = 96, 4, 255
    net.constant("split_heads", [1, 1, heads, width // heads])
    net.constant("join_heads", [1, 1, width])
    net.constant("root", np.sqrt(width // heads), np.float32)
    value = net.norm("token", "norm", width)
    net.heads(value, {part: [0, 2, 1, 3] for part in "qkv"}, width)
    net.add("Concat", "keys k_heads", "keys_on", axis=2)
    net.add("Concat", "values v_heads", "values_on", axis=2)
    net.add("Transpose", "keys_on", "keys_turned", perm=[0, 1, 3, 2])
    net.attend("token", "keys_turned", "values_on", width, 4 * width, "next")
    cache = lambda: net.s.data(1, heads, kept, width // heads)
    return net.sample({"token": net.s.data(1, 1, width), "keys": cache(), "values": cache()},
                      "next keys_on values_on")


def long_rows():
    """Norms and a softmax over rows of more than 4096."""
    net = Net("long_rows", 41)
    width = 5003
    net.add("Mul", "rows columns", "outer")
    value = net.norm(net.add("Tanh", "outer", "bent"), "norm", width)
    net.add("Softmax", value, "shares", axis=-1)
    net.add("Sub", f"{value} shares", "rest")
    value = net.norm("rest", "norm2", width)
    net.s.matrix("out_w", width, 8)
    net.add("MatMul", f"{value} out_w", "logits")
    return net.sample({"rows": net.s.data(48, 1), "columns": net.s.data(1, width)})


def thin_kernels():
    """Windows of one row or one column, as wide as seven."""
    net = Net("thin_kernels", 42)
    value = net.conv("image", "stem", 3, 32, 3, stride=2)
    value = net.conv(net.conv(value, "row7", 32, 32, (1, 7)), "column7", 32, 40, (7, 1))
    left = net.conv(value, "row3", 40, 24, (1, 3))
    right = net.conv(value, "column3", 40, 24, (3, 1))
    net.add("Concat", f"{left} {right}", "joined", axis=1)
    value = net.conv(net.conv("joined", "column5", 48, 32, (5, 1)), "row5", 32, 48, (1, 5))
    net.classify(value, 48)
    return net.sample({"image": net.s.data(1, 3, 71, 71)})


def gates():
    """Swish behind every convolution, and channels that are weighed by what is in all of them."""
    net = Net("gates", 43)
    value = net.swish(net.conv("image", "stem", 3, 16, 3, stride=2, relu=False))
    for i in range(2):
        inner = net.swish(net.conv(value, f"up{i}", 16, 96, 1, relu=False))
        inner = net.swish(net.conv(inner, f"depth{i}", 96, 96, 5, group=96, relu=False))
        net.add("GlobalAveragePool", inner, f"mean{i}")
        gate = net.swish(net.conv(f"mean{i}", f"squeeze{i}", 96, 8, 1, relu=False))
        net.add("Sigmoid", net.conv(gate, f"open{i}", 8, 96, 1, relu=False), f"opened{i}")
        net.add("Mul", f"{inner} opened{i}", f"weighed{i}")
        net.add("Add", f"{net.conv(f'weighed{i}', f'down{i}', 96, 16, 1, relu=False)} {value}", f"unit{i}")
        value = f"unit{i}"
    net.classify(value, 16)
    return net.sample({"image": net.s.data(1, 3, 96, 96)})


def all_odd():
    return [group_two(), group_three(), group_eight(), primes(), batch_three(), dilated(), wide_depthwise(), dense_chain(),
            patches(), cached_row(), long_rows(), thin_kernels(), gates()]
