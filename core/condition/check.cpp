// Static checks: every name, function and kind of a condition, before any value is known.
#include "condition/condition.h"

#include "base/nearest.h"
#include "condition/elements.h"
#include "syntax/foreign_words.h"
#include "target/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

bool isNumber(TermKind kind) {
    return kind == TermKind::Integer || kind == TermKind::Real || kind == TermKind::Any;
}

bool isList(TermKind kind) {
    return kind == TermKind::IntegerList || kind == TermKind::RealList || kind == TermKind::Any;
}

bool mentions(const Tree& tree, const std::string& name) {
    return tree.isName(name) || std::any_of(tree.args.begin(), tree.args.end(),
                                            [&](const Tree& p) { return mentions(p, name); });
}

bool comparable(TermKind a, TermKind b) {
    return a == b || a == TermKind::Any || b == TermKind::Any || (isNumber(a) && isNumber(b)) ||
           (isList(a) && isList(b));
}

class Check {
public:
    Check(const Vocabulary& known, const std::string& file, Diags& out)
        : m_known(known), m_file(file), m_out(out) {}

    void condition(const Tree& tree) {
        if (tree.kind == TreeKind::Unary && tree.text == "!")
            return condition(tree.args[0]);
        if (tree.kind == TreeKind::Binary && (tree.text == "&&" || tree.text == "||")) {
            condition(tree.args[0]);
            return condition(tree.args[1]);
        }
        if (tree.isName() && isBoolean(tree.text))
            return;
        const auto kind = term(tree);
        if (kind && *kind != TermKind::Truth && *kind != TermKind::Any)
            refuse(DiagCode::RuleIllegal,
                   fmt::format("{} is no condition: it is {}", termText(tree), kindNoun(*kind)),
                   tree, "compare it with something");
    }

    std::optional<TermKind> term(const Tree& tree) {
        switch (tree.kind) {
        case TreeKind::Int:
            return TermKind::Integer;
        case TreeKind::Float:
            return TermKind::Real;
        case TreeKind::Text:
            return TermKind::Text;
        case TreeKind::Name:
            return named(tree);
        case TreeKind::Unary:
            return unary(tree);
        case TreeKind::Binary:
            return binary(tree);
        case TreeKind::Index:
            return index(tree);
        case TreeKind::List:
            return list(tree);
        case TreeKind::Call:
            return tree.text == "has" ? has(tree) : call(tree);
        case TreeKind::Pack:
        case TreeKind::Reduce:
            break;
        }
        return refuse(DiagCode::RuleIllegal, "this cannot stand in a condition", tree);
    }

private:
    std::nullopt_t refuse(DiagCode code, std::string message, const Tree& tree,
                          std::string hint = {}) {
        m_out.push_back(makeDiag(code, std::move(message),
                                 {m_file, {}, tree.span.line, tree.span.column}, std::move(hint)));
        return std::nullopt;
    }

    std::optional<TermKind> named(const Tree& tree) {
        if (const auto found = m_known.names.find(tree.text); found != m_known.names.end())
            return found->second;
        if (isBoolean(tree.text))
            return TermKind::Integer;
        if (tree.text == "inf")
            return TermKind::Real;
        if (parseDtype(tree.text))
            return TermKind::DType;
        if (tree.text == "const")
            return refuse(DiagCode::TextName, "const alone is no value", tree,
                          "const(x) asks whether x is a constant, value(x) is the number in it");
        std::vector<std::string> names;
        for (const auto& [name, kind] : m_known.names)
            names.push_back(name);
        std::string hint = elementTypeHint(tree.text);
        if (const std::string_view meant = booleanMeant(tree.text); !meant.empty())
            hint = "write " + std::string(meant);
        if (hint.empty() && tree.text.find('.') != std::string::npos)
            hint = conditionHint(tree.text);
        if (hint.empty())
            hint = didYouMean(tree.text, names,
                              names.empty()
                                  ? std::string("there are no names")
                                  : fmt::format("{} {}", m_known.bind, fmt::join(names, ", ")));
        return refuse(DiagCode::TextName, "nothing is named " + tree.text + " here", tree,
                      std::move(hint));
    }

