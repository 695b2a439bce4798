// Types of the results of operators that ONNX or ONNX Runtime define and that nothing here
// computes: what reads them is understood all the same. From the texts of both specifications.
#include "onnx/read/model_importer.h"

#include "onnx/model/beyond_texts.h"
#include "onnx/model/subgraphs.h"
#include "onnx/schema/standard_operators.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

// The first result has the shape that another operator gives to some of the operands, and the
// element type of an operand or a fixed one.
struct Alike {
    std::string_view domain, type;
    std::string_view as; // empty: the shape of the one operand
    std::vector<int> operands;
    int every = 0; // operands of that distance follow, as many as there are
    int elementOf = -1;
    DType element = DType::F32; // where it is that of no operand
};

const std::vector<Alike>& alikes() {
    static const std::vector<Alike> rows{
        {"", "ConvInteger", "Conv", {0, 1}, 0, -1, DType::I32},
        {"", "MatMulInteger", "MatMul", {0, 1}, 0, -1, DType::I32},
        {"", "QLinearConv", "Conv", {0, 3}, 0, 7},
        {"", "QLinearMatMul", "MatMul", {0, 3}, 0, 7},
        {"", "DeformConv", "Conv", {0, 1}, 0, 0},
        {"", "LpNormalization", "", {0}, 0, 0},
        {contribDomain, "QLinearConv", "Conv", {0, 3}, 0, 7},
        {contribDomain, "QLinearAdd", "Add", {0, 3}, 0, 0},
        {contribDomain, "QLinearMul", "Mul", {0, 3}, 0, 0},
        {contribDomain, "QLinearConcat", "Concat", {2}, 3, 2},
        {contribDomain, "QLinearAveragePool", "AveragePool", {0}, 0, 0},
        {contribDomain, "QLinearGlobalAveragePool", "GlobalAveragePool", {0}, 0, 0},
        {contribDomain, "QLinearSigmoid", "", {0}, 0, 0},
        {contribDomain, "QLinearLeakyRelu", "", {0}, 0, 0},
        {contribDomain, "QLinearSoftmax", "", {0}, 0, 0},
        {contribDomain, "MatMulIntegerToFloat", "MatMul", {0, 1}, 0, 2},
        {contribDomain, "DynamicQuantizeMatMul", "MatMul", {0, 1}, 0, 0},
        {contribDomain, "FusedConv", "Conv", {0, 1}, 0, 0},
        {contribDomain, "FusedGemm", "Gemm", {0, 1}, 0, 0},
    };
    return rows;
}

// An attribute that names an element type.
bool isTypeAttribute(std::string_view name) {
    return name == "to" || name == "dtype" || name == "output_dtype";
}

bool namesForeignElement(const proto::AttributeProto& attribute) {
    return attribute.type() == proto::AttributeProto::INT && isTypeAttribute(attribute.name()) &&
           !foreignElement(attribute.i()).empty();
}

std::int64_t integerOr(const proto::NodeProto& node, std::string_view name, std::int64_t other) {
    const Result<std::int64_t> value = integerAttribute(node, name, other);
    return value ? *value : other;
}

using Types = std::vector<std::optional<TensorType>>;

// Y, Y_h and Y_c.
Types recurrent(const proto::NodeProto& node, const Types& operands) {
    if (operands.size() < 3 || !operands[0] || operands[0]->rank() != 3)
        return {};
    const TensorType& x = *operands[0];
    const std::optional<TensorType>& r = operands[2];
    const std::int64_t written = integerOr(node, "hidden_size", 0);
    const bool quantized = node.domain() == contribDomain; // its R is turned round
    if (written <= 0 && (!r || r->rank() != 3))
        return {};
    const Dim hidden = written > 0 ? Dim(written) : r->shape[quantized ? 1 : 2];
    const Result<std::string> direction = textAttribute(node, "direction", "forward");
    const Dim directions(direction && *direction == "bidirectional" ? 2 : 1);
    const bool batchFirst = integerOr(node, "layout", 0) != 0;
    const Dim &sequence = x.shape[batchFirst ? 1 : 0], &batch = x.shape[batchFirst ? 0 : 1];
    const TensorType state{x.dtype, batchFirst ? Shape{batch, directions, hidden}
                                               : Shape{directions, batch, hidden}};
    return {TensorType{x.dtype, batchFirst ? Shape{batch, sequence, directions, hidden}
                                           : Shape{sequence, directions, batch, hidden}},
            state, state};
}

} // namespace

bool isRecurrent(const proto::NodeProto& node) {
    return beyondTexts(isStandardDomain(node.domain()) ? "" : node.domain(), node.op_type()) ==
           BeyondTexts::Recurrent;
}

std::vector<std::optional<TensorType>> ModelImporter::typesOfNode(int index, proto::NodeProto node,
                                                                  std::vector<Given> given) {
    proto::GraphProto graph;
    const std::string as = node.op_type();
    for (const std::string& output : node.output())
        if (!output.empty())
            graph.add_output()->set_name(output);
    *graph.add_node() = std::move(node);
    Imported& out = m_run.out;
    const auto said = static_cast<std::ptrdiff_t>(out.diagnostics.size());
    const auto decided = static_cast<std::ptrdiff_t>(out.decisions.size());
    const Result<ReadBody> read =
        readBody(std::move(graph), {as, pathOf(index) + "/", m_opsets}, std::move(given));
    out.diagnostics.erase(out.diagnostics.begin() + said, out.diagnostics.end());
    out.decisions.erase(out.decisions.begin() + decided, out.decisions.end());
    Types types;
    for (std::size_t i = 0; read && i < read->results.size(); ++i) {
        const Graph& graphOfIt = *read->body.graph;
        types.push_back(read->results[i].untyped
                            ? std::nullopt
                            : std::optional(graphOfIt.type(graphOfIt.results()[i].value)));
    }
    return types;
}

