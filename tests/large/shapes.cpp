#include "large/shapes.h"

#include "onnx/model_builder.h"

#include <fmt/format.h>

namespace fw::test {

namespace {

constexpr int width = 8; // of every row

class Model {
public:
    Model() : m_builder(17) {
        m_builder.input("x", {"2", std::to_string(width)});
        m_builder.weights("square", {width, width});
        m_builder.weights("ones", {width});
        m_builder.weights("zeros", {width});
    }
    std::string add(const std::string& type, const std::string& inputs) {
        last(type, inputs);
        return m_out;
    }
    std::string withAxis(const std::string& type, const std::string& inputs, std::int64_t axis) {
        ModelBuilder::set(last(type, inputs), "axis", axis);
        return m_out;
    }
    std::string withOrder(const std::string& inputs, const std::vector<std::int64_t>& order) {
        ModelBuilder::set(last("Transpose", inputs), "perm", order);
        return m_out;
    }
    std::string weight() {
        const std::string name = fmt::format("w{}", m_weights++);
        m_builder.weights(name, {width});
        return name;
    }
    int count() const { return m_nodes; }
    proto::ModelProto take(const std::string& result) {
        m_builder.output(result);
        return std::move(m_builder.model);
    }

private:
    proto::NodeProto& last(const std::string& type, const std::string& inputs) {
        m_out = fmt::format("v{}", m_nodes);
        return m_builder.node(type, inputs, m_out, fmt::format("{}_{}", type, m_nodes++));
    }

    ModelBuilder m_builder;
    std::string m_out; // of the last node
    int m_nodes = 0;
    int m_weights = 0;
};

proto::ModelProto chain(int nodes) {
    Model model;
    std::string at = "x";
    while (model.count() < nodes) {
        at = model.add("Relu", at);
        at = model.add("Tanh", at);
        at = model.add("Neg", at);
        at = model.add("Add", at + " " + model.weight());
    }
    return model.take(at);
}

proto::ModelProto wide(int nodes) {
    constexpr std::size_t joined = 100;
    Model model;
    std::vector<std::string> ends;
    while (model.count() + static_cast<int>(ends.size() / joined) < nodes)
        ends.push_back(model.add("Relu", model.add("Neg", "x")));
    while (ends.size() > 1) {
        std::vector<std::string> next;
        for (std::size_t from = 0; from < ends.size(); from += joined) {
            std::string operands;
            for (std::size_t i = from; i < std::min(ends.size(), from + joined); ++i)
                operands += ends[i] + " ";
            next.push_back(model.withAxis("Concat", operands, 0));
        }
        ends = std::move(next);
    }
    return model.take(ends.front());
}

proto::ModelProto dense(int nodes) {
    constexpr int block = 12;
    Model model;
    std::string at = "x";
    while (model.count() < nodes) {
        std::string all = at;
        for (int i = 0; i < block; ++i) {
            const std::string joined = model.withAxis("Concat", all, 0);
            const std::string row = model.add("ReduceMean", joined);
            all += " " + model.add("Relu", model.add("Add", at + " " + row));
        }
        at = model.add("Add", at + " " + model.add("ReduceMax", model.withAxis("Concat", all, 0)));
    }
    return model.take(at);
}

proto::ModelProto layers(int nodes) {
    Model model;
    std::string at = "x";
    while (model.count() < nodes) {
        const std::string q = model.add("Add", model.add("MatMul", at + " square") + " zeros");
        const std::string k = model.add("Add", model.add("MatMul", at + " square") + " zeros");
        const std::string v = model.add("Add", model.add("MatMul", at + " square") + " zeros");
        const std::string scores = model.add("MatMul", q + " " + model.withOrder(k, {1, 0}));
        const std::string mixed =
            model.add("MatMul", model.withAxis("Softmax", scores, -1) + " " + v);
        const std::string attended = model.add("Add", at + " " + mixed);
        const std::string normal =
            model.withAxis("LayerNormalization", attended + " ones zeros", -1);
        const std::string inner = model.add("Relu", model.add("MatMul", normal + " square"));
        const std::string outer =
            model.add("Add", model.add("MatMul", inner + " square") + " " + model.weight());
        at = model.withAxis("LayerNormalization",
                            model.add("Add", normal + " " + outer) + " ones zeros", -1);
    }
    return model.take(at);
}

} // namespace

proto::ModelProto largeModel(LargeShape shape, int nodes) {
    switch (shape) {
    case LargeShape::Chain:
        return chain(nodes);
    case LargeShape::Wide:
        return wide(nodes);
    case LargeShape::Dense:
        return dense(nodes);
    case LargeShape::Layers:
        return layers(nodes);
    }
    return {};
}

} // namespace fw::test