    std::optional<TermKind> unary(const Tree& tree) {
        if (tree.text == "!") {
            condition(tree);
            return TermKind::Truth;
        }
        const auto inner = term(tree.args[0]);
        if (inner && !isNumber(*inner))
            return refuse(DiagCode::RuleIllegal, fmt::format("{} has no sign", kindNoun(*inner)),
                          tree);
        return inner;
    }

    std::optional<TermKind> binary(const Tree& tree) {
        static const std::set<std::string> ordered = {"<", "<=", ">", ">="};
        if (tree.text == "&&" || tree.text == "||") {
            condition(tree);
            return TermKind::Truth;
        }
        if (tree.text == "in")
            return among(tree);
        const auto a = term(tree.args[0]), b = term(tree.args[1]);
        if (!a || !b)
            return std::nullopt;
        if (tree.text == "==" || tree.text == "!=" || ordered.contains(tree.text)) {
            const bool fits =
                tree.text == "==" || tree.text == "!="
                    ? comparable(*a, *b) && *a != TermKind::Truth && *a != TermKind::Tensor
                    : isNumber(*a) && isNumber(*b);
            if (!fits)
                return refuse(DiagCode::RuleIllegal,
                              fmt::format("{} and {} are not compared by {}", kindNoun(*a),
                                          kindNoun(*b), tree.text),
                              tree,
                              *a == TermKind::Truth ? "leave the comparison out, or write !" : "");
            return TermKind::Truth;
        }
        if (const auto kind = combined(*a, *b))
            return kind;
        return refuse(DiagCode::RuleIllegal,
                      fmt::format("{} and {} have no {}", kindNoun(*a), kindNoun(*b), tree.text),
                      tree);
    }

    // Of arithmetic on two numbers or lists.
    static std::optional<TermKind> combined(TermKind a, TermKind b) {
        if (isNumber(a) && isNumber(b))
            return a == TermKind::Integer ? b : a;
        if (!(isNumber(a) || isList(a)) || !(isNumber(b) || isList(b)))
            return std::nullopt;
        if (a == TermKind::Any || b == TermKind::Any)
            return TermKind::Any;
        const auto isReal = [](TermKind kind) {
            return kind == TermKind::Real || kind == TermKind::RealList;
        };
        return isReal(a) || isReal(b) ? TermKind::RealList : TermKind::IntegerList;
    }

    // min and max.
    std::optional<TermKind> extremum(const Tree& tree) {
        const auto a = term(tree.args[0]), b = term(tree.args[1]);
        if (!a || !b)
            return std::nullopt;
        if (const auto kind = combined(*a, *b))
            return kind;
        const std::size_t at = isNumber(*a) || isList(*a) ? 1 : 0;
        return refuse(DiagCode::RuleIllegal,
                      fmt::format("{} is {}, {} wants numbers", termText(tree.args[at]),
                                  kindNoun(at == 0 ? *a : *b), tree.text),
                      tree.args[at], std::string(conditionFunction(tree.text)->sentence));
    }

    std::optional<TermKind> among(const Tree& tree) {
        const auto one = term(tree.args[0]);
        for (const Tree& part : tree.args[1].args) {
            const auto item = term(part);
            if (one && item && !comparable(*one, *item))
                refuse(DiagCode::RuleIllegal,
                       fmt::format("{} is never {}", kindNoun(*one), kindNoun(*item)), part);
        }
        return TermKind::Truth;
    }

