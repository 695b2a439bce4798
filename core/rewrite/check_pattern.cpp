// Static checks of patterns: everything that can be known without a graph.
#include "rewrite/declaration_check.h"

#include "base/nearest.h"
#include "ir/tensor_text.h"
#include "pattern/circles.h"
#include "rewrite/apply.h"
#include "rewrite/associative.h"
#include "syntax/foreign_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

bool readsHere(const PatternTree& p) {
    return p.kind == PatternKind::Previous || (p.kind == PatternKind::Rest && p.args.empty()) ||
           std::any_of(p.args.begin(), p.args.end(), readsHere);
}

bool bindsNames(const PatternTree& p, const PatternTable& table) {
    return p.kind == PatternKind::Bind ||
           (p.kind == PatternKind::Capture && !(refers(p) && table.contains(p.name))) ||
           std::any_of(p.args.begin(), p.args.end(),
                       [&](const PatternTree& part) { return bindsNames(part, table); });
}

bool asksForParts(const Tree& tree) {
    return tree.isCall("given") || std::any_of(tree.args.begin(), tree.args.end(), asksForParts);
}

class PatternCheck {
public:
    PatternCheck(const OperatorSet& operators, const PatternTable& table, const Bound& bound,
                 ValueNames valueNames, Refusals& out)
        : m_operators(operators), m_table(table), m_bound(bound), m_valueNames(valueNames),
          m_out(out) {}

    // What stands around a part of a pattern.
    struct Surroundings {
        bool previous = false; // `^` stands for something
        bool step = false;     // of a sequence
        bool repeated = false; // its names are lists
        bool operand = false;  // of a call
        bool beside = false;   // `^` is another operand of that call
    };

    // Parameters that are called in a declaration: what they are is not known there.
    void setCalled(std::set<std::string> names) { m_called = std::move(names); }

    void pattern(const PatternTree& p, const Surroundings& place) {
        names(p);
        switch (p.kind) {
        case PatternKind::Previous:
            if (!place.previous)
                m_out.refuse(DiagCode::RuleIllegal,
                             "^ stands for nothing here: no step comes before", p.span,
                             "write p >> q(^), or declare a chain");
            break;
        case PatternKind::Call:
            call(p);
            break;
        case PatternKind::Associative:
            associative(p);
            break;
        case PatternKind::Output:
            checkHasResult(p.args[0], p.low, p.span, m_operators, m_out);
            break;
        case PatternKind::Bind:
            checkHasResult(p.args[0], p.result, p.span, m_operators, m_out);
            break;
        case PatternKind::Dominated:
            return dominated(p, place);
        case PatternKind::Rest:
            further(p, place);
            break;
        case PatternKind::Not:
            if (readsPrevious(p.args[0]))
                m_out.refuse(DiagCode::RuleIllegal, "not does not look at what comes before",
                             p.span, "write the step without ^, or name the operand: not relu(x)");
            break;
        case PatternKind::Optional:
        case PatternKind::Repeat:
            if (!place.step)
                m_out.refuse(DiagCode::RuleIllegal, "a step that may be absent stands behind >>",
                             p.span);
            break;
        default:
            break;
        }
        for (const PatternConstraint& one : p.constraints) {
            constraint(one);
            if (one.kind == PatternConstraint::Kind::Same && one.name == "^" && !place.beside)
                m_out.refuse(DiagCode::RuleIllegal, "same(^) needs ^ among the operands beside it",
                             one.span, "add(^, r: same(^)), or name the value: same(x)");
        }
        parts(p, place);
    }

private:
    void names(const PatternTree& p) {
        if (p.value)
            return;
        const auto declared = m_table.find(p.name);
        const bool isOperator =
            m_valueNames == ValueNames::Apart && m_operators.find(p.name) != nullptr;
        const bool known = isOperator || (declared != m_table.end() && !declared->second->isChain);
        if (p.kind == PatternKind::Capture && known)
            m_out.refuse(DiagCode::TextName,
                         "the capture " + p.name + " has the name of an operator or pattern",
                         p.span, "choose another name, or write " + p.name + "(...)");
        if (p.kind == PatternKind::Bind && (known || declared != m_table.end()))
            m_out.refuse(DiagCode::TextName,
                         "the capture " + p.name + " has the name of an operator or pattern",
                         p.span, "choose another name");
    }

