// Attributes of a call: equal, in a range, captured.
#include "pattern/match.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// The elements of a list attribute.
std::optional<std::vector<TermValue>> elements(const AttrValue& attr) {
    const auto value = valueOf(attr);
    std::vector<TermValue> out;
    if (const auto* list = value ? std::get_if<Exprs>(&*value) : nullptr)
        out.assign(list->begin(), list->end());
    else if (const auto* reals = value ? std::get_if<Reals>(&*value) : nullptr)
        out.assign(reals->begin(), reals->end());
    else
        return std::nullopt;
    return out;
}

} // namespace

// With defaults, so that an attribute that is written equals one that is not.
bool Matcher::bindAll(Part p, const PreparedAttr& attr, const Node& node) {
    const Attrs*& known = m_attrs[static_cast<std::size_t>(attr.name)];
    if (known == nullptr) {
        known = &node.attrs;
        m_bound.push_back({Bound::Of::Attributes, attr.name, 0});
        return true;
    }
    if (m_prepared->repeated().attributes.contains(attr.tree->name))
        return true;
    const Operator* op = m_graph.operators().find(node.op);
    const auto valueIn = [&](const Attrs& attrs, const std::string& name) {
        const AttrValue* written = attrs.find(name);
        return written != nullptr ? std::optional(*written)
               : op != nullptr    ? op->attrDefault(name)
                                  : std::nullopt;
    };
    for (const Attrs* attrs : {known, &node.attrs})
        for (const auto& [name, value] : *attrs)
            if (valueIn(*known, name) != valueIn(node.attrs, name))
                return refuse(
                    Missed::Attribute, p,
                    [&] { return fmt::format("{} as in *{} before", name, attr.tree->name); },
                    [&] {
                        const auto found = valueIn(node.attrs, name);
                        return found ? attrText(*found) : std::string("none");
                    },
                    attr.tree);
    return true;
}

bool Matcher::bindAttribute(Part p, const PreparedAttr& attr, const AttrValue& value) {
    const auto at = static_cast<std::size_t>(attr.name);
    const auto differs = [&](const std::string& before) {
        return refuse(
            Missed::Attribute, p,
            [&] { return fmt::format("{} = {} again", names().text(attr.name), before); },
            [&] { return attrText(value); }, attr.tree);
    };
    if (m_terms[at]) {
        const auto found = valueOf(value);
        if (!found || equalTerms(*found, *m_terms[at]) != Truth::Yes)
            return differs(textOf(*m_terms[at]));
    }
    std::optional<AttrValue>& known = m_attrValues[at];
    if (!known) {
        known = value;
        m_bound.push_back({Bound::Of::Attribute, attr.name, 0});
        return true;
    }
    return *known == value || m_prepared->repeated().attributes.contains(names().text(attr.name)) ||
           differs(attrText(*known));
}

bool Matcher::attribute(Part p, const PreparedAttr& attr, const AttrValue& value) {
    using Ask = PreparedAttr::Ask;
    const auto other = [&] {
        return refuse(
            Missed::Attribute, p, [&] { return attr.tree->text; }, [&] { return attrText(value); },
            attr.tree);
    };
    switch (attr.ask) {
    case Ask::All:
    case Ask::Any:
        return true;
    case Ask::Bind:
        return bindAttribute(p, attr, value);
    case Ask::Among: {
        const auto found = valueOf(value);
        return (found && std::any_of(attr.values.begin(), attr.values.end(),
                                     [&](const TermValue& one) {
                                         return equalTerms(*found, one) == Truth::Yes;
                                     })) ||
               other();
    }
    case Ask::Range: {
        const auto found = valueOf(value);
        const auto number = found ? numberOf(*found) : std::nullopt;
        return (number && attr.low && attr.high && *attr.low <= *number && *number <= *attr.high) ||
               other();
    }
    case Ask::Term: {
        const auto found = valueOf(value);
        return found ? term(p, attr.terms.front(), *found, attr.tree->text) : other();
    }
    case Ask::Elements:
        break;
    }
    const auto list = elements(value);
    if (!list || list->size() != attr.terms.size())
        return other();
    for (std::size_t i = 0; i < list->size(); ++i)
        if (!term(p, attr.terms[i], (*list)[i], attr.tree->text))
            return false;
    return true;
}

bool Matcher::attributes(Part p, const Node& node) {
    for (const PreparedAttr& attr : p->attrs) {
        if (attr.ask == PreparedAttr::Ask::All) {
            if (!bindAll(p, attr, node))
                return false;
            continue;
        }
        const std::string& name = attr.tree->name;
        const AttrValue* value = node.attrs.find(name);
        const Operator* op = value == nullptr ? m_graph.operators().find(node.op) : nullptr;
        const std::optional<AttrValue> unwritten =
            op != nullptr ? op->attrDefault(name) : std::nullopt;
        if (unwritten)
            value = &*unwritten;
        if (value == nullptr)
            return refuse(
                Missed::Attribute, p, [&] { return "attribute " + name; }, [] { return "none"; },
                attr.tree);
        if (!attribute(p, attr, *value))
            return false;
    }
    return true;
}

} // namespace fw
