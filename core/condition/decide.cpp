// Terms and conditions, evaluated over a scope; what was seen is noted for people.
#include "condition/arithmetic.h"
#include "condition/condition.h"
#include "condition/elements.h"
#include "condition/judged.h"

#include "expr/simplify.h"
#include "syntax/foreign_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace fw {

namespace {

class ConditionEvaluation {
public:
    explicit ConditionEvaluation(const Scope& scope) : m_scope(scope) {}

    // `wanted`: what an absent part counts as, so that it holds behind any number of `!`.
    Judged truth(const Tree& tree, Truth wanted = Truth::Yes) {
        if (tree.kind == TreeKind::Unary && tree.text == "!")
            return inverse(truth(tree.args[0], inverse({wanted}).truth));
        if (tree.kind == TreeKind::Binary && (tree.text == "&&" || tree.text == "||")) {
            const Judged a = truth(tree.args[0], wanted), b = truth(tree.args[1], wanted);
            return joined(a, b, tree.text == "&&" ? Truth::No : Truth::Yes);
        }
        if (tree.isName() && isBoolean(tree.text))
            return {known(tree.text == "true")};
        if (tree.isCall("has") && tree.args.size() == 2)
            return {has(tree.args[0].text, tree.args[1].text)};
        if (tree.isCall("given") && tree.args.size() == 1)
            return {given(tree.args[0].text)};
        m_absent = false;
        if (isOverElements(tree))
            return overElements(tree, wanted);
        const Judged out = tree.kind == TreeKind::Binary ? comparison(tree) : Judged{single(tree)};
        return m_absent ? Judged{wanted} : out;
    }

    std::optional<TermValue> value(const Tree& tree) {
        switch (tree.kind) {
        case TreeKind::Int:
            return Expr(tree.integer);
        case TreeKind::Float:
            return tree.real;
        case TreeKind::Text:
            return tree.text;
        case TreeKind::Name:
            return ofElement(named(tree.text));
        case TreeKind::Unary:
            return negated(tree);
        case TreeKind::Binary:
            return infix(tree);
        case TreeKind::Index:
            return element(tree);
        case TreeKind::List:
            return ofElement(list(tree));
        case TreeKind::Call:
            return call(tree);
        case TreeKind::Pack:
        case TreeKind::Reduce:
            break;
        }
        return std::nullopt;
    }

    const std::string& notes() const { return m_notes; }

private:
    void note(const std::string& what) {
        if (m_noted.insert(what).second)
            m_notes += (m_notes.empty() ? "" : ", ") + what;
    }

    std::optional<TermValue> named(const std::string& name) {
        const auto found = m_scope.names.find(name);
        if (found == m_scope.names.end()) {
            if (isBoolean(name))
                return Expr(name == "true" ? 1 : 0);
            if (name == "inf")
                return std::numeric_limits<double>::infinity();
            if (const auto dtype = parseDtype(name))
                return *dtype;
            m_absent = m_absent || m_scope.restIsAbsent;
            return std::nullopt;
        }
        if (std::holds_alternative<AbsentPart>(found->second))
            m_absent = true;
        else if (!std::holds_alternative<TensorValue>(found->second))
            note(name + " = " + textOf(found->second));
        return found->second;
    }

    std::optional<TermValue> negated(const Tree& tree) {
        const auto inner = tree.text == "-" ? value(tree.args[0]) : std::nullopt;
        if (!inner)
            return std::nullopt;
        if (const auto* expr = std::get_if<Expr>(&*inner))
            return simplify(Expr(0) - *expr);
        if (const auto* real = std::get_if<double>(&*inner))
            return -*real;
        return std::nullopt;
    }

    std::optional<TermValue> infix(const Tree& tree) {
        const auto a = value(tree.args[0]), b = value(tree.args[1]);
        return a && b ? combined(tree.text, *a, *b, [&](const std::string& why) { note(why); })
                      : std::nullopt;
    }

    // What stands for one element of the lists that it names, while such is asked of.
    std::optional<TermValue> ofElement(std::optional<TermValue> value) const {
        const auto* list = m_element && value ? std::get_if<Exprs>(&*value) : nullptr;
        const auto* numbers = m_element && value ? std::get_if<Reals>(&*value) : nullptr;
        const std::size_t count = list ? list->size() : numbers ? numbers->size() : 0;
        if (count == 0)
            return value;
        const std::size_t at = count == 1 ? 0 : *m_element;
        if (at >= count)
            return std::nullopt;
        return list ? TermValue((*list)[at]) : TermValue((*numbers)[at]);
    }

    // How many elements the lists have that it names; nullopt if they do not go together, or if one
    // of them is a tensor. Places in lists and arguments of functions are of whole lists.
    std::optional<std::size_t> elementsIn(const Tree& tree) {
        if (tree.kind == TreeKind::List) {
            const auto written = list(tree);
            return written ? std::optional(sizeOf(*written)) : std::nullopt;
        }
        if (tree.isName()) {
            const auto found = m_scope.names.find(tree.text);
            if (found == m_scope.names.end())
                return 1;
            if (std::holds_alternative<TensorValue>(found->second))
                return std::nullopt;
            return sizeOf(found->second);
        }
        std::optional<std::size_t> out = 1;
        if (tree.kind == TreeKind::Index || (tree.kind == TreeKind::Call && !isExtremum(tree)))
            return out;
        for (const Tree& part : tree.args) {
            const auto count = elementsIn(part);
            if (!count || (*count != 1 && *out != 1 && *count != *out))
                return std::nullopt;
            out = *count == 1 ? out : count;
        }
        return out;
    }