    void parts(const PatternTree& p, const Surroundings& place) {
        const bool isSequence = p.kind == PatternKind::Sequence;
        const auto declared = p.kind == PatternKind::Call ? m_table.find(p.name) : m_table.end();
        const std::set<std::string> called = declared != m_table.end()
                                                 ? calledParameters(*declared->second)
                                                 : std::set<std::string>();
        const bool hasPrevious =
            p.kind == PatternKind::Call &&
            std::any_of(p.args.begin(), p.args.end(),
                        [](const PatternTree& arg) { return arg.kind == PatternKind::Previous; });
        for (std::size_t i = 0; i < p.args.size(); ++i) {
            if (declared != m_table.end() && i < declared->second->params.size() &&
                called.contains(declared->second->params[i].name)) {
                callee(p.args[i], declared->second->params[i].name);
                continue;
            }
            const bool follows = isSequence && i > 0;
            Surroundings inside;
            inside.previous = place.previous || follows;
            inside.step = isSequence;
            inside.repeated =
                place.repeated || p.kind == PatternKind::Repeat || p.kind == PatternKind::Rest;
            inside.operand = p.kind == PatternKind::Call || p.kind == PatternKind::Associative;
            inside.beside = hasPrevious;
            pattern(p.args[i], inside);
            if (follows)
                step(p.args[i]);
        }
        if (!called.empty() && ++m_expanded < 50)
            pattern(withArguments(*declared->second, p), place);
    }

    // What a parameter that is called stands for.
    void callee(const PatternTree& p, const std::string& parameter) {
        if (p.kind != PatternKind::Capture || !p.constraints.empty())
            m_out.refuse(DiagCode::RuleIllegal,
                         parameter + " is called, so it stands for an operator or a pattern",
                         p.span, "give the name alone: relu");
        else if (m_operators.find(p.name) == nullptr && !m_table.contains(p.name) &&
                 !m_called.contains(p.name))
            m_out.refuse(DiagCode::UnknownOperator,
                         "there is no operator, pattern or chain named " + p.name, p.span,
                         operatorHint(p.name, m_operators, &m_table));
    }

    void associative(const PatternTree& p) {
        const Operator* op = m_operators.find(p.name);
        if (op == nullptr)
            return m_out.refuse(DiagCode::UnknownOperator, "there is no operator named " + p.name,
                                p.span, operatorHint(p.name, m_operators, nullptr));
        if (!op->commutative() && !isAssociative(*op))
            m_out.refuse(DiagCode::RuleIllegal,
                         p.name +
                             " may not be nested as one likes: it neither commutes nor is it a "
                             "product of matrices",
                         p.span, "write the calls as they are nested");
        const bool rest = !p.args.empty() && p.args.back().kind == PatternKind::Rest;
        if (p.args.size() < 2 || (rest && p.args.size() < 2))
            m_out.refuse(DiagCode::OperatorArity, "assoc needs at least two operands", p.span,
                         "assoc " + p.name + "(x, y, ...others)");
        for (std::size_t i = 0; i + 1 < p.args.size(); ++i)
            if (p.args[i].kind == PatternKind::Rest)
                m_out.refuse(DiagCode::RuleIllegal, "further operands of assoc stand last",
                             p.args[i].span);
    }

    void further(const PatternTree& p, const Surroundings& place) {
        if (!place.operand)
            m_out.refuse(DiagCode::RuleIllegal, "... stands among the operands of a call", p.span);
        if (place.repeated && !p.args.empty() && bindsNames(p.args[0], m_table))
            m_out.refuse(DiagCode::RuleIllegal, "a name cannot stand for lists of lists", p.span,
                         "write ... without a name inside a repeated step");
    }

