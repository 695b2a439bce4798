#include "ir/attributes.h"

#include "base/numbers.h"
#include "ir/tensor_text.h"
#include "syntax/lexer.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

void Attrs::set(const std::string& name, AttrValue value) {
    const auto place =
        std::lower_bound(m_items.begin(), m_items.end(), name,
                         [](const auto& item, const std::string& key) { return item.first < key; });
    if (place != m_items.end() && place->first == name)
        place->second = std::move(value);
    else
        m_items.emplace(place, name, std::move(value));
}

void Attrs::erase(const std::string& name) {
    std::erase_if(m_items, [&](const auto& item) { return item.first == name; });
}

const AttrValue* Attrs::find(const std::string& name) const {
    for (const auto& [key, value] : m_items)
        if (key == name)
            return &value;
    return nullptr;
}

std::int64_t Attrs::integer(const std::string& name, std::int64_t fallback) const {
    const AttrValue* value = find(name);
    const auto* integer = value ? std::get_if<std::int64_t>(value) : nullptr;
    return integer ? *integer : fallback;
}

double Attrs::real(const std::string& name, double fallback) const {
    const AttrValue* value = find(name);
    if (value == nullptr)
        return fallback;
    if (const auto* real = std::get_if<double>(value))
        return *real;
    if (const auto* integer = std::get_if<std::int64_t>(value))
        return static_cast<double>(*integer);
    return fallback;
}

std::string Attrs::text(const std::string& name, const std::string& fallback) const {
    const AttrValue* value = find(name);
    const auto* text = value ? std::get_if<std::string>(value) : nullptr;
    return text ? *text : fallback;
}

Integers Attrs::integers(const std::string& name, const Integers& fallback) const {
    const AttrValue* value = find(name);
    const auto* list = value ? std::get_if<Integers>(value) : nullptr;
    return list ? *list : fallback;
}

namespace {

std::string realText(double value) {
    std::string text = numberText(value);
    if (text.find_first_of(".enf") == std::string::npos)
        text += ".0";
    return text;
}

template <class List, class Print>
std::string listText(const List& list, Print print) {
    std::string out = "[";
    for (std::size_t i = 0; i < list.size(); ++i)
        out += (i > 0 ? ", " : "") + print(list[i]);
    return out + "]";
}

struct AttrPrinter {
    std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return realText(value); }
    std::string operator()(const std::string& value) const { return quoteText(value); }
    std::string operator()(DType value) const { return std::string(dtypeText(value)); }
    std::string operator()(const Integers& list) const {
        return listText(list, [](std::int64_t value) { return fmt::format("{}", value); });
    }
    std::string operator()(const Reals& list) const { return listText(list, realText); }
    std::string operator()(const Texts& list) const { return listText(list, quoteText); }
    std::string operator()(const Exprs& list) const {
        return listText(list, [](const Expr& value) { return value.text(); });
    }
    std::string operator()(const TensorData& data) const {
        const auto elements = elementsText(data);
        return fmt::format("tensor({}, {})", data.type().text(),
                           elements ? *elements : quoteText(data.hash().hex()));
    }
};

} // namespace

std::string attrText(const AttrValue& value) {
    return std::visit(AttrPrinter{}, value);
}

std::string Attrs::print() const {
    if (m_items.empty())
        return {};
    std::string out = "{";
    for (std::size_t i = 0; i < m_items.size(); ++i)
        out += (i > 0 ? ", " : "") + nameOrQuoted(m_items[i].first) + " = " +
               attrText(m_items[i].second);
    return out + "}";
}

} // namespace fw
