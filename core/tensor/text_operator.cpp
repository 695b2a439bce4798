#include "tensor/text_operator.h"

#include "tensor/attribute_check.h"
#include "tensor/binding.h"
#include "tensor/onnx_clauses.h"
#include "tensor/requirement.h"

#include <algorithm>

namespace fw {

TextOperator::TextOperator(std::shared_ptr<const OpTree> tree, std::string file)
    : m_tree(std::move(tree)), m_file(std::move(file)),
      m_asksOfElements(requiresOfElements(*m_tree)) {}

std::vector<std::string> TextOperator::inputNames() const {
    std::vector<std::string> out;
    for (const ParamTree& param : m_tree->params)
        out.push_back(param.name);
    return out;
}

std::vector<std::string> TextOperator::outputNames() const {
    std::vector<std::string> out;
    for (const OutTree& one : m_tree->outs)
        out.push_back(one.name);
    return out;
}

Arity TextOperator::arity() const {
    Arity out{0, m_tree->params.size()};
    for (std::size_t i = 0; i < m_tree->params.size(); ++i) {
        if (m_tree->params[i].variadic)
            return {i, Arity().most};
        if (!m_tree->params[i].optional)
            out.least = i + 1;
    }
    return out;
}

std::optional<std::size_t> TextOperator::inputRank(std::size_t operand) const {
    if (operand >= m_tree->params.size() || m_tree->params[operand].bcast)
        return std::nullopt;
    const auto& dims = m_tree->params[operand].type.dims;
    const bool isOpen = std::any_of(dims.begin(), dims.end(), [](const DimTree& dim) {
        return dim.value.kind == TreeKind::Pack;
    });
    return isOpen ? std::nullopt : std::optional(dims.size());
}

std::vector<std::string> TextOperator::attrNames() const {
    std::vector<std::string> out;
    for (const AttrParamTree& attr : m_tree->attrs)
        out.push_back(attr.name);
    return out;
}

std::optional<AttrType> TextOperator::attrType(std::string_view name) const {
    for (const AttrParamTree& attr : m_tree->attrs)
        if (attr.name == name)
            return typeOf(attr);
    return std::nullopt;
}

std::optional<AttrValue> TextOperator::attrDefault(std::string_view name) const {
    for (const AttrParamTree& attr : m_tree->attrs)
        if (attr.name == name && attr.fallback)
            return defaultOf(attr);
    return std::nullopt;
}

std::vector<OnnxBinding> TextOperator::onnx() const {
    return onnxBindings(m_tree->onnx, m_file);
}

std::vector<ElementDemand>
TextOperator::demandsOf(const OpCall& call, const std::vector<const TensorData*>& known) const {
    const auto binding = bindCall(*m_tree, m_file, call);
    return binding ? demandsOfElements(*m_tree, binding->names, known)
                   : std::vector<ElementDemand>();
}

Diag TextOperator::named(Diag diag) const {
    diag.message = m_tree->name + ": " + diag.message;
    return diag;
}

} // namespace fw