    void dominated(const PatternTree& p, const Surroundings& place) {
        for (const PatternTree* part : {&p.args[1], &p.args[2]})
            if (!readsHere(*part) && !readsPrevious(*part))
                m_out.refuse(DiagCode::RuleIllegal,
                             "this does not say which operands lead up to the first value",
                             part->span,
                             "write ^ for them, or ... for all: add(^, ^), kind "
                             "elementwise(...)");
        if (bindsNames(p.args[1], m_table))
            m_out.refuse(DiagCode::RuleIllegal,
                         "a path has any number of steps, so its parts have no names",
                         p.args[1].span, "write any, const or ... in place of the name");
        pattern(p.args[0], {place.previous, false, place.repeated, false});
        pattern(p.args[1], {true, false, place.repeated, false});
        pattern(p.args[2], {true, false, place.repeated, false});
    }

    void constraint(const PatternConstraint& wanted) {
        if (wanted.kind == PatternConstraint::Kind::Equal)
            return literal(wanted.value);
        if (wanted.kind != PatternConstraint::Kind::Type)
            return;
        const std::string& name = wanted.name;
        if (name != "any" && !parseDtype(name) && !isTypeVariable(name)) {
            std::vector<std::string> known{"any", "const", "input", "same"};
            for (int i = 0; i <= static_cast<int>(DType::I64); ++i)
                known.emplace_back(dtypeText(static_cast<DType>(i)));
            m_out.refuse(
                DiagCode::TextName, "there is no element type " + name, wanted.span,
                elementTypeHint(
                    name, didYouMean(name, known,
                                     "a name that stands for any begins with a capital: T[N]")));
        }
        int packs = 0;
        for (const Tree& dim : wanted.dims) {
            packs += dim.kind == TreeKind::Pack ? 1 : 0;
            const bool named =
                dim.kind != TreeKind::Pack || dim.args.empty() || isFreeName(dim.args[0]);
            if (packs > 1 || !named)
                m_out.refuse(DiagCode::RuleIllegal,
                             named ? "only one part of a shape may have any number of axes"
                                   : "... stands alone or behind a name",
                             dim.span, "f32[N, ...]");
            if (dim.kind != TreeKind::Pack && !isFreeName(dim) && !dim.isName("any"))
                extent(dim);
        }
    }

    void extent(const Tree& dim) {
        const auto value = evaluate(dim, {});
        const auto number = value ? numberOf(*value) : std::nullopt;
        if (number && *number < 0)
            return m_out.refuse(DiagCode::RuleIllegal,
                                fmt::format("no extent is {}", termText(dim)), dim.span,
                                "any is one axis of any extent, ... any number of axes");
        arithmetic(dim);
    }

    // While a match is looked for it is not known which parts there will be.
    bool refuseParts(const Tree& tree) {
        if (asksForParts(tree))
            m_out.refuse(DiagCode::RuleIllegal, "given stands in conditions and on the right side",
                         tree.span, "capture the attribute, and say it behind where");
        return asksForParts(tree);
    }

    // Of dims and attributes: what it names must be bound somewhere.
    void arithmetic(const Tree& tree) {
        if (refuseParts(tree))
            return;
        Diags wrong;
        const auto kind = checkTerm(tree, m_bound.vocabulary(), m_out.file(), wrong);
        m_out.add(std::move(wrong));
        if (kind && *kind != TermKind::Integer && *kind != TermKind::Any)
            m_out.refuse(DiagCode::RuleIllegal,
                         fmt::format("an extent is an integer, this is {}", kindNoun(*kind)),
                         tree.span);
    }

    void literal(const Tree& tree) {
        const auto value = evaluate(tree, {});
        const bool isList = tree.kind == TreeKind::List && !tree.args.empty();
        const bool written =
            isList ? std::all_of(tree.args.begin(), tree.args.end(),
                                 [](const Tree& one) { return numberFromTree(one).has_value(); })
                   : numberFromTree(tree).has_value();
        const bool number = written || (value && (std::holds_alternative<Expr>(*value) ||
                                                  std::holds_alternative<double>(*value) ||
                                                  std::holds_alternative<Exprs>(*value) ||
                                                  std::holds_alternative<Reals>(*value)));
        if (!number)
            m_out.refuse(DiagCode::RuleIllegal, "a constant is a number or a list of numbers here",
                         tree.span, "const 0.5, const [1, 2]");
    }