    std::optional<TermKind> index(const Tree& tree) {
        const auto list = named(tree);
        bool several = false, unknown = false; // a list of places, either
        for (const Tree& part : tree.args) {
            const auto at = term(part);
            if (!at)
                return std::nullopt;
            several = several || *at == TermKind::IntegerList;
            unknown = unknown || *at == TermKind::Any;
            if (*at != TermKind::Integer && *at != TermKind::IntegerList && *at != TermKind::Any)
                return refuse(DiagCode::RuleIllegal,
                              fmt::format("an index is an integer or a list of integers, not {}",
                                          kindNoun(*at)),
                              part);
            if (!countsFromZero(part))
                return refuse(DiagCode::RuleIllegal, "an index counts from 0", part,
                              tree.text + "[0] is the first element");
        }
        if (!list)
            return std::nullopt;
        if (!isList(*list) || tree.args.size() != 1)
            return refuse(DiagCode::RuleIllegal,
                          fmt::format("{} is {} and has no elements", tree.text, kindNoun(*list)),
                          tree);
        if (*list == TermKind::Any || unknown)
            return TermKind::Any;
        if (several)
            return list;
        return *list == TermKind::RealList ? TermKind::Real : TermKind::Integer;
    }

    // Numbers that are written only.
    static bool countsFromZero(const Tree& index) {
        if (index.kind == TreeKind::List)
            return std::all_of(index.args.begin(), index.args.end(), countsFromZero);
        return (index.kind != TreeKind::Int || index.integer >= 0) &&
               !(index.kind == TreeKind::Unary && index.args[0].kind == TreeKind::Int);
    }

    std::optional<TermKind> list(const Tree& tree) {
        TermKind out = TermKind::IntegerList;
        for (const Tree& part : tree.args) {
            const bool spread = part.kind == TreeKind::Pack && !part.text.empty();
            const auto item = term(spread ? part.args[0] : part);
            if (!item)
                return std::nullopt;
            if (spread ? !isList(*item) : !isNumber(*item))
                return refuse(DiagCode::RuleIllegal,
                              spread ? "... puts in what is in a list" : "a list holds numbers",
                              part, isList(*item) ? "write ...NAME for what is in it" : "");
            if (*item == TermKind::Any && out == TermKind::IntegerList)
                out = TermKind::Any;
            if (*item == TermKind::Real || *item == TermKind::RealList)
                out = TermKind::RealList;
        }
        return out;
    }

    std::optional<TermKind> has(const Tree& tree) {
        const std::string &set = tree.args[0].text, &member = tree.args[1].text;
        if (m_known.targetKeys == nullptr)
            return refuse(DiagCode::RuleIllegal, "no target is known here", tree,
                          "say it in `when` of an implementation or `on` of a fusion rule");
        const bool ofLibraries = set == "libs";
        const std::vector<std::string>& all = ofLibraries ? knownLibraries() : *m_known.targetKeys;
        if (std::find(all.begin(), all.end(), member) == all.end())
            return refuse(
                DiagCode::TextName,
                fmt::format("there is no {} {}", ofLibraries ? "library" : "target key", member),
                tree.args[1], didYouMean(member, all));
        return TermKind::Truth;
    }

    // Of a constant and of a list, the elements are numbers here.
    std::optional<TermKind> overElements(const Tree& tree) {
        Vocabulary elements = m_known;
        bool named = false;
        for (auto& [name, kind] : elements.names)
            if (kind == TermKind::Tensor || kind == TermKind::Any || isList(kind)) {
                kind = TermKind::Real;
                named = named || mentions(tree, name);
            }
        if (!named)
            return refuse(DiagCode::RuleIllegal,
                          tree.text + " is asked of the elements of a constant or a list", tree,
                          tree.text + "(v > 0), where v: const or {pads = v}");
        Check(elements, m_file, m_out).condition(tree.args[0]);
        return TermKind::Truth;
    }

