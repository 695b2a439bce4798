#include "pattern/prepared.h"

#include "ir/tensor_text.h"
#include "pattern/kinds.h"

#include <algorithm>

namespace fw {

namespace {

// More of them than this are matched without it: a step of the text is then none of the stack.
constexpr std::size_t mostRepeated = 16;

void addValueNames(const PatternTree& p, std::set<std::string>& out) {
    if (p.kind == PatternKind::Capture || p.kind == PatternKind::Bind)
        out.insert(writtenName(p.name));
    for (const PatternTree& part : p.args)
        addValueNames(part, out);
}

// Beside values it may bind attributes, dims and element types.
bool bindsMore(const PatternTree& p) {
    return !p.attrs.empty() || !p.constraints.empty() ||
           std::any_of(p.args.begin(), p.args.end(), bindsMore);
}

// Whether it takes the operator that it stands at and nothing beside it.
bool takesOne(const PatternNode& p) {
    const auto isLeaf = [](const PatternNode& part) {
        return part.args.empty() && part.tree->kind != PatternKind::Call && !part.declared;
    };
    switch (p.tree->kind) {
    case PatternKind::Call:
        return !p.declared && std::all_of(p.args.begin(), p.args.end(), isLeaf);
    case PatternKind::Alternatives:
    case PatternKind::Optional:
    case PatternKind::Repeat:
    case PatternKind::Bind:
        return std::all_of(p.args.begin(), p.args.end(), takesOne);
    default:
        return false;
    }
}

// Worth it, and sound: behind the first step each one takes the operator that it stands at and
// nothing beside it, so that no other way can have taken what is before.
bool mayKeepRefused(const PatternNode& sequence) {
    const auto repeated = static_cast<std::size_t>(
        std::count_if(sequence.args.begin(), sequence.args.end(),
                      [](const PatternNode& p) { return p.tree->kind == PatternKind::Repeat; }));
    return repeated > 0 && repeated <= mostRepeated &&
           std::all_of(sequence.args.begin() + 1, sequence.args.end(), takesOne);
}

// By step: what it and those behind it bind is not read before.
std::vector<char> freeSteps(const std::vector<PatternTree>& steps,
                            const std::set<std::string>& listed) {
    std::vector<std::set<std::string>> names(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i)
        addValueNames(steps[i], names[i]);
    const auto apart = [](const std::set<std::string>& some, const std::set<std::string>& others) {
        return std::none_of(some.begin(), some.end(),
                            [&](const std::string& name) { return others.contains(name); });
    };
    std::vector<char> out;
    std::set<std::string> before; // of the steps before the one that is looked at
    for (std::size_t i = 0; i < steps.size(); ++i) {
        std::set<std::string> behind;
        bool free = true;
        for (std::size_t k = i; k < steps.size(); ++k) {
            free = free && !bindsMore(steps[k]);
            if (k > i)
                behind.insert(names[k].begin(), names[k].end());
        }
        out.push_back(
            free && apart(names[i], behind) && apart(names[i], before) && apart(behind, before) &&
            std::includes(listed.begin(), listed.end(), names[i].begin(), names[i].end()));
        before.insert(names[i].begin(), names[i].end());
    }
    return out;
}

std::optional<Number> numberIn(const Tree& tree) {
    if (const auto integer = integerFromTree(tree))
        return Number(*integer);
    if (const auto real = numberFromTree(tree))
        return Number(*real);
    const auto computed = evaluate(tree, {});
    const auto real = computed ? numberOf(*computed) : std::nullopt;
    return real ? std::optional(Number(*real)) : std::nullopt;
}

std::optional<double> realIn(const Tree& tree) {
    const auto value = evaluate(tree, {});
    return value ? numberOf(*value) : std::nullopt;
}

class Preparation {
public:
    Preparation(const PatternTable& table, const RepeatedNames& repeated, PatternNames& names,
                PatternNodes& nodes)
        : m_table(table), m_repeated(repeated), m_names(names), m_nodes(nodes) {}

    PatternNode node(const PatternTree& tree) {
        PatternNode out;
        out.tree = &tree;
        if (tree.kind == PatternKind::Capture || tree.kind == PatternKind::Bind)
            out.name = valueName(tree.name);
        if (const auto known = refers(tree) ? m_table.find(tree.name) : m_table.end();
            known != m_table.end()) {
            out.declared = known->second;
            out.namesItself = namesItself(tree.name, m_table);
        }
        if (tree.kind == PatternKind::Call && tree.ofKind)
            out.fusionKind = parseKind(tree.name);
        for (std::size_t i = 0; i < tree.args.size(); ++i)
            if (tree.args[i].kind == PatternKind::Rest)
                out.rest = i;
        out.fixed = tree.args.size() - (out.rest ? 1 : 0);
        std::vector<PatternNode> args;
        args.reserve(tree.args.size());
        for (const PatternTree& part : tree.args)
            args.push_back(node(part));
        if (!args.empty())
            out.args = m_nodes.emplace_back(std::move(args));
        for (const PatternAttrTree& one : tree.attrs)
            out.attrs.push_back(attribute(one));
        for (const PatternConstraint& one : tree.constraints) {
            if (one.kind == PatternConstraint::Kind::Same && one.name == "^" && !out.likePrevious)
                out.likePrevious = &one;
            out.constraints.push_back(constraint(one));
        }
        if (tree.kind == PatternKind::Sequence && mayKeepRefused(out))
            out.isFree = freeSteps(tree.args, m_repeated.values);
        return out;
    }