    // A step behind >> that does not read what comes before it would match anything.
    void step(const PatternTree& p) {
        if (readsPrevious(p))
            return;
        const PatternTree* inner = &p;
        while ((inner->kind == PatternKind::Optional || inner->kind == PatternKind::Repeat) &&
               !inner->args.empty())
            inner = &inner->args[0];
        const bool declared = refers(*inner) && m_table.contains(inner->name);
        if (inner->kind == PatternKind::Capture && !declared &&
            m_operators.find(inner->name) == nullptr)
            m_out.refuse(DiagCode::TextName, "there is no chain named " + inner->name, inner->span,
                         didYouMean(inner->name, chainNames(m_table), "a step behind >> reads ^"));
        else if (inner->kind != PatternKind::Capture || declared)
            m_out.refuse(DiagCode::RuleIllegal, "this step does not read ^, the value before it",
                         inner->span, "write ^ for the operand that comes from there");
    }

    bool readsPrevious(const PatternTree& p) const {
        switch (p.kind) {
        case PatternKind::Previous:
            return true;
        case PatternKind::Capture: {
            const auto declared = m_table.find(p.name);
            return refers(p) && declared != m_table.end() && declared->second->isChain;
        }
        case PatternKind::Alternatives:
            return std::all_of(p.args.begin(), p.args.end(),
                               [&](const PatternTree& part) { return readsPrevious(part); });
        case PatternKind::Sequence: // through its first step
        case PatternKind::Dominated:
            return !p.args.empty() && readsPrevious(p.args.front());
        case PatternKind::Not:
            return readsPrevious(p.args[0]);
        case PatternKind::Any:
        case PatternKind::Const:
        case PatternKind::Bind:
        case PatternKind::Call:
        case PatternKind::Optional:
        case PatternKind::Repeat:
        case PatternKind::Output:
        case PatternKind::Rest:
        case PatternKind::Associative:
            break;
        }
        return std::any_of(p.args.begin(), p.args.end(),
                           [&](const PatternTree& part) { return readsPrevious(part); });
    }

    void call(const PatternTree& p) {
        const auto rests = static_cast<std::size_t>(
            std::count_if(p.args.begin(), p.args.end(),
                          [](const PatternTree& arg) { return arg.kind == PatternKind::Rest; }));
        const std::size_t given = p.args.size() - rests;
        if (rests > 1)
            m_out.refuse(DiagCode::RuleIllegal, "... stands once among the operands", p.span);
        if (p.ofKind) {
            if (!parseKind(p.name))
                m_out.refuse(DiagCode::TextName, "there is no kind " + p.name, p.span,
                             didYouMean(p.name, kindNames(),
                                        fmt::format("{}", fmt::join(kindNames(), ", "))));
            return;
        }
        if (const auto declared = m_table.find(p.name); declared != m_table.end()) {
            const std::size_t count = declared->second->params.size();
            const bool open =
                rests == 1 && p.args.back().kind == PatternKind::Rest && p.args.back().args.empty();
            if (open ? given > count : p.args.size() != count)
                m_out.refuse(
                    DiagCode::OperatorArity,
                    fmt::format("{} has {} parameters, {} are given", p.name, count, given),
                    p.span);
            if (!p.attrs.empty())
                m_out.refuse(DiagCode::RuleIllegal, "a pattern has no attributes", p.span,
                             "write them at the operators inside");
            return;
        }
        if (m_called.contains(p.name))
            return;
        const Operator* op = m_operators.find(p.name);
        if (op == nullptr)
            return m_out.refuse(DiagCode::UnknownOperator,
                                "there is no operator, pattern or chain named " + p.name, p.span,
                                operatorHint(p.name, m_operators, &m_table));
        const Arity arity = op->arity();
        if (rests > 0 ? given > arity.most : !arity.takes(given))
            m_out.refuse(DiagCode::OperatorArity,
                         fmt::format("{} has {}, not {}", p.name, arity.text(), given), p.span,
                         op->signature());
        std::set<std::string> equal; // to what is written
        for (const PatternAttrTree& attr : p.attrs) {
            attribute(*op, attr);
            if (attr.kind == PatternAttrTree::Kind::Equal && !attr.value.isName() &&
                !hasFreeName(attr.value) && !equal.insert(attr.name).second)
                m_out.refuse(DiagCode::TextName,
                             fmt::format("the attribute {} is written twice", attr.name),
                             attr.span);
        }
    }

