#include "levels/cases.h"

namespace fw::test {

namespace {

struct Geometry {
    std::int64_t channels, filters, kernel, stride, pad, groups;
};

ValueRef convolution(Builder& b, ValueRef x, const Geometry& g) {
    return b.op("conv2d",
                {x, b.weight("w" + std::to_string(b.seed),
                             {g.filters, g.channels / g.groups, g.kernel, g.kernel})},
                attrs({{"strides", Integers{g.stride, g.stride}},
                       {"pads", Integers{g.pad, g.pad, g.pad, g.pad}},
                       {"groups", g.groups}}));
}

ValueRef biased(Builder& b, ValueRef x, std::int64_t channels) {
    return b.op("bias", {x, b.weight("b" + std::to_string(b.seed), {channels})});
}

// A call and the extents of its result.
struct Anchor {
    std::string name;
    std::function<ValueRef(Builder&)> make;
    std::vector<std::int64_t> result;
};

std::vector<Anchor> anchors() {
    const auto conv = [](const char* name, std::int64_t batch, std::int64_t size, Geometry g) {
        const std::int64_t out = (size + 2 * g.pad - g.kernel) / g.stride + 1;
        return Anchor{name,
                      [=](Builder& b) {
                          return convolution(b, b.input("x", {batch, g.channels, size, size}), g);
                      },
                      {batch, g.filters, out, out}};
    };
    return {
        {"dense",
         [](Builder& b) {
             return b.op("dense", {b.input("x", {18, 33}), b.weight("w", {20, 33})});
         },
         {18, 20}},
        {"batch_matmul",
         [](Builder& b) {
             return b.op("batch_matmul", {b.input("p", {2, 17, 16}), b.input("q", {2, 16, 7})});
         },
         {2, 17, 7}},
        conv("conv3x3", 1, 9, {16, 24, 3, 1, 1, 1}),
        conv("conv1x1", 2, 6, {32, 16, 1, 1, 0, 1}),
        conv("conv odd", 1, 11, {3, 10, 5, 2, 2, 1}),
        conv("grouped", 1, 8, {16, 32, 3, 1, 1, 4}),
        conv("depthwise", 1, 9, {20, 20, 3, 1, 1, 20}),
        {"deconv",
         [](Builder& b) {
             return b.op("conv_transpose2d",
                         {b.input("x", {1, 16, 5, 5}), b.weight("w", {16, 8, 3, 3})},
                         attrs({{"strides", Integers{2, 2}},
                                {"pads", Integers{1, 1, 1, 1}},
                                {"output_padding", Integers{1, 1}}}));
         },
         {1, 8, 10, 10}},
    };
}

std::vector<std::int64_t> reversed(std::vector<std::int64_t> extents) {
    return {extents.rbegin(), extents.rend()};
}

// Another tensor of the result's extents. Those before Input are at least 1: they can divide.
enum class Operand { Result, Reshaped, Part, Input, Constant, Transposed, Count };
constexpr const char* operandNames[] = {"result", "reshaped", "part",
                                        "input",  "constant", "transposed"};

ValueRef operandOf(Builder& b, Operand kind, const std::vector<std::int64_t>& extents) {
    const auto positive = [&](ValueRef x) {
        const TensorData one = dataFromDoubles(DType::F32, {1}, {1});
        return b.op("add", {b.op("abs", {x}), b.editor.addConstant("one", one)});
    };
    switch (kind) {
    case Operand::Input:
        return b.input("r", extents);
    case Operand::Result:
        return positive(b.input("r", extents));
    case Operand::Constant:
        return b.weight("r", extents);
    case Operand::Reshaped: {
        std::int64_t count = 1;
        for (const std::int64_t extent : extents)
            count *= extent;
        return b.op("reshape", {positive(b.input("r", {count}))}, attrs({{"shape", extents}}));
    }
    case Operand::Transposed: {
        Integers order;
        for (std::size_t i = extents.size(); i-- > 0;)
            order.push_back(static_cast<std::int64_t>(i));
        return b.op("transpose", {b.input("r", reversed(extents))}, attrs({{"perm", order}}));
    }
    case Operand::Part: { // of a concat: a view that does not begin its memory
        const std::size_t axis = 1;
        std::vector<std::int64_t> whole = extents;
        const ValueRef joined = b.op("concat", {b.input("r", extents), b.input("s", extents)},
                                     attrs({{"axis", std::int64_t(axis)}}));
        whole[axis] *= 2;
        return b.op("slice", {positive(joined)},
                    attrs({{"starts", Integers{extents[axis]}},
                           {"ends", Integers{whole[axis]}},
                           {"axes", Integers{std::int64_t(axis)}}}));
    }
    case Operand::Count:
        break;
    }
    return {};
}

void addUnary(std::vector<LevelCase>& out, const Anchor& anchor) {
    for (const char* op : {"relu", "leaky_relu", "elu", "gelu", "sigmoid", "tanh", "hard_swish",
                           "abs", "exp", "clip"})
        out.push_back(
            {anchor.name + " " + op, [anchor, op = std::string(op)] {
                 Builder b;
                 const ValueRef y = anchor.make(b);
                 return b.finish(
                     b.op(op, {y}, op == "clip" ? attrs({{"min", -0.5}, {"max", 0.5}}) : Attrs()));
             }});
}

void addBinary(std::vector<LevelCase>& out, const Anchor& anchor, std::size_t& turn) {
    for (const char* op : {"add", "mul", "sub", "max", "min", "div"})
        for (const bool first : {true, false}) {
            const bool divides = std::string(op) == "div";
            if (!first && divides)
                continue; // by sums that may be near 0
            const std::size_t kinds = std::size_t(divides ? Operand::Input : Operand::Count);
            const auto kind = static_cast<Operand>(turn++ % kinds);
            const std::string name = anchor.name + " " + op + (first ? " y, " : " of, ") +
                                     operandNames[std::size_t(kind)];
            out.push_back({name, [anchor, op = std::string(op), first, kind] {
                               Builder b;
                               const ValueRef y = anchor.make(b);
                               const ValueRef r = operandOf(b, kind, anchor.result);
                               return b.finish(first ? b.op(op, {y, r}) : b.op(op, {r, y}));
                           }});
        }
}

void addChains(std::vector<LevelCase>& out, const Anchor& anchor) {
    const std::int64_t channels = anchor.result[1];
    out.push_back(
        {anchor.name + " bias, add, relu", [anchor, channels] {
             Builder b;
             const ValueRef y = biased(b, anchor.make(b), channels);
             return b.finish(b.op("relu", {b.op("add", {y, b.input("r", anchor.result)})}));
         }});
    out.push_back({anchor.name + " bias, relu, mul, sub", [anchor, channels] {
                       Builder b;
                       const ValueRef y = b.op("relu", {biased(b, anchor.make(b), channels)});
                       const ValueRef m = b.op("mul", {y, b.input("r", anchor.result)});
                       return b.finish(b.op("sub", {b.input("s", anchor.result), m}));
                   }});
}

GraphPtr chainOfImages() {
    Builder b;
    ValueRef x = b.op(
        "relu", {biased(b, convolution(b, b.input("x", {1, 8, 10, 10}), {8, 16, 3, 1, 1, 1}), 16)});
    const ValueRef kept = x;
    x = b.op("relu", {biased(b, convolution(b, x, {16, 16, 3, 1, 1, 1}), 16)});
    x = b.op("relu", {b.op("add", {biased(b, convolution(b, x, {16, 16, 1, 1, 0, 1}), 16), kept})});
    const ValueRef pooled = b.op(
        "max_pool2d", {x}, attrs({{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}}));
    return b.finish({b.op("global_average_pool", {pooled}), x});
}

GraphPtr partsAndJoins() {
    Builder b;
    const ValueRef x = b.input("x", {1, 32, 8, 8});
    const auto part = [&](std::int64_t from, std::int64_t to) {
        return b.op(
            "slice", {x},
            attrs({{"starts", Integers{from}}, {"ends", Integers{to}}, {"axes", Integers{1}}}));
    };
    const ValueRef left = b.op("relu", {convolution(b, part(0, 16), {16, 16, 3, 1, 1, 1})});
    const ValueRef right = b.op("sigmoid", {convolution(b, part(16, 32), {16, 8, 1, 1, 0, 1})});
    const ValueRef joined = b.op("concat", {left, right}, attrs({{"axis", std::int64_t(1)}}));
    return b.finish({b.op("relu", {convolution(b, joined, {24, 12, 3, 2, 1, 1})}), joined});
}

GraphPtr transposesAround() {
    Builder b;
    const ValueRef x =
        b.op("transpose", {b.input("x", {1, 9, 9, 16})}, attrs({{"perm", Integers{0, 3, 1, 2}}}));
    const ValueRef y = b.op("relu", {convolution(b, x, {16, 16, 3, 1, 1, 1})});
    return b.finish(b.op("transpose", {y}, attrs({{"perm", Integers{0, 2, 3, 1}}})));
}

GraphPtr rowsOfAnImage() {
    Builder b;
    const ValueRef y = convolution(b, b.input("x", {2, 16, 4, 4}), {16, 8, 3, 1, 1, 1});
    const ValueRef rows = b.op("reshape", {y}, attrs({{"shape", Integers{2, 128}}}));
    const ValueRef d = b.op("dense", {rows, b.weight("v", {10, 128})});
    return b.finish(b.op("softmax", {d}));
}

GraphPtr attentionOfHeads() {
    Builder b;
    const auto heads = [&](const char* name) {
        const ValueRef x =
            b.op("dense", {b.input(name, {12, 24}), b.weight(std::string("w") + name, {24, 24})});
        return b.op("transpose", {b.op("reshape", {x}, attrs({{"shape", Integers{12, 3, 8}}}))},
                    attrs({{"perm", Integers{1, 0, 2}}}));
    };
    const ValueRef q = heads("q"),
                   k = b.op("transpose", {heads("k")}, attrs({{"perm", Integers{0, 2, 1}}}));
    const ValueRef scores = b.op("softmax", {b.op("batch_matmul", {q, k})});
    return b.finish(b.op("batch_matmul", {scores, heads("v")}));
}

GraphPtr freeRows() {
    Builder b;
    const ValueRef x = b.editor.addInput("x", {DType::F32, {varExpr(Symbol("N")), Expr(24)}});
    const ValueRef d = b.op("dense", {x, b.weight("w", {40, 24})});
    return b.finish(b.op("gelu", {biased(b, d, 40)}));
}

GraphPtr pools(const std::string& op) {
    Builder b;
    const Attrs window = op.starts_with("global") ? Attrs()
                                                  : attrs({{"kernel_shape", Integers{3, 2}},
                                                           {"strides", Integers{2, 1}},
                                                           {"pads", Integers{1, 0, 1, 1}}});
    const ValueRef x =
        b.op("relu", {convolution(b, b.input("x", {2, 8, 11, 11}), {8, 20, 1, 1, 0, 1})});
    return b.finish({b.op(op, {x}, window), b.op(op, {b.input("z", {1, 5, 7, 7})}, window)});
}

GraphPtr rows(const std::string& op) {
    Builder b;
    const ValueRef x = b.input("x", {6, 37});
    return b.finish(op == "layernorm" ? b.op(op, {x, b.weight("g", {37}), b.weight("h", {37})})
                                      : b.op(op, {x}));
}

GraphPtr winogradTwice() {
    Builder b;
    ValueRef x = b.input("x", {1, 20, 12, 12});
    for (const std::int64_t filters : {24, 32}) {
        const std::int64_t channels = filters == 24 ? 20 : 24;
        x = b.op("relu", {biased(b, convolution(b, x, {channels, filters, 3, 1, 1, 1}), filters)});
    }
    return b.finish(x);
}

} // namespace

std::vector<LevelCase> tailCases() {
    std::vector<LevelCase> out;
    std::size_t turn = 0;
    for (const Anchor& anchor : anchors()) {
        addUnary(out, anchor);
        addBinary(out, anchor, turn);
        addChains(out, anchor);
        ++turn; // so that every operator meets every kind of operand at some anchor
    }
    return out;
}

std::vector<LevelCase> layoutCases() {
    std::vector<LevelCase> out = {
        {"chain of images", chainOfImages},      {"parts and joins", partsAndJoins},
        {"transposes around", transposesAround}, {"rows of an image", rowsOfAnImage},
        {"attention", attentionOfHeads},         {"free rows", freeRows},
        {"winograd", winogradTwice, true}};
    for (const char* op : {"max_pool2d", "avg_pool2d", "global_average_pool", "global_max_pool"})
        out.push_back({op, [op] { return pools(op); }});
    for (const char* op : {"softmax", "log_softmax", "layernorm"})
        out.push_back({op, [op] { return rows(op); }});
    return out;
}

} // namespace fw::test
