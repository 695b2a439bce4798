#include "large/shapes.h"

#include "onnx/model_builder.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace fw::test {

namespace {

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
    static constexpr int width = 8; // of every row

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

class Residual {
public:
    Residual(int image) : m_builder(17) {
        const std::string extent = std::to_string(image);
        m_builder.input("image", {"1", "3", extent, extent});
    }

    std::string norm(const std::string& x, int channels) {
        std::string operands = x;
        for (const float least : {0.5F, -0.5F, -0.5F, 0.5F})
            operands += " " + weights({channels}, least, 1);
        return node("BatchNormalization", operands);
    }
    std::string convolution(const std::string& x, int from, int to, int window, int stride) {
        const float range = 2 / std::sqrt(static_cast<float>(from * window * window));
        node("Conv", x + " " + weights({to, from, window, window}, -range / 2, range));
        ModelBuilder::set(*m_last, "strides", std::vector<std::int64_t>{stride, stride});
        ModelBuilder::set(*m_last, "pads", std::vector<std::int64_t>(4, window / 2));
        return norm(m_last->output(0), to);
    }
    std::string relu(const std::string& x) { return node("Relu", x); }
    std::string pool(const std::string& x) {
        node("MaxPool", x);
        ModelBuilder::set(*m_last, "kernel_shape", std::vector<std::int64_t>{3, 3});
        ModelBuilder::set(*m_last, "strides", std::vector<std::int64_t>{2, 2});
        ModelBuilder::set(*m_last, "pads", std::vector<std::int64_t>(4, 1));
        return m_last->output(0);
    }
    std::string block(const std::string& x, int from, int width, int stride) {
        std::string way = relu(convolution(x, from, width, 1, 1));
        way = relu(convolution(way, width, width, 3, stride));
        way = convolution(way, width, 4 * width, 1, 1);
        const bool same = from == 4 * width && stride == 1;
        const std::string beside = same ? x : convolution(x, from, 4 * width, 1, stride);
        return relu(node("Add", way + " " + beside));
    }
    proto::ModelProto take(const std::string& x, int channels) {
        const std::string flat = node("Flatten", node("GlobalAveragePool", x));
        const std::string out = node("Gemm", flat + " " + weights({channels, 1000}, -0.05F, 0.1F) +
                                                 " " + weights({1000}, -0.05F, 0.1F));
        m_builder.output(out);
        return std::move(m_builder.model);
    }

private:
    std::string node(const std::string& type, const std::string& inputs) {
        const std::string out = fmt::format("v{}", m_nodes);
        m_last = &m_builder.node(type, inputs, out, fmt::format("{}_{}", type, m_nodes++));
        return out;
    }
    std::string weights(const std::vector<std::int64_t>& dims, float least, float range) {
        const std::string name = fmt::format("w{}", m_weights++);
        auto* tensor = m_builder.graph().add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(proto::TensorProto::FLOAT);
        std::int64_t count = 1;
        for (const std::int64_t dim : dims) {
            tensor->add_dims(dim);
            count *= dim;
        }
        std::vector<float> values(static_cast<std::size_t>(count));
        for (float& value : values)
            value = least + range * static_cast<float>(m_random()) /
                                static_cast<float>(std::minstd_rand::max());
        tensor->set_raw_data(values.data(), values.size() * sizeof(float));
        return name;
    }

    ModelBuilder m_builder;
    proto::NodeProto* m_last = nullptr;
    std::minstd_rand m_random{1};
    int m_nodes = 0;
    int m_weights = 0;
};

} // namespace

proto::ModelProto residualModel(const std::array<int, 4>& blocks, int width, int image) {
    Residual model(image);
    std::string x = model.pool(model.relu(model.convolution("image", 3, width, 7, 2)));
    int channels = width;
    for (std::size_t stage = 0; stage < blocks.size(); ++stage)
        for (int i = 0; i < blocks[stage]; ++i) {
            const int inner = width << stage;
            x = model.block(x, channels, inner, stage > 0 && i == 0 ? 2 : 1);
            channels = 4 * inner;
        }
    return model.take(x, channels);
}

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