    void attribute(const Operator& op, const PatternAttrTree& attr) {
        switch (attr.kind) {
        case PatternAttrTree::Kind::All:
            return;
        case PatternAttrTree::Kind::Capture:
            return checkAttribute(op, attr.name, std::nullopt, attr.span, m_out);
        case PatternAttrTree::Kind::Range:
            for (const Tree* bound : {&attr.low, &attr.high})
                element(op, attr, *bound);
            return checkRange(attr, m_out);
        case PatternAttrTree::Kind::Among:
            for (const Tree& one : attr.among.args)
                element(op, attr, one);
            return checkRange(attr, m_out);
        case PatternAttrTree::Kind::Equal:
            equal(op, attr);
        }
    }

    // A value without names.
    void element(const Operator& op, const PatternAttrTree& attr, const Tree& written) {
        Diags wrong;
        const auto kind = checkTerm(written, {}, m_out.file(), wrong);
        m_out.add(std::move(wrong));
        if (kind)
            checkAttribute(op, attr.name, kind, attr.span, m_out);
        checkWrittenValue(op, attr.name, written, attr.span, m_out);
    }

    void equal(const Operator& op, const PatternAttrTree& attr) {
        const Tree& written = attr.value;
        if (refuseParts(written))
            return;
        if (!isFreeName(written) && !hasFreeName(written))
            return written.isName("any")
                       ? checkAttribute(op, attr.name, std::nullopt, attr.span, m_out)
                       : element(op, attr, written);
        const std::optional<AttrType> type = op.attrType(attr.name);
        const bool ofText = type == AttrType::Text || type == AttrType::TextList;
        const bool ofNames = written.kind == TreeKind::List;
        std::string_view meant = booleanMeant(written.text);
        if (type == AttrType::DType && meant.empty())
            meant = elementTypeMeant(written.text);
        if (isFreeName(written) && !meant.empty())
            return m_out.refuse(DiagCode::TextName, written.text + " is a name here", written.span,
                                fmt::format("write {}", meant));
        if (isFreeName(written) && ofText)
            return m_out.refuse(
                DiagCode::TextType, fmt::format("{} of {} is a text", attr.name, op.name()),
                written.span,
                fmt::format("write \"{}\", or {{{}}} to capture it", written.text, attr.name));
        checkAttribute(op, attr.name,
                       ofNames ? std::optional(type && kindOf(*type) == TermKind::RealList
                                                   ? TermKind::RealList
                                                   : TermKind::IntegerList)
                               : std::nullopt,
                       attr.span, m_out);
        if (isFreeName(written))
            return;
        checkWrittenValue(op, attr.name, written, attr.span, m_out);
        for (const Tree& part : ofNames ? written.args : std::vector<Tree>{written}) {
            if (isFreeName(part) || part.isName("any"))
                continue;
            Diags wrong;
            checkTerm(part, m_bound.vocabulary(), m_out.file(), wrong);
            m_out.add(std::move(wrong));
        }
    }

    const OperatorSet& m_operators;
    const PatternTable& m_table;
    const Bound& m_bound;
    const ValueNames m_valueNames;
    Refusals& m_out;
    std::set<std::string> m_called;
    int m_expanded = 0;
};

bool mentions(const PatternTree& p, const std::string& name) {
    return ((refers(p) || p.kind == PatternKind::Capture) && p.name == name) ||
           std::any_of(p.constraints.begin(), p.constraints.end(),
                       [&](const PatternConstraint& one) {
                           return one.kind == PatternConstraint::Kind::Same && one.name == name;
                       }) ||
           std::any_of(p.args.begin(), p.args.end(),
                       [&](const PatternTree& part) { return mentions(part, name); });
}

bool isValue(const PatternTree& p, const std::string& name) {
    return (p.value && p.name == name) ||
           std::any_of(p.args.begin(), p.args.end(),
                       [&](const PatternTree& part) { return isValue(part, name); });
}