std::optional<TensorType> ModelImporter::typeAs(int index, const std::string& as,
                                                const std::vector<TensorType>& operands) {
    proto::NodeProto node;
    node.set_op_type(as);
    for (const auto& attribute : m_graph.node(index).attribute())
        if (hasAttribute(as, m_opset, attribute.name()))
            *node.add_attribute() = attribute;
    std::vector<Given> given;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        given.push_back({fmt::format("x{}", i), {DType::F32, operands[i].shape}, {}, 0});
        node.add_input(given.back().name);
    }
    node.add_output("y");
    const Types types = typesOfNode(index, std::move(node), std::move(given));
    return types.empty() ? std::nullopt : types.front();
}

// The node is read with one element type of ours in place of those that are none, and with
// another: what has the same type both times does not depend on them.
// As if the elements that are none of ours were of this type.
std::vector<std::optional<TensorType>> ModelImporter::typesWith(int index, DType standIn) {
    proto::NodeProto copy = m_graph.node(index);
    std::vector<Given> given;
    for (int i = 0; i < copy.input_size(); ++i) {
        const Name* known = copy.input(i).empty() ? nullptr : find(copy.input(i));
        if (known == nullptr)
            continue;
        Given one{fmt::format("x{}", i), {}, {}, 0};
        if (const auto& shape = known->value.foreignShape) {
            one.type = {standIn, *shape};
        } else {
            const Result<TensorType> type = typeOf(copy.input(i));
            if (!type)
                return Types{};
            one.type = *type;
            one.value = knownWithin(copy.input(i));
        }
        copy.set_input(i, one.name);
        given.push_back(std::move(one));
    }
    for (int i = 0; i < copy.output_size(); ++i)
        if (!copy.output(i).empty())
            copy.set_output(i, fmt::format("y{}", i));
    for (auto& attribute : *copy.mutable_attribute())
        if (namesForeignElement(attribute))
            attribute.set_i(onnxFromDtype(standIn));
    return typesOfNode(index, std::move(copy), std::move(given));
}

std::vector<ModelImporter::ForeignResult> ModelImporter::typesOfForeign(int index) {
    const auto& node = m_graph.node(index);
    bool isForeign = false;
    for (const std::string& input : node.input()) {
        const Name* known = input.empty() ? nullptr : find(input);
        if (known != nullptr && known->value.untyped && !known->value.foreignShape)
            return {};
        isForeign = isForeign || (known != nullptr && known->value.foreignShape);
    }
    isForeign = isForeign ||
                std::any_of(node.attribute().begin(), node.attribute().end(), namesForeignElement);
    if (!isForeign || hasSubgraphs(node))
        return {};
    const Types one = typesWith(index, DType::U8), other = typesWith(index, DType::I8);
    std::vector<ForeignResult> out;
    std::size_t at = 0;
    for (const std::string& output : node.output()) {
        ForeignResult& result = out.emplace_back();
        if (output.empty())
            continue;
        if (at < one.size() && at < other.size() && one[at] && other[at] &&
            one[at]->shape == other[at]->shape) {
            if (one[at]->dtype == other[at]->dtype)
                result.type = one[at];
            else
                result.foreignShape = one[at]->shape;
        }
        ++at;
    }
    return out;
}

std::vector<std::optional<TensorType>> ModelImporter::typesByStandard(int index) {
    const auto& node = m_graph.node(index);
    Types operands;
    for (const std::string& input : node.input()) {
        const Name* known = input.empty() ? nullptr : find(input);
        Result<TensorType> type = known == nullptr || known->value.untyped
                                      ? Result<TensorType>(TensorType{})
                                      : typeOf(input);
        operands.push_back(known == nullptr || known->value.untyped || !type
                               ? std::nullopt
                               : std::optional(type.take()));
    }
    if (isRecurrent(node))
        return recurrent(node, operands);
    const auto row = std::find_if(alikes().begin(), alikes().end(), [&](const Alike& one) {
        return one.type == node.op_type() &&
               (one.domain.empty() ? isStandardDomain(node.domain()) : one.domain == node.domain());
    });
    if (row == alikes().end() || integerOr(node, "channels_last", 0) != 0)
        return {};
    std::vector<int> places = row->operands;
    if (row->every > 0)
        for (int at = places.back() + row->every; at < node.input_size(); at += row->every)
            places.push_back(at);
    std::vector<TensorType> taken;
    for (const int at : places) {
        if (static_cast<std::size_t>(at) >= operands.size() ||
            !operands[static_cast<std::size_t>(at)])
            return {};
        taken.push_back(*operands[static_cast<std::size_t>(at)]);
    }
    DType element = row->element;
    if (row->elementOf >= 0) {
        const auto of = static_cast<std::size_t>(row->elementOf);
        if (of >= operands.size() || !operands[of])
            return {};
        element = operands[of]->dtype;
    }
    const auto type =
        row->as.empty() ? std::optional(taken[0]) : typeAs(index, std::string(row->as), taken);
    return type ? Types{TensorType{element, type->shape}} : Types{};
}

} // namespace fw