    ValueName valueName(const std::string& text) {
        ValueName out;
        const std::string written = writtenName(text);
        out.isListed = m_repeated.values.contains(written);
        out.number = m_names.of(out.isListed ? written : text);
        out.repetition = out.isListed ? repetitionOf(text) : 0;
        return out;
    }

private:
    PreparedTerm term(const Tree& tree) {
        PreparedTerm out;
        out.tree = &tree;
        out.isAny = tree.isName("any");
        out.isPack = tree.kind == TreeKind::Pack;
        if (out.isPack && !tree.args.empty())
            out.name = m_names.of(tree.args[0].text);
        else if (isFreeName(tree))
            out.name = m_names.of(tree.text);
        else if (!out.isPack && !out.isAny)
            out.value = evaluate(tree, {});
        return out;
    }

    PreparedAttr attribute(const PatternAttrTree& tree) {
        using Ask = PreparedAttr::Ask;
        PreparedAttr out;
        out.tree = &tree;
        switch (tree.kind) {
        case PatternAttrTree::Kind::All:
        case PatternAttrTree::Kind::Capture:
            out.ask = tree.kind == PatternAttrTree::Kind::All ? Ask::All : Ask::Bind;
            out.name = m_names.of(tree.name);
            break;
        case PatternAttrTree::Kind::Equal:
            equal(tree.value, out);
            break;
        case PatternAttrTree::Kind::Range:
            out.ask = Ask::Range;
            out.low = realIn(tree.low);
            out.high = realIn(tree.high);
            break;
        case PatternAttrTree::Kind::Among:
            out.ask = Ask::Among;
            for (const Tree& one : tree.among.args)
                if (auto value = evaluate(one, {}))
                    out.values.push_back(std::move(*value));
            break;
        }
        return out;
    }

    // Names stand for the value, those in a list for its elements.
    void equal(const Tree& written, PreparedAttr& out) {
        using Ask = PreparedAttr::Ask;
        if (written.isName("any")) {
            out.ask = Ask::Any;
        } else if (isFreeName(written)) {
            out.ask = Ask::Bind;
            out.name = m_names.of(written.text);
        } else if (!hasFreeName(written)) {
            out.ask = Ask::Among;
            if (auto value = evaluate(written, {}))
                out.values.push_back(std::move(*value));
        } else if (written.kind != TreeKind::List) {
            out.ask = Ask::Term;
            out.terms.push_back(term(written));
        } else {
            out.ask = Ask::Elements;
            for (const Tree& one : written.args)
                out.terms.push_back(term(one));
        }
    }

    PreparedConstraint constraint(const PatternConstraint& tree) {
        PreparedConstraint out;
        out.tree = &tree;
        switch (tree.kind) {
        case PatternConstraint::Kind::Const:
        case PatternConstraint::Kind::Input:
            break;
        case PatternConstraint::Kind::Equal:
            if (tree.value.kind != TreeKind::List)
                out.numbers.push_back(numberIn(tree.value));
            else
                for (const Tree& one : tree.value.args)
                    out.numbers.push_back(numberIn(one));
            break;
        case PatternConstraint::Kind::Same:
            if (tree.name != "^")
                out.same = valueName(tree.name);
            break;
        case PatternConstraint::Kind::Type:
            out.dtype = parseDtype(tree.name);
            if (!out.dtype && tree.name != "any")
                out.element = m_names.of(tree.name);
            for (const Tree& dim : tree.dims)
                out.dims.push_back(term(dim));
            break;
        }
        return out;
    }

    const PatternTable& m_table;
    const RepeatedNames& m_repeated;
    PatternNames& m_names;
    PatternNodes& m_nodes;
};

} // namespace

PatternNode prepare(const PatternTree& tree, const PatternTable& table,
                    const RepeatedNames& repeated, PatternNames& names, PatternNodes& nodes) {
    return Preparation(table, repeated, names, nodes).node(tree);
}

PreparedPatterns::PreparedPatterns(std::vector<NamedPattern> patterns, const PatternTable& table)
    : m_all(std::move(patterns)) {
    for (NamedPattern& named : m_all) {
        named.pattern = withDeclared(named.pattern, table);
        m_operators += callCount(named.pattern);
    }
    m_repeated = repeatedNames(m_all, table);
    Preparation preparation(table, m_repeated, m_names, m_nodes);
    for (const NamedPattern& named : m_all) {
        ValueName name = preparation.valueName(named.name);
        m_roots.push_back(
            {name, preparation.node(named.pattern), PossibleRoots(named.pattern, table)});
    }
}

} // namespace fw