bool holds(AttrType type, TermKind kind) {
    if (kind == TermKind::Any || type == AttrType::Any)
        return true;
    switch (kindOf(type)) {
    case TermKind::Real:
        return kind == TermKind::Real || kind == TermKind::Integer;
    case TermKind::RealList:
        return kind == TermKind::RealList || kind == TermKind::IntegerList;
    case TermKind::Any: // texts, tensors
        return false;
    default:
        return kindOf(type) == kind;
    }
}

} // namespace

std::vector<std::string> chainNames(const PatternTable& table) {
    std::vector<std::string> out;
    for (const auto& [name, declared] : table)
        if (declared->isChain)
            out.push_back(name);
    return out;
}

std::string operatorHint(const std::string& word, const OperatorSet& operators,
                         const PatternTable* table) {
    std::vector<std::string> names;
    for (const Operator* op : operators.all())
        names.push_back(op->name());
    if (table != nullptr)
        for (const auto& [name, declared] : *table)
            names.push_back(name);
    if (std::string hint = table != nullptr ? patternHint(word) : std::string(); !hint.empty())
        return hint;
    return didYouMean(word, names, "fw ops lists the operators");
}

void checkAttribute(const Operator& op, const std::string& name, std::optional<TermKind> kind,
                    const Span& span, Refusals& out) {
    const std::optional<AttrType> type = op.attrType(name);
    if (!type)
        return out.refuse(DiagCode::TextName, op.name() + " has no attribute " + name, span,
                          didYouMean(name, op.attrNames(), "fw ops " + op.name() + " lists them"));
    if (kind && !holds(*type, *kind))
        out.refuse(DiagCode::UnsupportedAttribute,
                   kindOf(*type) == TermKind::Any
                       ? fmt::format("{} of {} cannot be written here", name, op.name())
                       : fmt::format("{} of {} is {}, not {}", name, op.name(),
                                     kindNoun(kindOf(*type)), kindNoun(*kind)),
                   span);
}

void checkPatternTree(const PatternTree& pattern, bool chain, const OperatorSet& operators,
                      const PatternTable& table, const Bound& bound, Refusals& out,
                      ValueNames names) {
    PatternCheck(operators, table, bound, names, out)
        .pattern(pattern, {chain, false, false, false});
}

Diags checkPattern(const PatternDeclTree& declaration, const OperatorSet& operators,
                   const PatternTable& table, const std::string& file,
                   const std::vector<std::string>* targetKeys) {
    return checkPattern(declaration, operators, table, file, targetKeys, ValueNames::Apart);
}

Diags checkPattern(const PatternDeclTree& declaration, const OperatorSet& operators,
                   const PatternTable& table, const std::string& file,
                   const std::vector<std::string>* targetKeys, ValueNames names) {
    Refusals out(file);
    // A declaration that leads back to itself would be matched without end.
    if (std::string why = endlessNames(declaration, table); !why.empty())
        out.refuse(DiagCode::RuleIllegal, std::move(why), declaration.span,
                   "a pattern that names itself does so behind an operator, and has another way: "
                   "(relu(p(x)) | x)");
    PatternTree params;
    for (const PatternParam& param : declaration.params) {
        PatternTree capture;
        capture.kind = PatternKind::Capture;
        capture.name = param.name;
        capture.value = isValue(declaration.pattern, param.name);
        capture.constraints = param.constraints;
        capture.span = param.span;
        params.args.push_back(std::move(capture));
    }
    const Bound bound = boundBy({{"", declaration.pattern}, {"", params}}, operators, table);
    PatternCheck check(operators, table, bound, names, out);
    check.setCalled(calledParameters(declaration));
    check.pattern(declaration.pattern, {declaration.isChain, false, false, false});
    checkConditions(declaration.pattern.where, bound, targetKeys, out);
    for (const PatternTree& param : params.args)
        check.pattern(param, {});
    for (const PatternParam& param : declaration.params)
        if (!mentions(declaration.pattern, param.name))
            out.warn(DiagCode::TextName, "the parameter " + param.name + " is not used",
                     param.span);
    return out.take();
}

} // namespace fw