    // In a part that speaks of whole lists.
    class OfLists {
    public:
        explicit OfLists(std::optional<std::size_t>& element)
            : m_element(element), m_before(std::exchange(element, std::nullopt)) {}
        ~OfLists() { m_element = m_before; }
        OfLists(const OfLists&) = delete;
        OfLists& operator=(const OfLists&) = delete;

    private:
        std::optional<std::size_t>& m_element;
        const std::optional<std::size_t> m_before;
    };

    std::optional<TermValue> element(const Tree& tree) {
        const OfLists whole(m_element);
        const auto list = named(tree.text);
        const auto at = tree.args.size() == 1 ? value(tree.args[0]) : std::nullopt;
        if (!list || !at)
            return std::nullopt;
        if (const auto* index = std::get_if<Expr>(&*at)) {
            const auto i = placeIn(tree.text, *list, *index);
            if (!i)
                return std::nullopt;
            if (const auto* items = std::get_if<Exprs>(&*list))
                return (*items)[*i];
            return std::get<Reals>(*list)[*i];
        }
        const auto* places = std::get_if<Exprs>(&*at);
        const auto* integers = std::get_if<Exprs>(&*list);
        Exprs some;
        Reals numbers;
        for (std::size_t k = 0; places != nullptr && k < places->size(); ++k) {
            const auto i = placeIn(tree.text, *list, (*places)[k]);
            if (!i)
                return std::nullopt;
            if (integers != nullptr)
                some.push_back((*integers)[*i]);
            else
                numbers.push_back(std::get<Reals>(*list)[*i]);
        }
        if (places == nullptr)
            return std::nullopt;
        return integers != nullptr ? TermValue(std::move(some)) : TermValue(std::move(numbers));
    }

    // Of an element of a list; nothing, and a note, if there is none.
    std::optional<std::size_t> placeIn(const std::string& name, const TermValue& list,
                                       const Expr& index) {
        if (!std::holds_alternative<Exprs>(list) && !std::holds_alternative<Reals>(list))
            return std::nullopt;
        const auto place = index.asInt();
        if (place && *place >= 0 && static_cast<std::size_t>(*place) < sizeOf(list))
            return static_cast<std::size_t>(*place);
        note(place ? fmt::format("{} has no element {}", name, *place)
                   : fmt::format("{} is no known place in {}", index.text(), name));
        return std::nullopt;
    }

    // Of integers, or of numbers where one of them is real; `...xs` puts in what is in a list.
    std::optional<TermValue> list(const Tree& tree) {
        const OfLists whole(m_element);
        Exprs integers;
        Reals numbers;
        std::size_t count = 0;
        for (const Tree& part : tree.args) {
            const bool spread = part.kind == TreeKind::Pack;
            const auto item = value(spread ? part.args[0] : part);
            if (!item)
                return std::nullopt;
            if (const auto* some = std::get_if<Exprs>(&*item); some && spread)
                integers.insert(integers.end(), some->begin(), some->end());
            else if (const auto* expr = std::get_if<Expr>(&*item))
                integers.push_back(*expr);
            if (const auto some = reals(*item); some && spread)
                numbers.insert(numbers.end(), some->begin(), some->end());
            else if (const auto real = numberOf(*item))
                numbers.push_back(*real);
            count += spread ? sizeOf(*item) : 1;
        }
        if (integers.size() == count)
            return integers;
        return numbers.size() == count ? std::optional<TermValue>(numbers) : std::nullopt;
    }

    // Of a list; a number is one of one.
    static std::size_t sizeOf(const TermValue& value) {
        if (const auto* integers = std::get_if<Exprs>(&value))
            return integers->size();
        const auto* reals = std::get_if<Reals>(&value);
        return reals != nullptr ? reals->size() : 1;
    }

    // Whether an optional part is there.
    Truth given(const std::string& name) {
        const auto found = m_scope.names.find(name);
        if (found == m_scope.names.end() && !m_scope.restIsAbsent && !m_scope.lists.contains(name))
            return Truth::Unknown;
        const bool there = found != m_scope.names.end()
                               ? !std::holds_alternative<AbsentPart>(found->second)
                               : m_scope.lists.contains(name);
        note(name + (there ? " is there" : " is not there"));
        return known(there);
    }

