#include "condition/elements.h"

#include "syntax/foreign_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

// One number for every element, or one for all.
using Column = std::vector<double>;

class Elements {
public:
    explicit Elements(const Scope& scope) : m_scope(scope) {}

    // 1 where the condition holds.
    std::optional<Column> mask(const Tree& tree) {
        if (tree.kind == TreeKind::Unary && tree.text == "!") {
            auto inner = mask(tree.args[0]);
            return inner ? each(*inner, [](double a) { return a == 0 ? 1.0 : 0.0; }) : inner;
        }
        if (tree.kind != TreeKind::Binary)
            return std::nullopt;
        const std::string& sign = tree.text;
        if (sign == "&&" || sign == "||") {
            const auto a = mask(tree.args[0]), b = mask(tree.args[1]);
            return sign == "&&" ? both(a, b, [](double x, double y) { return x * y; })
                                : both(a, b, [](double x, double y) { return std::max(x, y); });
        }
        if (sign == "in")
            return among(tree);
        return compared(sign, column(tree.args[0]), column(tree.args[1]));
    }

    bool absent() const { return m_absent; }
    const std::string& note() const { return m_note; }
    const std::string& firstName() const { return m_first; }
    const Column& firstColumn() const { return m_column; }

private:
    template <class F>
    static Column each(const Column& a, F f) {
        Column out(a.size());
        std::transform(a.begin(), a.end(), out.begin(), f);
        return out;
    }

    template <class F>
    std::optional<Column> both(const std::optional<Column>& a, const std::optional<Column>& b,
                               F f) {
        if (!a || !b)
            return std::nullopt;
        const std::size_t count = a->size() == 1 ? b->size() : a->size();
        if (b->size() != 1 && b->size() != count) {
            m_note = fmt::format("{} and {} elements do not go together", a->size(), b->size());
            return std::nullopt;
        }
        Column out(count);
        for (std::size_t i = 0; i < count; ++i)
            out[i] = f((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
        return out;
    }

    std::optional<Column> compared(const std::string& sign, const std::optional<Column>& a,
                                   const std::optional<Column>& b) {
        return both(a, b, [&](double x, double y) -> double {
            return sign == "=="   ? sameReal(x, y)
                   : sign == "!=" ? !sameReal(x, y)
                   : sign == "<"  ? x < y
                   : sign == "<=" ? x <= y
                   : sign == ">"  ? x > y
                                  : x >= y;
        });
    }

    std::optional<Column> among(const Tree& tree) {
        const auto one = column(tree.args[0]);
        std::optional<Column> out = Column{0};
        for (const Tree& part : tree.args[1].args)
            out = both(out, compared("==", one, column(part)),
                       [](double x, double y) { return std::max(x, y); });
        return out;
    }

    std::optional<Column> column(const Tree& tree) {
        if (tree.isName()) {
            const auto found = m_scope.names.find(tree.text);
            if (found == m_scope.names.end() && (isBoolean(tree.text) || tree.text == "inf"))
                return number(tree);
            if (found == m_scope.names.end() || std::holds_alternative<AbsentPart>(found->second)) {
                m_absent = true;
                return std::nullopt;
            }
            if (const auto* tensor = std::get_if<TensorValue>(&found->second))
                return elementsOf(tree.text, *tensor);
            if (const auto* reals = std::get_if<Reals>(&found->second))
                return named(tree.text, *reals);
            if (const auto* integers = std::get_if<Exprs>(&found->second))
                return elementsOf(tree.text, *integers);
        }
        if (tree.kind == TreeKind::Unary && tree.text == "-") {
            const auto inner = column(tree.args[0]);
            return inner ? std::optional(each(*inner, [](double a) { return -a; })) : inner;
        }
        if (tree.kind == TreeKind::Binary || isExtremum(tree))
            return arithmetic(tree.text, column(tree.args[0]), column(tree.args[1]));
        return number(tree);
    }

    std::optional<Column> arithmetic(const std::string& sign, const std::optional<Column>& a,
                                     const std::optional<Column>& b) {
        return both(a, b, [&](double x, double y) {
            return sign == "+"     ? x + y
                   : sign == "-"   ? x - y
                   : sign == "*"   ? x * y
                   : sign == "/"   ? x / y
                   : sign == "min" ? std::min(x, y)
                   : sign == "max" ? std::max(x, y)
                                   : x - y * std::floor(x / y);
        });
    }

    std::optional<Column> elementsOf(const std::string& name, const TensorValue& tensor) {
        const TensorData* data = tensor.graph->constant(tensor.ref);
        if (data == nullptr) {
            m_note = name + " is no constant";
            return std::nullopt;
        }
        return named(name, data->toDoubles());
    }

    std::optional<Column> elementsOf(const std::string& name, const Exprs& list) {
        Column out;
        for (const Expr& item : list) {
            if (!item.asInt()) {
                m_note = fmt::format("{} has {} in it", name, item.text());
                return std::nullopt;
            }
            out.push_back(static_cast<double>(*item.asInt()));
        }
        return named(name, std::move(out));
    }

    Column named(const std::string& name, Column column) {
        if (m_first.empty()) {
            m_first = name;
            m_column = column;
        }
        return column;
    }

    std::optional<Column> number(const Tree& tree) const {
        const auto value = evaluate(tree, m_scope);
        const auto known = value ? numberOf(*value) : std::nullopt;
        return known ? std::optional(Column{*known}) : std::nullopt;
    }

    const Scope& m_scope;
    bool m_absent = false;
    std::string m_note, m_first;
    Column m_column; // of m_first
};

} // namespace

bool isExtremum(const Tree& tree) {
    return (tree.isCall("min") || tree.isCall("max")) && tree.args.size() == 2;
}

bool isOverElements(const Tree& tree) {
    return (tree.isCall("all") || tree.isCall("any")) && tree.args.size() == 1;
}

ElementsResult decideElements(const Tree& tree, const Scope& scope) {
    Elements elements(scope);
    const auto mask = elements.mask(tree.args[0]);
    ElementsResult out{Truth::Unknown, elements.absent(), elements.note()};
    if (!mask)
        return out;
    const bool all = tree.text == "all";
    // The element that decides: the first that fails all, the first that is any.
    const auto decisive =
        std::find_if(mask->begin(), mask->end(), [&](double one) { return (one == 0) == all; });
    out.truth = (decisive == mask->end()) == all ? Truth::Yes : Truth::No;
    const auto at = static_cast<std::size_t>(decisive - mask->begin());
    if (decisive != mask->end() && at < elements.firstColumn().size())
        out.note = fmt::format("{}[{}] = {}", elements.firstName(), at, elements.firstColumn()[at]);
    return out;
}

} // namespace fw
