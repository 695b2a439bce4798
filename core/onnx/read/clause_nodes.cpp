// Which clause is about a node, and nodes that the clause of a book reads.
#include "onnx/read/import_clause.h"
#include "onnx/read/importers.h"
#include "onnx/read/model_importer.h"
#include "onnx/schema/standard_operators.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

const OnnxReading* ModelImporter::clauseOf(const proto::NodeProto& node) {
    std::map<std::string, AttrValue> given; // of the types that a clause can give
    for (const auto& attribute : node.attribute())
        if (attribute.type() == proto::AttributeProto::INT)
            given.emplace(attribute.name(), std::int64_t{attribute.i()});
        else if (attribute.type() == proto::AttributeProto::FLOAT)
            given.emplace(attribute.name(), static_cast<double>(attribute.f()));
        else if (attribute.type() == proto::AttributeProto::STRING)
            given.emplace(attribute.name(), attribute.s());
    const auto all =
        m_run.operators->onnxReadings(isStandardDomain(node.domain()) ? "" : node.domain(),
                                      node.op_type(), opsetOf(node.domain()), given);
    if (all.size() < 2 || all[1]->source != all[0]->source)
        return all.empty() ? nullptr : all.front();
    // Of several the first whose operator takes the operands.
    // Where they give an attribute other values, a node without it is what the first one says.
    const auto saysAsFirst = [&](const OnnxReading& reading) {
        return std::all_of(reading.binding.fixed.begin(), reading.binding.fixed.end(),
                           [&](const auto& one) {
                               const auto& first = all[0]->binding.fixed;
                               const auto said = first.find(one.first);
                               return given.contains(one.first) || said == first.end() ||
                                      said->second == one.second;
                           });
    };
    const OnnxReading* nearest = nullptr; // whose attributes can be read
    for (const OnnxReading* reading : all) {
        if (reading->source != all[0]->source || !saysAsFirst(*reading))
            continue;
        NodeImport trial(*this, node, {});
        const Fit fit = fitOfClause(trial, *operators().findReader(reading->op), reading->binding);
        if (fit == Fit::Whole)
            return reading;
        if (fit == Fit::AttributesOnly && nearest == nullptr)
            nearest = reading;
    }
    return nearest != nullptr ? nearest : all.front();
}

// What would have read the node if no book did; empty: nothing.
std::string ModelImporter::readOtherwise(const proto::NodeProto& node,
                                         const OnnxReading& reading) const {
    if (m_run.functions.find(node) != nullptr &&
        !m_run.carried.contains({reading.binding.domain, reading.binding.type}))
        return "the function that the model brings along";
    const std::int64_t opset = opsetOf(node.domain());
    for (const OnnxReading& other : m_run.operators->onnxReadings())
        if (&other != &reading && other.binding.where.file != reading.binding.where.file &&
            other.binding.domain == reading.binding.domain &&
            other.binding.type == node.op_type() && other.binding.takes(opset) &&
            other.binding.agreesWith(reading.binding.fixed))
            return other.source == OperatorSource::Shipped
                       ? "the shipped operator " + other.op
                       : fmt::format("{} of {}", other.op, other.binding.where.text());
    if (findImporter(node.domain(), node.op_type(), opset) != nullptr)
        return "the importer's own reading";
    return {};
}

Status ModelImporter::importOwn(int index, const OnnxReading& reading) {
    const auto& node = m_graph.node(index);
    const std::string name = nodeName(index);
    const std::string place = reading.binding.where.text();
    for (const std::string& input : node.input()) // whose errors are not those of this node
        if (!input.empty())
            FW_CHECK(use(input));
    NodeImport context(*this, node, name);
    auto status = importByClause(context, *operators().findReader(reading.op), reading);
    if (status)
        status = checkIndices(context);
    if (!status) {
        Diag diag = status.takeDiag();
        if (diag.code == DiagCode::Cancelled)
            return diag;
        diag.message = fmt::format("{} does not fit the operator {} of {}: {}", typeName(node),
                                   reading.op, place, diag.message);
        diag.where = {};
        return importUnknown(index, name, std::move(diag));
    }
    m_run.out.decisions.push_back({m_prefix + name, Verdict::Note, ReasonCode::ReadByClause,
                                   fmt::format("{} of {}", reading.op, place)});
    const std::string otherwise = readOtherwise(node, reading);
    if (!otherwise.empty() && m_run.noticed.insert(&reading).second)
        m_run.out.diagnostics.push_back(
            makeWarning(DiagCode::TextName,
                        fmt::format("{} is read as {}, which takes the place of {}", typeName(node),
                                    reading.op, otherwise),
                        reading.binding.where));
    return checkResults(index);
}

} // namespace fw
