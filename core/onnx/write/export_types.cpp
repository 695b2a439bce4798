// Element types of what is written: the opset that takes them all, and nodes that no opset has for
// their type, which compute in a wider one between casts.
#include "ir/missing_type.h"
#include "onnx/model/tensor_proto.h"
#include "onnx/schema/standard_operators.h"
#include "onnx/schema/standard_types.h"
#include "onnx/write/graph_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fw {

namespace {

struct Typed {
    std::vector<KnownType> operands, results;
};

// The results of the node are known behind it.
Typed typed(const proto::NodeProto& node, std::int64_t opset, NamedTypes& types) {
    Typed out;
    for (const std::string& input : node.input()) {
        const auto known = types.find(input);
        out.operands.push_back(known == types.end() ? std::nullopt : known->second);
    }
    const std::vector<KnownType> inferred = resultTypes(node, opset, out.operands);
    for (int i = 0; i < node.output_size(); ++i)
        out.results.push_back(
            types.emplace(node.output(i), inferred[static_cast<std::size_t>(i)]).first->second);
    return out;
}

bool isUnsigned(DType dtype) {
    return dtype == DType::U8 || dtype == DType::U16 || dtype == DType::U32 || dtype == DType::U64;
}

// Sums, differences and products of integers keep their last bits in any wider type.
bool isModular(const std::string& type) {
    static constexpr std::array types{"Add",  "Sub",       "Mul",        "Neg",    "Pow",
                                      "Gemm", "ReduceSum", "ReduceProd", "CumSum", "MatMul"};
    return std::find(types.begin(), types.end(), type) != types.end();
}

// They give one of their operands, or nothing between its values.
bool isOrder(const std::string& type) {
    static constexpr std::array types{"Relu", "Max", "Min", "ReduceMax", "ReduceMin"};
    return std::find(types.begin(), types.end(), type) != types.end();
}

// Whether integers of as many bits and the other sign do, too. An exponent of 32 bits takes a type
// that holds it; one of 64 bits stays what it is (`keepsType`).
bool signDoesNotMatter(DType dtype, const std::string& type) {
    return isModular(type) && (type != "Pow" || dtypeBytes(dtype) == 8);
}

// An exponent has a type of its own, and no signed one holds all of u64.
bool keepsType(const proto::NodeProto& node, int operand, DType dtype) {
    return node.op_type() == "Pow" && operand == 1 && dtype == DType::U64;
}

// What is read alone, such as a row of indices, has the same values in any type that holds them.
std::vector<DType> widerThan(DType dtype, const std::string& type, bool isResult) {
    if (!isInteger(dtype) || (isResult && !isModular(type) && !isOrder(type)))
        return {};
    std::vector<DType> out;
    for (const DType wider : {DType::I32, DType::I64})
        if (dtypeBytes(wider) > dtypeBytes(dtype) ||
            (isResult && signDoesNotMatter(dtype, type) && wider != dtype &&
             dtypeBytes(wider) == dtypeBytes(dtype)))
            out.push_back(wider);
    return out;
}

Typed replaced(const proto::NodeProto& node, Typed types, DType from, DType to) {
    for (std::size_t i = 0; i < types.operands.size(); ++i)
        if (types.operands[i] == from && !keepsType(node, static_cast<int>(i), from))
            types.operands[i] = to;
    std::replace(types.results.begin(), types.results.end(), KnownType(from), KnownType(to));
    return types;
}

std::vector<DType> distinct(const Typed& types) {
    std::vector<DType> out;
    for (const auto* list : {&types.operands, &types.results})
        for (const KnownType& type : *list)
            if (type && std::find(out.begin(), out.end(), *type) == out.end())
                out.push_back(*type);
    return out;
}

std::string noForm(const proto::NodeProto& node, const Typed& types) {
    const std::vector<DType> all = distinct(types);
    return fmt::format("ONNX has no {} of {} in any opset", node.op_type(),
                       all.empty() ? "such types" : dtypeText(all.front()));
}

// From this opset on they are functions, which ONNX Runtime 1.30 writes out of others: of these
// types it has no kernel of its own.
constexpr std::int64_t functionsSince = 18;
bool isFunctionOnly(const proto::NodeProto& node, std::span<const KnownType> operands) {
    static constexpr std::array ofDoubles{"Selu", "Elu",      "HardSigmoid", "HardSwish",
                                          "Mish", "Softplus", "Softsign",    "ThresholdedRelu"};
    if (!node.domain().empty() || operands.empty() || !operands[0])
        return false;
    const DType dtype = *operands[0];
    return node.op_type() == "Relu"
               ? dtype == DType::I64 || dtype == DType::I16
               : dtype == DType::F64 && std::find(ofDoubles.begin(), ofDoubles.end(),
                                                  node.op_type()) != ofDoubles.end();
}

} // namespace

NamedTypes GraphWriter::writtenTypes() const {
    NamedTypes types;
    for (const auto& [value, name] : m_names) {
        const auto unknown = m_unknown.find(value.node);
        if (isForeignLeaf(m_graph.node(value.node)))
            continue;
        if (unknown == m_unknown.end() || !unknown->second.untyped.contains(value.output))
            types.emplace(name, m_graph.type(value).dtype);
    }
    for (const auto& initializer : m_out.initializer())
        types.emplace(initializer.name(), dtypeFromOnnx(initializer.data_type()));
    return types;
}

