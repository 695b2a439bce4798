// What the tests of rewriting share: graphs from text, books from text, and the judge, which
// evaluates a graph before and after by the reference.
#pragma once

#include "ir/graph_text.h"
#include "library/library.h"
#include "rewrite/driver.h"
#include "tensor/bounded.h"
#include "tensor/evaluate_graph.h"

#include <QtTest>

#include <cmath>

namespace rewriting {

inline fw::GraphPtr graphOf(const std::string& text) {
    auto graph = fw::parseGraph(text, fw::standardOperators());
    if (!graph)
        qFatal("%s", graph.diag().text().c_str());
    return *graph;
}

inline fw::RuleBook bookOf(const std::string& text) {
    auto book = fw::parseRules(text, "book.fw");
    if (!book)
        qFatal("%s", book.diag().text().c_str());
    return *book;
}

inline fw::Rewritten rewritten(const fw::GraphPtr& graph, const fw::RuleBook& book,
                               const fw::RewriteOptions& options = {}) {
    auto out = fw::rewriteGraph(graph, book, options);
    if (!out)
        qFatal("%s", out.diag().text().c_str());
    return *out;
}

// "relu dense ..." in order, without inputs and constants.
inline QString operatorsOf(const fw::Graph& graph) {
    QStringList out;
    for (const fw::NodePtr& node : graph.nodes())
        if (!node->isInput() && !node->isConstant())
            out << QString::fromStdString(node->op);
    return out.join(u' ');
}

// Empty if both give the same on random inputs; free dimensions are 2, 3, ... by name.
inline QString difference(const fw::Graph& before, const fw::Graph& after) {
    fw::Substitution dims;
    std::int64_t next = 2;
    for (const fw::Symbol& dim : before.freeDims())
        dims.emplace(dim, fw::intExpr(next++));
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        std::vector<fw::TensorData> inputs;
        for (const fw::NodeId id : before.inputs()) {
            const fw::TensorType& type = before.node(id).outputs[0].type;
            std::vector<std::int64_t> extents;
            for (const fw::Dim& dim : type.shape)
                extents.push_back(*fw::substitute(dim, dims).asInt());
            inputs.push_back(fw::randomData(type.dtype, extents, seed * 100 + inputs.size()));
        }
        const auto left = fw::evaluateGraph(before, inputs),
                   right = fw::evaluateGraph(after, inputs);
        if (!left || !right)
            return QString::fromStdString((left ? right : left).diag().text());
        if (left->size() != right->size())
            return QStringLiteral("another number of results");
        for (std::size_t i = 0; i < left->size(); ++i) {
            const fw::TensorData &a = (*left)[i], &b = (*right)[i];
            if (before.results()[i].name != after.results()[i].name || !(a.type() == b.type()))
                return QStringLiteral("result %1 has another name or type").arg(i);
            const double few = std::max(1e-4, 8 * fw::roundingUnit(a.dtype()));
            for (std::size_t k = 0; k < a.count(); ++k)
                if (!(std::fabs(a.at(k) - b.at(k)) <= few * (0.1 + std::fabs(a.at(k)))) &&
                    !(std::isnan(a.at(k)) && std::isnan(b.at(k))))
                    return QStringLiteral("result %1, element %2: %3 became %4")
                        .arg(i)
                        .arg(k)
                        .arg(a.at(k))
                        .arg(b.at(k));
        }
    }
    return {};
}

inline const fw::Decision* decision(const fw::RewriteTrace& trace, fw::ReasonCode code) {
    for (const fw::Decision& one : trace.decisions)
        if (one.code == code)
            return &one;
    return nullptr;
}

inline std::size_t applications(const fw::RewriteTrace& trace, const std::string& rule) {
    for (const fw::AppliedRule& applied : trace.applied)
        if (applied.rule == rule)
            return applied.count;
    return 0;
}

} // namespace rewriting