    std::optional<TermValue> call(const Tree& tree) {
        if (tree.isCall("given") && tree.args.size() == 3) {
            const Truth there = given(tree.args[0].text);
            return there == Truth::Unknown ? std::nullopt
                                           : value(tree.args[there == Truth::Yes ? 1 : 2]);
        }
        if (isExtremum(tree))
            return infix(tree);
        const OfLists whole(m_element);
        const ConditionFunction* function = conditionFunction(tree.text);
        if (function == nullptr || function->arguments.size() != tree.args.size())
            return std::nullopt;
        std::vector<TermValue> given;
        std::string shown;
        for (std::size_t i = 0; i < tree.args.size(); ++i) {
            auto one = value(tree.args[i]);
            const bool isTensor = one && std::holds_alternative<TensorValue>(*one);
            if (!one || std::holds_alternative<AbsentPart>(*one) ||
                (function->arguments[i] == TermKind::Tensor && !isTensor) ||
                (function->arguments[i] == TermKind::Integer &&
                 !std::holds_alternative<Expr>(*one)))
                return std::nullopt;
            shown += (i > 0 ? ", " : "") + (isTensor ? tree.args[i].text : textOf(*one));
            given.push_back(std::move(*one));
        }
        auto out = function->apply(given);
        if (!out && function->unknown != nullptr)
            if (const std::string why = function->unknown(given); !why.empty())
                note(fmt::format("{}({}) is not known: {}", tree.text, shown, why));
        if (out && std::holds_alternative<TensorValue>(given[0]))
            note(fmt::format("{}({}) = {}", tree.text, shown, textOf(*out)));
        return out;
    }

    Truth has(const std::string& set, const std::string& member) {
        if (m_scope.offer == nullptr)
            return Truth::Unknown;
        const bool ofLibraries = set == "libs";
        const auto& list = ofLibraries ? m_scope.offer->libraries : m_scope.offer->keys;
        const bool there = std::find(list.begin(), list.end(), member) != list.end();
        note(fmt::format("{} is {}{}", member, there ? "" : "not ",
                         ofLibraries ? "in the target's libraries" : "a key of the target"));
        return known(there);
    }

    Judged overElements(const Tree& tree, Truth wanted) {
        const ElementsResult numbers = decideElements(tree, m_scope);
        if (numbers.absent)
            return {wanted};
        if (numbers.truth == Truth::Unknown)
            if (const auto out = overFreeElements(tree))
                return *out;
        if (!numbers.note.empty())
            note(numbers.note);
        return {numbers.truth};
    }

    // Of lists in which free dimensions are: one element after another. nullopt if it is not about
    // such.
    std::optional<Judged> overFreeElements(const Tree& tree) {
        const auto count = elementsIn(tree.args[0]);
        if (!count || m_element)
            return std::nullopt;
        const Truth decisive = tree.text == "all" ? Truth::No : Truth::Yes;
        Judged out = inverse({decisive});
        for (std::size_t i = 0; i < *count; ++i) {
            m_element = i;
            const Judged one = truth(tree.args[0], decisive);
            m_element.reset();
            if (one.truth == Truth::Unknown && !one.open)
                return std::nullopt;
            out = joined(out, one, decisive);
        }
        return out;
    }

    Truth single(const Tree& tree) {
        const auto out = value(tree);
        if (out)
            if (const auto* truth = std::get_if<bool>(&*out))
                return known(*truth);
        return Truth::Unknown;
    }

    Judged comparison(const Tree& tree) {
        if (tree.text == "in")
            return among(tree);
        const auto a = value(tree.args[0]), b = value(tree.args[1]);
        if (!a || !b)
            return {};
        if (tree.text == "==")
            return equal(*a, *b);
        if (tree.text == "!=")
            return inverse(equal(*a, *b));
        if (const auto* x = std::get_if<Expr>(&*a), *y = std::get_if<Expr>(&*b); x && y)
            return compare(tree.text, *x, *y);
        const auto x = numberOf(*a), y = numberOf(*b);
        return x && y ? Judged{compare(tree.text, *x, *y)} : Judged{};
    }

    Judged among(const Tree& tree) {
        const auto one = value(tree.args[0]);
        Judged out{one ? Truth::No : Truth::Unknown};
        for (const Tree& part : tree.args[1].args) {
            const auto item = one ? value(part) : std::nullopt;
            out = joined(out, item ? equal(*one, *item) : Judged{}, Truth::Yes);
        }
        return out;
    }

    const Scope& m_scope;
    std::string m_notes;
    std::set<std::string> m_noted;
    bool m_absent = false;                // the comparison at hand speaks of an absent part
    std::optional<std::size_t> m_element; // of the lists, where one after another is asked of
};

} // namespace

ConditionResult decide(const ConditionTree& condition, const Scope& scope) {
    ConditionEvaluation evaluation(scope);
    ConditionResult out;
    Judged judged = evaluation.truth(condition.tree);
    out.truth = judged.truth;
    out.open = std::move(judged.open);
    out.seen = evaluation.notes();
    out.evidence = condition.text + (out.seen.empty() ? "" : ": " + out.seen);
    return out;
}

std::optional<TermValue> evaluate(const Tree& term, const Scope& scope, std::string* seen) {
    ConditionEvaluation evaluation(scope);
    auto out = evaluation.value(term);
    if (seen != nullptr)
        *seen = evaluation.notes();
    return out;
}

} // namespace fw