std::int64_t GraphWriter::opsetForTypes() const {
    std::int64_t out = m_opset;
    const auto take = [&](const proto::NodeProto& node, NamedTypes& types) {
        const Typed own = typed(node, m_opset, types);
        out = std::max(out, opsetThatTakes(node, m_opset, own.operands, own.results).value_or(out));
        if (isFunctionOnly(node, own.operands))
            out = std::max(out, functionsSince);
        return own.operands;
    };
    NamedTypes types = writtenTypes();
    const std::vector<const proto::FunctionProto*> known = functions();
    for (const proto::NodeProto& node : m_out.node()) {
        const std::vector<KnownType> operands = take(node, types);
        for (const proto::FunctionProto* function : known) {
            if (function->domain() != node.domain() || function->name() != node.op_type())
                continue;
            NamedTypes inside = typesInside(*function, operands);
            for (const proto::NodeProto& step : function->node())
                take(step, inside);
        }
    }
    return out;
}

NamedTypes typesInside(const proto::FunctionProto& function, std::span<const KnownType> operands) {
    NamedTypes out;
    for (int i = 0; i < function.input_size() && static_cast<std::size_t>(i) < operands.size(); ++i)
        out.emplace(function.input(i), operands[static_cast<std::size_t>(i)]);
    return out;
}

std::optional<std::string> typeWithoutForm(const proto::FunctionProto& function, std::int64_t opset,
                                           std::span<const KnownType> operands) {
    NamedTypes inside = typesInside(function, operands);
    for (const proto::NodeProto& step : function.node())
        if (const Typed own = typed(step, opset, inside);
            !opsetThatTakes(step, opset, own.operands, own.results))
            return noForm(step, own);
    return std::nullopt;
}

Status GraphWriter::fitTypes() {
    std::set<std::string> asRead; // results of nodes that stand as the model had them
    for (const auto& entry : m_unknown)
        for (std::size_t i = 0; i < m_graph.node(entry.first).outputs.size(); ++i)
            asRead.insert(m_names.at({entry.first, static_cast<int>(i)}));
    NamedTypes types = writtenTypes();
    google::protobuf::RepeatedPtrField<proto::NodeProto> nodes;
    nodes.Swap(m_out.mutable_node());
    for (proto::NodeProto& node : nodes) {
        const Typed own = typed(node, m_opset, types);
        const bool isAsRead =
            std::any_of(node.output().begin(), node.output().end(),
                        [&](const std::string& output) { return asRead.contains(output); });
        if (isAsRead || opsetThatTakes(node, m_opset, own.operands, own.results)) {
            *m_out.add_node() = std::move(node);
            continue;
        }
        if (node.op_type() == "Relu" && own.operands[0] && isUnsigned(*own.operands[0])) {
            node.set_op_type("Identity");
            *m_out.add_node() = std::move(node);
            continue;
        }
        bool isWritten = false;
        for (const DType dtype : distinct(own))
            for (const DType wider : widerThan(dtype, node.op_type(),
                                               std::find(own.results.begin(), own.results.end(),
                                                         KnownType(dtype)) != own.results.end()))
                if (const Typed wide = replaced(node, own, dtype, wider);
                    !isWritten &&
                    opsetThatTakes(node, m_opset, wide.operands, wide.results) == m_opset) {
                    writeWider(node, own.operands, own.results, dtype, wider);
                    isWritten = true;
                }
        if (!isWritten)
            return makeDiag(DiagCode::DtypeMismatch, noForm(node, own), {{}, node.name()},
                            "cast to a type that it has before it, and back behind it");
    }
    return {};
}

void GraphWriter::writeWider(proto::NodeProto node, std::span<const KnownType> operands,
                             std::span<const KnownType> results, DType dtype, DType wider) {
    const auto cast = [&](const std::string& from, const std::string& to, DType type) {
        setAttribute(this->node("Cast", {from}, to, fresh(to + ".cast")), "to",
                     std::int64_t{onnxFromDtype(type)});
    };
    for (int i = 0; i < node.input_size(); ++i)
        if (operands[static_cast<std::size_t>(i)] == dtype && !keepsType(node, i, dtype)) {
            const std::string wide = fresh(node.input(i) + ".wide");
            cast(node.input(i), wide, wider);
            node.set_input(i, wide);
        }
    std::vector<std::pair<std::string, std::string>> back;
    for (int i = 0; i < node.output_size(); ++i)
        if (results[static_cast<std::size_t>(i)] == dtype) {
            back.emplace_back(fresh(node.output(i) + ".wide"), node.output(i));
            node.set_output(i, back.back().first);
        }
    const std::string type = node.op_type();
    *m_out.add_node() = std::move(node);
    for (auto& [wide, narrow] : back) {
        // Of nothing they give the last number of their type.
        if (type == "ReduceMin" || type == "ReduceMax") {
            const bool isLeast = type == "ReduceMin";
            const Expr last = reducerIdentity(isLeast ? Reducer::Min : Reducer::Max, dtype);
            const std::string bound = initializer(
                wide + ".last",
                dataFromDoubles(wider, {}, {static_cast<double>(last.asInt().value_or(0))}));
            const std::string bounded = fresh(wide + ".bounded");
            this->node(isLeast ? "Min" : "Max", {wide, bound}, bounded, fresh(bounded + ".node"));
            wide = bounded;
        }
        cast(wide, narrow, dtype);
    }
}

} // namespace fw
