#include "pattern/repeated.h"

#include <algorithm>
#include <charconv>

namespace fw {

namespace {

// No name that is written holds it: "r#2" is r of the third repetition from the end.
constexpr char mark = '#';

class Names {
public:
    explicit Names(const PatternTable& table) : m_table(table) {}

    void add(const PatternTree& p, bool repeated) {
        if (++m_steps > mostSteps)
            return;
        if (refers(p))
            if (const auto declared = m_table.find(p.name); declared != m_table.end()) {
                const bool again = namesItself(p.name, m_table);
                if (!again || m_unfolded.insert(p.name).second)
                    add(declared->second->pattern, repeated || again);
                for (const PatternTree& part : p.args)
                    add(part, repeated);
                return;
            }
        RepeatedNames& place = repeated ? m_inside : m_outside;
        if (p.kind == PatternKind::Capture || p.kind == PatternKind::Bind)
            place.values.insert(p.name);
        for (const PatternAttrTree& attr : p.attrs)
            place.attributes.insert(attr.kind == PatternAttrTree::Kind::Equal ? attr.value.text
                                                                              : attr.name);
        const bool repeats = p.kind == PatternKind::Repeat || p.kind == PatternKind::Rest;
        for (const PatternTree& part : p.args)
            add(part, repeated || repeats);
    }

    RepeatedNames onlyInside() const {
        const auto but = [](const std::set<std::string>& all, const std::set<std::string>& others) {
            std::set<std::string> out;
            std::set_difference(all.begin(), all.end(), others.begin(), others.end(),
                                std::inserter(out, out.end()));
            return out;
        };
        return {but(m_inside.values, m_outside.values),
                but(m_inside.attributes, m_outside.attributes)};
    }

private:
    static constexpr std::size_t mostSteps = 10000; // patterns that name each other
    const PatternTable& m_table;
    std::set<std::string> m_unfolded;
    RepeatedNames m_inside, m_outside;
    std::size_t m_steps = 0;
};

// A pattern that is named too deep to be looked at counts as one that leads back to itself.
bool repeats(const PatternTree& p, const PatternTable& table, int depth = 0) {
    if (p.kind == PatternKind::Repeat || p.kind == PatternKind::Rest)
        return true;
    if (refers(p))
        if (const auto declared = table.find(p.name);
            declared != table.end() &&
            (depth >= 50 || repeats(declared->second->pattern, table, depth + 1)))
            return true;
    return std::any_of(p.args.begin(), p.args.end(),
                       [&](const PatternTree& part) { return repeats(part, table, depth); });
}

} // namespace

int repetitionOf(const std::string& name) {
    const std::size_t at = name.find(mark);
    int number = 0;
    if (at != std::string::npos)
        std::from_chars(name.data() + at + 1, name.data() + name.size(), number);
    return number;
}

std::string writtenName(const std::string& name) {
    return name.substr(0, name.find(mark));
}

RepeatedNames repeatedNames(const std::vector<NamedPattern>& patterns, const PatternTable& table) {
    if (std::none_of(patterns.begin(), patterns.end(),
                     [&](const NamedPattern& one) { return repeats(one.pattern, table); }))
        return {};
    Names names(table);
    for (const NamedPattern& named : patterns)
        names.add(named.pattern, false);
    return names.onlyInside();
}

void nameRepetition(Tree& term, const std::set<std::string>& listed, const Repetition& repetition) {
    if (const std::string base = writtenName(term.text); term.isName() && listed.contains(base))
        term.text = base + repetitionMark(repetition(repetitionOf(term.text)));
    for (Tree& part : term.args)
        nameRepetition(part, listed, repetition);
}

void nameRepetition(PatternTree& step, const std::set<std::string>& listed,
                    const Repetition& repetition) {
    const auto one = [&](std::string& name) {
        if (const std::string base = writtenName(name); listed.contains(base))
            name = base + repetitionMark(repetition(repetitionOf(name)));
    };
    if (step.kind == PatternKind::Capture || step.kind == PatternKind::Bind)
        one(step.name);
    for (PatternConstraint& constraint : step.constraints)
        if (constraint.kind == PatternConstraint::Kind::Same)
            one(constraint.name);
    for (ConditionTree& condition : step.where)
        nameRepetition(condition.tree, listed, repetition);
    for (PatternTree& part : step.args)
        nameRepetition(part, listed, repetition);
}

std::string repetitionMark(int number) {
    return number == 0 ? std::string() : mark + std::to_string(number);
}

} // namespace fw
