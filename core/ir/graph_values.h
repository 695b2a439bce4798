// What the text of a graph holds: the data of constants, the values of attributes.
#pragma once

#include "expr/parse.h"
#include "ir/graph_text.h"
#include "syntax/parser.h"

#include <string>

namespace fw {

class GraphValues {
public:
    // Both are read when a value is asked for.
    GraphValues(const GraphTextOptions& options, const ExprScope& scope)
        : m_options(options), m_file(options.file), m_scope(scope) {}

    Result<TensorData> constant(const GraphNodeTree& node) const;
    Result<AttrValue> attribute(const Tree& tree) const;

private:
    Where at(const Span& span) const { return {m_file, {}, span.line, span.column}; }
    Diag refuse(DiagCode code, std::string message, const Span& span, std::string hint = {}) const {
        return makeDiag(code, std::move(message), at(span), std::move(hint));
    }
    Result<TensorData> resolve(const std::string& name, const std::string& hash,
                               const TensorType& type, const Span& span) const;
    Result<AttrValue> tensorAttribute(const Tree& tree) const;
    Result<AttrValue> listAttribute(const Tree& tree) const;

    const GraphTextOptions& m_options;
    const std::string& m_file;
    const ExprScope& m_scope;
};

} // namespace fw
