// Nodes that become calls of the bodies they run: functions of the model, and an If whose condition
// is constant.
#include "onnx/read/model_importer.h"

#include "onnx/model/subgraphs.h"
#include "onnx/schema/standard_operators.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

Status ModelImporter::importCall(int index, const proto::FunctionProto& function) {
    const auto& node = m_graph.node(index);
    if (hasSubgraphs(node))
        return importUnknown(index, nodeName(index),
                             makeDiag(DiagCode::UnsupportedAttribute,
                                      fmt::format("the function {} is given a graph, which is not "
                                                  "supported",
                                                  typeName(node))));
    auto graph = m_run.functions.bodyOf(function, node);
    if (!graph)
        return inNode(index, graph.takeDiag());
    if (graph->output_size() == 0)
        return {};
    std::vector<Given> given;
    for (int i = 0; i < node.input_size(); ++i) {
        if (node.input(i).empty())
            continue;
        FW_CHECK(asWhole(node.input(i)));
        FW_TRY(TensorType type, typeOf(node.input(i)));
        given.push_back({function.input(i), std::move(type), knownWithin(node.input(i)), i});
    }
    for (int i = 0, result = 0; i < node.output_size(); ++i) {
        if (node.output(i).empty())
            continue;
        auto& output = *graph->mutable_output(result++);
        if (const Name* known = find(node.output(i)); known != nullptr && known->declared)
            *output.mutable_type() = known->declared->type();
    }
    Opsets opsets = m_opsets;
    for (const auto& entry : function.opset_import())
        opsets[isStandardDomain(entry.domain()) ? "" : entry.domain()] = entry.version();
    auto body =
        readBody(graph.take(), {cleanText(function.name()), pathOf(index) + "/", std::move(opsets)},
                 std::move(given));
    if (!body)
        return inNode(index, body.takeDiag());
    std::vector<ReadBody> bodies;
    bodies.push_back(body.take());
    return addCall(index, std::move(bodies), 0);
}

Result<bool> ModelImporter::importBranch(int index) {
    const auto& node = m_graph.node(index);
    if (!isStandardDomain(node.domain()) || node.op_type() != "If" || node.input_size() != 1)
        return false;
    const TensorData* condition = node.input(0).empty() ? nullptr : constant(node.input(0));
    if (condition == nullptr && !node.input(0).empty())
        condition = computed(node.input(0));
    if (condition == nullptr || condition->dtype() != DType::Bool || condition->count() != 1)
        return false;
    const std::string taken = condition->integerAt(0) != 0 ? "then_branch" : "else_branch";
    const std::vector<std::string> captured = captures(node);
    FW_TRY(ReadBodies read, readBodies(index, captured, taken));
    std::vector<ReadBody>& bodies = read.bodies;
    const auto runs = std::find_if(bodies.begin(), bodies.end(),
                                   [&](const ReadBody& one) { return one.body.name == taken; });
    if (runs == bodies.end()) { // its warning goes with the node that stays
        m_bodiesRead.emplace(index, std::move(read));
        return false;
    }
    if (runs->results.size() != static_cast<std::size_t>(node.output_size()))
        return inNode(index,
                      makeDiag(DiagCode::OnnxMalformed,
                               fmt::format("has {} results, its {} has {}", node.output_size(),
                                           taken, runs->results.size())));
    for (Diag& warning : read.warnings)
        m_run.out.diagnostics.push_back(std::move(warning));
    note(nodeName(index), fmt::format("the condition is constant: {} is always taken", taken));
    // Its nodes are in the graph then, by their names there: inlineCalls() leaves out the branch.
    const std::string inBranch = fmt::format("{}/{}/", pathOf(index), taken);
    for (Diag& diag : runs->diagnostics)
        if (diag.where.node.starts_with(inBranch))
            diag.where.node =
                fmt::format("{}/{}", pathOf(index), diag.where.node.substr(inBranch.size()));
    const auto place = static_cast<std::size_t>(runs - bodies.begin());
    FW_CHECK(addCall(index, std::move(bodies), place));
    return true;
}

Status ModelImporter::addCall(int index, std::vector<ReadBody> bodies, std::size_t runs) {
    const auto& node = m_graph.node(index);
    const std::string name = nodeName(index);
    GraphEditor::NewNode wish;
    wish.op = "call";
    wish.name = name;
    FW_TRY(wish.attrs, unknownAttrs(node));
    for (const char* ofWriter : {"opset", "inner_opsets", "functions"})
        wish.attrs.erase(ofWriter);
    for (const ReadBody& one : bodies)
        wish.attrs.erase("onnx:" + one.body.name); // the body itself says it
    if (runs != 0)
        wish.attrs.set("runs", static_cast<std::int64_t>(runs));
    std::set<int> read;
    for (const ReadBody& one : bodies)
        read.insert(one.body.operands.begin(), one.body.operands.end());
    std::vector<std::string> operands(node.input().begin(), node.input().end());
    for (std::string& captured : captures(node))
        operands.push_back(std::move(captured));
    for (std::size_t i = 0; i < operands.size(); ++i) {
        wish.inputs.emplace_back();
        if (read.contains(static_cast<int>(i))) {
            FW_TRY(wish.inputs.back(), use(operands[i]));
        }
    }
    const bool hasAll = bodies[runs].results.size() == static_cast<std::size_t>(node.output_size());
    std::vector<int> outputs; // of the node, for each result
    for (int i = 0; i < node.output_size(); ++i)
        if (hasAll || !node.output(i).empty()) {
            outputs.push_back(i);
            wish.outputNames.push_back(cleanText(node.output(i)));
        }
    const GraphPtr body = bodies[runs].body.graph;
    for (const Assumption& assumption : body->assumptions())
        m_editor.assume({assumption.condition, assumption.sentence, name + "/" + assumption.node});
    for (ReadBody& one : bodies)
        wish.bodies.push_back(std::move(one.body));
    auto values = m_editor.add(std::move(wish));
    if (!values)
        return inNode(index, values.takeDiag());
    for (std::size_t i = 0; i < values->size(); ++i) {
        const std::string& output = node.output(outputs.at(i));
        if (output.empty())
            continue;
        Value& value = this->value(output);
        value = bodies[runs].results[i];
        if (!value.data) // a constant enters the graph where it is used
            value.ref = (*values)[i];
        if (!value.untyped)
            FW_CHECK(checkDeclared(output, m_editor.type((*values)[i]), index));
    }
    for (Diag& diag : bodies[runs].diagnostics)
        m_nodeDiags.emplace_back(values->front().node, std::move(diag));
    return {};
}

} // namespace fw
