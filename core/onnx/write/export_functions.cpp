// Operators of books with a body that ONNX can say: their functions, once for all of their nodes.
#include "onnx/schema/own.h"
#include "onnx/write/function_body.h"
#include "onnx/write/function_nodes.h"
#include "onnx/write/graph_writer.h"
#include "syntax/declarations.h"

#include <algorithm>

#include <fmt/format.h>

namespace fw {

namespace {

std::string callsText(std::size_t count) {
    return count == 1 ? "one node" : fmt::format("{} nodes", count);
}

// Of an operator without a text.
proto::FunctionProto functionBy(const BodyRow& body, const Operator& op, const OnnxBinding& clause,
                                std::int64_t opset) {
    proto::FunctionProto out = emptyFunction(clause.domain, clause.type, opset);
    out.set_doc_string(op.doc());
    std::map<std::size_t, std::string> attributes; // by operand
    for (const auto& [ours, source] : clause.attributes)
        if (source.operand)
            attributes.emplace(*source.operand, ours);
    const std::vector<std::string> operands = op.inputNames();
    auto next = operands.begin();
    for (std::size_t i = 0; i < operands.size() + attributes.size(); ++i) {
        const auto attribute = attributes.find(i);
        out.add_input(attribute == attributes.end() ? *next++ : attribute->second);
    }
    for (const std::string& result : op.outputNames())
        out.add_output(result);
    for (const std::string& name : op.attrNames())
        if (const std::string& theirs = clause.nodeAttribute(name); !theirs.empty())
            out.add_attribute(theirs);
    FunctionNodes nodes(out, opset);
    body.write(nodes, out);
    return out;
}

} // namespace

Result<proto::FunctionProto> GraphWriter::functionFor(const Operator& op,
                                                      std::span<const Node* const> calls) const {
    const auto unsaid = [](std::string why) {
        return makeDiag(DiagCode::UnsupportedAttribute, std::move(why));
    };
    if (m_opset < leastFunctionOpset)
        return unsaid(fmt::format("the model is written in opset {}, a body needs {}", m_opset,
                                  leastFunctionOpset));
    FW_TRY(const OnnxBinding* clause, clauseFor(*calls.front()));
    if (const BodyRow* body = findBody(op.name()); body != nullptr && !isOfBook(*calls.front()))
        return functionBy(*body, op, *clause, m_opset);
    const auto tree = only<OpTree>(parseFile(op.source(), {}));
    if (tree == nullptr)
        return unsaid("the operator has no text");
    for (const auto& [ours, source] : clause->attributes)
        if (source.operand || source.isFixed)
            return unsaid(fmt::format("'{}' is no attribute of the node", ours));
    for (const proto::FunctionProto* other : functions())
        if (other->domain() == clause->domain && other->name() == clause->type)
            return unsaid("the model has another function of that name");
    for (const std::string& attribute : op.attrNames())
        if (!op.attrDefault(attribute))
            for (const Node* call : calls)
                if (!call->attrs.has(attribute))
                    return unsaid(fmt::format("the default of '{}' is computed", attribute));
    FW_TRY(const CallFacts facts, factsOfCalls(*tree, op, m_graph, calls));
    FW_TRY(proto::FunctionProto out, functionOf(*tree, *clause, facts, m_opset));
    for (const Node* call : calls) {
        std::vector<KnownType> operands;
        for (const ValueRef& input : call->inputs)
            operands.push_back(input.valid() ? KnownType(m_graph.type(input).dtype) : std::nullopt);
        if (auto missing = typeWithoutForm(out, m_opset, operands))
            return unsaid(std::move(*missing));
    }
    return out;
}

void GraphWriter::writeFunctions() {
    std::map<std::string, std::vector<const Node*>> calls;
    for (const NodePtr& node : m_graph.nodes()) {
        const auto clauses = clausesOf(*node);
        if (!clauses.empty() && !clauses.back()->domain.empty() &&
            (isOfBook(*node) || clauses.back()->domain == ownDomain))
            calls[node->op].push_back(node.get());
        if (!clauses.empty() && clauses.back()->domain == ownDomain)
            m_ownTypes.emplace(node->op, clauses.back()->type);
    }
    for (const auto& [name, nodes] : calls) {
        auto function = functionFor(*m_graph.operators().find(name), nodes);
        if (function) {
            m_decisions.push_back(
                {name, Verdict::Yes, ReasonCode::WrittenAsFunction,
                 fmt::format("{} of ONNX for {}",
                             function->node_size() == 1
                                 ? std::string("one operator")
                                 : fmt::format("{} operators", function->node_size()),
                             callsText(nodes.size()))});
            m_functions.push_back(function.take());
        } else {
            m_decisions.push_back(
                {name, Verdict::No, ReasonCode::WrittenWithoutBody, function.diag().message});
        }
    }
}

} // namespace fw
