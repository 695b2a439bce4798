// Attributes of a call: equal, in a range, captured.
#include "pattern/match.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

bool equals(const AttrValue& attr, const Tree& written) {
    const auto value = valueOf(attr), wanted = evaluate(written, {});
    return value && wanted && equalTerms(*value, *wanted) == Truth::Yes;
}

bool inRange(const AttrValue& attr, const Tree& low, const Tree& high) {
    const auto number = [](const std::optional<TermValue>& value) {
        return value ? numberOf(*value) : std::nullopt;
    };
    const auto value = number(valueOf(attr)), least = number(evaluate(low, {})),
               greatest = number(evaluate(high, {}));
    return value && least && greatest && *least <= *value && *value <= *greatest;
}

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
bool Matcher::bindAll(const PatternTree& p, const PatternAttrTree& attr, const Node& node) {
    const auto [known, isNew] = m_bindings.attrs.emplace(attr.name, node.attrs);
    if (isNew || m_repeated->attributes.contains(attr.name))
        return true;
    const Operator* op = m_graph.operators().find(node.op);
    const auto valueIn = [&](const Attrs& attrs, const std::string& name) {
        const AttrValue* written = attrs.find(name);
        return written != nullptr ? std::optional(*written)
               : op != nullptr    ? op->attrDefault(name)
                                  : std::nullopt;
    };
    for (const Attrs& attrs : {known->second, node.attrs})
        for (const auto& [name, value] : attrs)
            if (valueIn(known->second, name) != valueIn(node.attrs, name))
                return refuse(
                    Missed::Attribute, p,
                    [&] { return fmt::format("{} as in *{} before", name, attr.name); },
                    [&] {
                        const auto found = valueIn(node.attrs, name);
                        return found ? attrText(*found) : std::string("none");
                    },
                    &attr);
    return true;
}

bool Matcher::bindAttribute(const PatternTree& p, const PatternAttrTree& attr,
                            const std::string& name, const AttrValue& value) {
    const auto differs = [&](const std::string& before) {
        return refuse(
            Missed::Attribute, p, [&] { return fmt::format("{} = {} again", name, before); },
            [&] { return attrText(value); }, &attr);
    };
    if (const auto term = m_bindings.terms.find(name); term != m_bindings.terms.end()) {
        const auto found = valueOf(value);
        if (!found || equalTerms(*found, term->second) != Truth::Yes)
            return differs(textOf(term->second));
    }
    const auto [known, isNew] = m_bindings.attrValues.emplace(name, value);
    return isNew || known->second == value || m_repeated->attributes.contains(name) ||
           differs(attrText(known->second));
}

// Names stand for the value, those in a list for its elements.
bool Matcher::equalAttribute(const PatternTree& p, const PatternAttrTree& attr,
                             const AttrValue& value) {
    const Tree& written = attr.value;
    if (written.isName("any"))
        return true;
    if (isFreeName(written))
        return bindAttribute(p, attr, written.text, value);
    const auto other = [&] {
        return refuse(
            Missed::Attribute, p, [&] { return attr.text; }, [&] { return attrText(value); },
            &attr);
    };
    if (!hasFreeName(written))
        return equals(value, written) || other();
    if (written.kind != TreeKind::List) {
        const auto found = valueOf(value);
        return found ? term(p, written, *found, attr.text) : other();
    }
    const auto list = elements(value);
    if (!list || list->size() != written.args.size())
        return other();
    for (std::size_t i = 0; i < list->size(); ++i)
        if (!term(p, written.args[i], (*list)[i], attr.text))
            return false;
    return true;
}

bool Matcher::attribute(const PatternTree& p, const PatternAttrTree& attr, const AttrValue& value) {
    bool fits = true;
    switch (attr.kind) {
    case PatternAttrTree::Kind::All:
        return true;
    case PatternAttrTree::Kind::Capture:
        return bindAttribute(p, attr, attr.name, value);
    case PatternAttrTree::Kind::Equal:
        return equalAttribute(p, attr, value);
    case PatternAttrTree::Kind::Range:
        fits = inRange(value, attr.low, attr.high);
        break;
    case PatternAttrTree::Kind::Among:
        fits = std::any_of(attr.among.args.begin(), attr.among.args.end(),
                           [&](const Tree& one) { return equals(value, one); });
        break;
    }
    return fits || refuse(
                       Missed::Attribute, p, [&] { return attr.text; },
                       [&] { return attrText(value); }, &attr);
}

bool Matcher::attributes(const PatternTree& p, const Node& node) {
    for (const PatternAttrTree& attr : p.attrs) {
        if (attr.kind == PatternAttrTree::Kind::All) {
            if (!bindAll(p, attr, node))
                return false;
            continue;
        }
        const AttrValue* value = node.attrs.find(attr.name);
        const Operator* op = m_graph.operators().find(node.op);
        const std::optional<AttrValue> unwritten =
            value == nullptr && op != nullptr ? op->attrDefault(attr.name) : std::nullopt;
        if (unwritten)
            value = &*unwritten;
        if (value == nullptr)
            return refuse(
                Missed::Attribute, p, [&] { return "attribute " + attr.name; },
                [] { return "none"; }, &attr);
        if (!attribute(p, attr, *value))
            return false;
    }
    return true;
}

} // namespace fw
