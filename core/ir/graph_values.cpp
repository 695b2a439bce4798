#include "ir/graph_values.h"

#include "ir/tensor_text.h"
#include "syntax/foreign_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

Result<TensorData> GraphValues::resolve(const std::string& name, const std::string& hash,
                                        const TensorType& type, const Span& span) const {
    std::optional<TensorData> data =
        m_options.constants ? m_options.constants(name, hash, type) : std::nullopt;
    if (!data)
        return refuse(DiagCode::UnknownName,
                      "the constant " + quoteText(name) + " is not part of this text", span,
                      "only its name and hash are written; open the model it came from, or "
                      "write random(SEED)");
    if (!(data->type() == type))
        return refuse(DiagCode::ShapeMismatch,
                      fmt::format("the constant {} is {}, not {}", quoteText(name),
                                  data->type().text(), type.text()),
                      span);
    if (!hash.empty() && data->hash().hex() != hash)
        return refuse(DiagCode::InputMismatch,
                      "the constant " + quoteText(name) + " has another content", span);
    return std::move(*data);
}

Result<TensorData> GraphValues::constant(const GraphNodeTree& node) const {
    FW_TRY(const TensorType type, typeFromTree(node.types.at(0), m_scope));
    switch (node.constant->kind) {
    case ConstantKind::Inline:
        return tensorFromTree(type, node.constant->elements, m_file);
    case ConstantKind::Random: {
        Result<std::vector<std::int64_t>> extents = constantExtents(type);
        if (!extents)
            return extents.takeDiag().at(at(node.span));
        if (type.dtype == DType::Text)
            return refuse(DiagCode::TextType, "there is no random text", node.span);
        return randomData(type.dtype, std::move(*extents),
                          static_cast<std::uint64_t>(node.constant->seed));
    }
    case ConstantKind::Reference:
        return resolve(node.constant->name, node.constant->hash, type, node.span);
    }
    return refuse(DiagCode::Internal, "a constant of no kind", node.span);
}

// tensor(f32[2], [1, 2]) or tensor(f32[1000], "hash")
Result<AttrValue> GraphValues::tensorAttribute(const Tree& tree) const {
    if (tree.args.size() != 2 || tree.args[0].kind != TreeKind::Index)
        return refuse(DiagCode::TextType, "tensor needs a type and its elements", tree.span);
    TypeTree written;
    written.dtype = tree.args[0].text;
    written.span = tree.args[0].span;
    for (const Tree& dim : tree.args[0].args)
        written.dims.push_back({dim, {}});
    FW_TRY(const TensorType type, typeFromTree(written, m_scope));
    if (tree.args[1].kind == TreeKind::Text) {
        FW_TRY(TensorData data, resolve({}, tree.args[1].text, type, tree.span));
        return AttrValue(std::move(data));
    }
    FW_TRY(TensorData data, tensorFromTree(type, tree.args[1], m_file));
    return AttrValue(std::move(data));
}

Result<AttrValue> GraphValues::attribute(const Tree& tree) const {
    if (const auto integer = integerFromTree(tree))
        return AttrValue(*integer);
    if (const auto real = numberFromTree(tree))
        return AttrValue(*real);
    if (tree.kind == TreeKind::Text)
        return AttrValue(tree.text);
    if (tree.isName())
        if (const auto dtype = parseDtype(tree.text))
            return AttrValue(*dtype);
    if (tree.isCall("tensor"))
        return tensorAttribute(tree);
    if (tree.kind == TreeKind::List)
        return listAttribute(tree);
    const std::string_view meant = tree.isName() ? booleanMeant(tree.text) : "";
    return refuse(DiagCode::TextType, "this is no value of an attribute", tree.span,
                  !meant.empty() ? "write " + std::string(meant)
                                 : elementTypeHint(tree.isName() ? tree.text : std::string(),
                                                   "a number, a text, an element type or a list"));
}

Result<AttrValue> GraphValues::listAttribute(const Tree& tree) const {
    const auto all = [&](auto test) {
        return std::all_of(tree.args.begin(), tree.args.end(), test);
    };
    if (all([](const Tree& part) { return integerFromTree(part).has_value(); })) {
        Integers list;
        for (const Tree& part : tree.args)
            list.push_back(*integerFromTree(part));
        return AttrValue(std::move(list));
    }
    if (all([](const Tree& part) { return numberFromTree(part).has_value(); })) {
        Reals list;
        for (const Tree& part : tree.args)
            list.push_back(*numberFromTree(part));
        return AttrValue(std::move(list));
    }
    if (all([](const Tree& part) { return part.kind == TreeKind::Text; })) {
        Texts list;
        for (const Tree& part : tree.args)
            list.push_back(part.text);
        return AttrValue(std::move(list));
    }
    Exprs list;
    for (const Tree& part : tree.args) {
        FW_TRY(Expr value, elaborateExpr(part, m_scope));
        if (value.dtype() != DType::I64 || hasLoad(value))
            return refuse(DiagCode::TextType, "a list holds numbers, texts or dimensions",
                          part.span);
        list.push_back(std::move(value));
    }
    return AttrValue(std::move(list));
}

ConstantResolver constantsOf(const Graph& graph) {
    const auto find = [](const auto& self, const Graph& in, const std::string& name,
                         const std::string& hash,
                         const TensorType& type) -> std::optional<TensorData> {
        const auto fits = [&](const TensorData& data, const std::string& held) {
            return data.type() == type && (hash.empty() ? held == name : data.hash().hex() == hash);
        };
        for (const NodePtr& node : in.nodes()) {
            if (node->data && fits(*node->data, node->name))
                return *node->data;
            for (const auto& [key, value] : node->attrs)
                if (const auto* data = std::get_if<TensorData>(&value);
                    data != nullptr && !hash.empty() && fits(*data, {}))
                    return *data;
            for (const Body& body : node->bodies)
                if (auto inner = self(self, *body.graph, name, hash, type))
                    return inner;
        }
        return std::nullopt;
    };
    return [&graph, find](const std::string& name, const std::string& hash,
                          const TensorType& type) { return find(find, graph, name, hash, type); };
}

} // namespace fw
