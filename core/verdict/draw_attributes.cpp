// Attributes that a pattern names, and the names that they bind.
#include "verdict/draw_graph.h"

namespace fw {

std::optional<Attrs> GraphDrawer::attributesFrom(const PatternTree& call, const Operator& op) {
    Attrs out;
    const auto set = [&](const std::string& name, const Tree& tree) {
        const auto term = evaluate(tree, m_terms);
        auto value = term ? attributeOf(*term) : std::nullopt;
        if (const auto* integer = value ? std::get_if<std::int64_t>(&*value) : nullptr;
            integer != nullptr && op.attrType(name) == AttrType::Float)
            value = static_cast<double>(*integer);
        if (value)
            out.set(name, *value);
        return value.has_value();
    };
    for (const PatternAttrTree& attr : call.attrs)
        switch (attr.kind) {
        case PatternAttrTree::Kind::Equal:
            if (attr.value.kind == TreeKind::List)
                break; // listsFrom()
            if (const auto all = m_terms.names.find(attr.value.text);
                !attr.value.isName() || all != m_terms.names.end() || !isFreeName(attr.value))
                set(attr.name, attr.value);
            break;
        case PatternAttrTree::Kind::Among:
            if (!attr.among.args.empty() &&
                !set(attr.name, attr.among.args[m_random.below(attr.among.args.size())]))
                return std::nullopt;
            break;
        case PatternAttrTree::Kind::Range: {
            Tree end = m_random.chance(50) ? attr.low : attr.high;
            if (!set(attr.name, end))
                return std::nullopt;
            break;
        }
        case PatternAttrTree::Kind::Capture:
            if (const auto known = m_terms.names.find(attr.name); known != m_terms.names.end())
                if (const auto value = attributeOf(known->second))
                    out.set(attr.name, *value);
            break;
        case PatternAttrTree::Kind::All: // the attributes of another operator of this name
            if (const auto other = m_values.find("{" + attr.name + "}"); other != m_values.end())
                for (const auto& [name, value] : m_editor->find(other->second.node)->attrs)
                    out.set(name, value);
            break;
        }
    return out;
}

// [a, 0, b]: what is known, and names that the call binds.
std::map<std::string, std::vector<WantedItem>>
GraphDrawer::listsFrom(const PatternTree& call) const {
    std::map<std::string, std::vector<WantedItem>> out;
    for (const PatternAttrTree& attr : call.attrs) {
        if (attr.kind != PatternAttrTree::Kind::Equal || attr.value.kind != TreeKind::List)
            continue;
        std::vector<WantedItem> items;
        for (const Tree& item : attr.value.args) {
            const auto term = evaluate(item, m_terms);
            const auto* known = term ? std::get_if<Expr>(&*term) : nullptr;
            if (known == nullptr && !isFreeName(item))
                break;
            items.push_back(known != nullptr ? WantedItem{known->asInt().value_or(0), {}}
                                             : WantedItem{std::nullopt, item.text});
        }
        if (items.size() != attr.value.args.size())
            continue;
        // Patterns that are laid over one another write an attribute twice.
        std::vector<WantedItem>& all = out.emplace(attr.name, items).first->second;
        for (std::size_t i = 0; i < all.size() && i < items.size(); ++i)
            if (items[i].value)
                all[i] = items[i];
    }
    return out;
}

void GraphDrawer::bindNames(const PatternTree& call, const Node& node) {
    const Operator& op = *m_operators->find(node.op);
    for (const PatternAttrTree& attr : call.attrs) {
        if (attr.kind == PatternAttrTree::Kind::All) {
            m_values.emplace("{" + attr.name + "}", ValueRef{node.id, 0});
            continue;
        }
        if (attr.kind == PatternAttrTree::Kind::Equal && attr.value.kind == TreeKind::List) {
            const AttrValue* written = node.attrs.find(attr.name);
            const auto* items = written != nullptr ? std::get_if<Integers>(written) : nullptr;
            for (std::size_t i = 0; items != nullptr && i < attr.value.args.size(); ++i)
                if (i < items->size() && isFreeName(attr.value.args[i]))
                    m_terms.names.emplace(attr.value.args[i].text, Expr((*items)[i]));
            continue;
        }
        const bool captures = attr.kind == PatternAttrTree::Kind::Capture;
        if (!captures && !(attr.kind == PatternAttrTree::Kind::Equal && attr.value.isName()))
            continue;
        const AttrValue* written = node.attrs.find(attr.name);
        const auto value = written != nullptr ? std::optional(*written) : op.attrDefault(attr.name);
        if (auto term = value ? fw::valueOf(*value) : std::nullopt)
            m_terms.names.emplace(captures ? attr.name : attr.value.text, std::move(*term));
    }
}

} // namespace fw