    // given(b): whether an optional part is there; given(b, p, q): p if it is.
    std::optional<TermKind> given(const Tree& tree) {
        if ((tree.args.size() != 1 && tree.args.size() != 3) || !tree.args[0].isName())
            return refuse(DiagCode::RuleIllegal, "given asks for an optional part by its name",
                          tree, "given(b), or given(b, dim(b, 0), 1)");
        if (!named(tree.args[0]))
            return std::nullopt;
        if (tree.args.size() == 1)
            return TermKind::Truth;
        const auto a = term(tree.args[1]), b = term(tree.args[2]);
        if (!a || !b)
            return std::nullopt;
        if (!comparable(*a, *b))
            return refuse(DiagCode::RuleIllegal,
                          fmt::format("given is {} or {}", kindNoun(*a), kindNoun(*b)), tree,
                          "write two of one kind");
        return *a == *b ? a : *a == TermKind::Real || *a == TermKind::RealList ? a : b;
    }

    std::optional<TermKind> call(const Tree& tree) {
        if (tree.text == "given")
            return given(tree);
        if (isOverElements(tree))
            return overElements(tree);
        if (isExtremum(tree))
            return extremum(tree);
        const ConditionFunction* function = conditionFunction(tree.text);
        if (function == nullptr) {
            std::vector<std::string> names;
            for (const ConditionFunction& one : conditionFunctions())
                names.emplace_back(one.name);
            const std::string hint = conditionHint(tree.text);
            return refuse(
                DiagCode::TextName, "there is no function " + tree.text + " in conditions", tree,
                hint.empty() ? didYouMean(tree.text, names,
                                          fmt::format("there are {}", fmt::join(names, ", ")))
                             : hint);
        }
        if (tree.args.size() != function->arguments.size())
            return refuse(DiagCode::OperatorArity,
                          fmt::format("{} takes {} argument{}, {} are given", tree.text,
                                      function->arguments.size(),
                                      function->arguments.size() == 1 ? "" : "s", tree.args.size()),
                          tree, std::string(function->sentence));
        bool fits = true;
        for (std::size_t i = 0; i < tree.args.size(); ++i) {
            const auto kind = term(tree.args[i]);
            fits = fits && kind;
            if (!kind || *kind == TermKind::Any || *kind == function->arguments[i])
                continue;
            const bool ofAny = function->arguments[i] == TermKind::Any;
            if (ofAny && (*kind == TermKind::Tensor || *kind == TermKind::IntegerList))
                continue;
            fits = false;
            refuse(DiagCode::RuleIllegal,
                   fmt::format("{} is {}, {} wants {}", termText(tree.args[i]), kindNoun(*kind),
                               tree.text,
                               ofAny ? "a value or a pack" : kindNoun(function->arguments[i])),
                   tree.args[i], std::string(function->sentence));
        }
        return fits ? std::optional(function->result) : std::nullopt;
    }

    const Vocabulary& m_known;
    const std::string& m_file;
    Diags& m_out;
};

} // namespace

void addDims(const TypeTree& type, Vocabulary& out) {
    const auto add = [&](const Tree& tree, TermKind kind) {
        if (tree.isName())
            out.names.emplace(tree.text, kind);
    };
    for (const DimTree& dim : type.dims) {
        add(dim.value, TermKind::Integer);
        for (const Tree& part : dim.value.args)
            add(part, dim.value.kind == TreeKind::Pack ? TermKind::IntegerList : TermKind::Integer);
    }
}

Diags checkCondition(const Tree& condition, const Vocabulary& known, const std::string& file) {
    Diags out;
    Check(known, file, out).condition(condition);
    return out;
}

std::optional<TermKind> checkTerm(const Tree& term, const Vocabulary& known,
                                  const std::string& file, Diags& diags) {
    return Check(known, file, diags).term(term);
}

void addWanted(const Tree& condition, TargetOffer& out) {
    if (condition.isCall("has") && condition.args.size() == 2)
        (condition.args[0].isName("libs") ? out.libraries : out.keys)
            .push_back(condition.args[1].text);
    for (const Tree& part : condition.args)
        addWanted(part, out);
}

} // namespace fw
