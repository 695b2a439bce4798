// Unknown nodes in a later opset than they were read from: what was an attribute and is an operand
// there is written as one.
#include "onnx/model/names.h"
#include "onnx/model/subgraphs.h"
#include "onnx/model/tensor_proto.h"
#include "onnx/write/unknown_spelling.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using Attribute = proto::AttributeProto;

// From `since` on the operand says what the attribute said before: integers as i64[n], a number as
// f32[].
struct Moved {
    std::string_view type;
    std::int64_t since;
    std::string_view attribute;
    int operand;
};
constexpr Moved movedRows[] = {
    {"TopK", 10, "k", 1},
    {"Slice", 10, "starts", 1},
    {"Slice", 10, "ends", 2},
    {"Slice", 10, "axes", 3},
    {"Dropout", 12, "ratio", 1},
    {"Squeeze", 13, "axes", 1},
    {"Unsqueeze", 13, "axes", 1},
    {"ReduceSum", 13, "axes", 1},
    {"Split", 13, "split", 1},
    {"ReduceMean", 18, "axes", 1},
    {"ReduceMax", 18, "axes", 1},
    {"ReduceMin", 18, "axes", 1},
    {"ReduceProd", 18, "axes", 1},
    {"ReduceL1", 18, "axes", 1},
    {"ReduceL2", 18, "axes", 1},
    {"ReduceLogSum", 18, "axes", 1},
    {"ReduceLogSumExp", 18, "axes", 1},
    {"ReduceSumSquare", 18, "axes", 1},
};

TensorData valueOf(const Attribute& attribute) {
    if (attribute.type() == Attribute::FLOAT)
        return dataFromDoubles(DType::F32, {}, {attribute.f()});
    Integers values(attribute.ints().begin(), attribute.ints().end());
    if (attribute.type() == Attribute::INT)
        values = {attribute.i()};
    return dataFromIntegers(DType::I64, {static_cast<std::int64_t>(values.size())}, values);
}

// `constant(attribute, value)` names a value of the graph that the node is in.
template <class Constant>
bool moveNode(proto::NodeProto& node, std::int64_t& opset, const Constant& constant) {
    bool moved = false;
    const std::int64_t since = ownOpsetsOf(node, opset).most + 1;
    for (const Moved& row : movedRows) {
        if (row.type != node.op_type() || row.since != since || !isStandardDomain(node.domain()))
            continue;
        auto& attributes = *node.mutable_attribute();
        const auto given = std::find_if(attributes.begin(), attributes.end(), [&](const auto& one) {
            return one.name() == row.attribute;
        });
        if (given == attributes.end())
            continue;
        while (node.input_size() <= row.operand)
            node.add_input();
        node.set_input(row.operand, constant(row, valueOf(*given)));
        attributes.erase(given);
        moved = true;
    }
    opset = moved ? since : opset;
    return moved;
}

class Raising {
public:
    Raising(UnknownSpelling& spelling, std::int64_t target)
        : m_spelling(spelling), m_target(target), m_taken(innerNames(spelling.node)) {}

    bool node(proto::NodeProto& node, std::int64_t opset, proto::GraphProto* body) {
        const auto constant = [&](const Moved& row, const TensorData& data) {
            if (body == nullptr) {
                m_spelling.moved.insert_or_assign(row.operand, data);
                return std::string("x");
            }
            auto& made = *body->add_node();
            made.set_op_type("Constant");
            made.add_output(fresh(fmt::format("{}.{}", cleanText(node.name()), row.attribute)));
            made.set_name(fresh(made.output(0) + ".constant"));
            auto& value = *made.add_attribute();
            value.set_name("value");
            value.set_type(Attribute::TENSOR);
            fillTensor(*value.mutable_t(), data, {});
            return made.output(0);
        };
        while (ownOpsetsOf(node, opset).most < m_target)
            if (!moveNode(node, opset, constant))
                return false;
        for (auto& attribute : *node.mutable_attribute()) {
            if (attribute.has_g() && !inner(*attribute.mutable_g()))
                return false;
            for (auto& graph : *attribute.mutable_graphs())
                if (!inner(graph))
                    return false;
        }
        return true;
    }

private:
    bool inner(proto::GraphProto& body) {
        proto::GraphProto out = body;
        out.clear_node();
        for (const auto& given : body.node()) {
            proto::NodeProto moved = given;
            if (!node(moved, m_spelling.standardOpset(), &out)) // constants come before it
                return false;
            *out.add_node() = std::move(moved);
        }
        body = std::move(out);
        return true;
    }

    std::string fresh(const std::string& wish) {
        std::string name = wish;
        for (int i = 1; !m_taken.insert(name).second; ++i)
            name = fmt::format("{}_{}", wish, i);
        return name;
    }

    UnknownSpelling& m_spelling;
    std::int64_t m_target;
    std::set<std::string> m_taken;
};

} // namespace

bool raise(UnknownSpelling& spelling, std::int64_t target) {
    UnknownSpelling out = spelling;
    if (!Raising(out, target).node(out.node, spelling.standardOpset(), nullptr))
        return false;
    if (isStandardDomain(out.node.domain()))
        out.opset = target;
    if (const auto inside = out.innerOpsets.find(""); inside != out.innerOpsets.end())
        inside->second = target;
    spelling = std::move(out);
    return true;
}

} // namespace fw
