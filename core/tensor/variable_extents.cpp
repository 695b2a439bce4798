#include "tensor/variable_extents.h"

#include <cctype>

namespace fw {

namespace {

std::optional<Local> firstUnknown(const Tree& tree, const Names& names, bool insidePack) {
    const bool pack = insidePack || tree.kind == TreeKind::Pack;
    if (tree.isName())
        return names.contains(tree.text) ? std::nullopt : std::optional(Local{tree.text, pack});
    if (tree.isCall("before") || tree.isCall("total"))
        return std::nullopt;
    for (const Tree& arg : tree.args)
        if (auto found = firstUnknown(arg, names, pack))
            return found;
    return std::nullopt;
}

// An index that is exactly the variable, or the pack of it.
bool isBare(const Tree& item, const Local& local) {
    const Tree& tree = item.kind == TreeKind::Pack ? item.args[0] : item;
    return tree.isName(local.name);
}

// From the reads on the right side: `x[..., d, ...]` at an item of x's pattern.
std::optional<Shape> fromReads(const Local& local, const Tree& tree, const Statement& in,
                               const InstBuilder& builder) {
    if (tree.kind == TreeKind::Index)
        if (const Readable* tensor = builder.readable(tree.text, in))
            if (tensor->items.size() == tree.args.size())
                for (std::size_t i = 0; i < tree.args.size(); ++i)
                    if (isBare(tree.args[i], local) &&
                        (tree.args[i].kind == TreeKind::Pack) == local.pack)
                        return tensor->items[i];
    for (const Tree& arg : tree.args)
        if (auto found = fromReads(local, arg, in, builder))
            return found;
    return std::nullopt;
}

// The convention: the variable `oh` runs over the dimension `OH`, the pack `p...` over `P...`.
std::optional<Shape> fromNames(const Local& local, const Names& names) {
    std::string upper = local.name;
    for (char& c : upper)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const auto found = names.find(upper);
    if (found == names.end() || upper == local.name)
        return std::nullopt;
    if (const auto* one = std::get_if<Expr>(&found->second); one != nullptr && !local.pack)
        return Shape{*one};
    if (const auto* list = std::get_if<Exprs>(&found->second); list != nullptr && local.pack)
        return *list;
    return std::nullopt;
}

} // namespace

std::optional<Local> variableOf(const Tree& index, const Names& names) {
    return firstUnknown(index, names, false);
}

std::optional<Shape> extentsOf(const Local& variable, std::size_t position, const Statement& in,
                               const InstBuilder& builder) {
    for (const BoundOutput& out : builder.binding().outputs)
        if (out.name == in.tree.name && isBare(in.tree.indices[position], variable) &&
            position < out.items.size())
            return out.items[position];
    if (auto found = fromReads(variable, in.tree.value, in, builder))
        return found;
    return fromNames(variable, builder.binding().names);
}

} // namespace fw
