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

int numberOf(const std::string& name) {
    const std::size_t at = name.find(mark);
    int number = 0;
    if (at != std::string::npos)
        std::from_chars(name.data() + at + 1, name.data() + name.size(), number);
    return number;
}

} // namespace

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

namespace {

template <class Rename>
void renameNames(Tree& tree, const Rename& rename) {
    if (tree.isName())
        rename(tree.text);
    for (Tree& part : tree.args)
        renameNames(part, rename);
}

template <class NumberFor>
void rename(PatternTree& step, const std::set<std::string>& listed, NumberFor number) {
    const auto one = [&](std::string& name) {
        if (const std::string base = writtenName(name); listed.contains(base))
            name = base + repetitionMark(number(name));
    };
    if (step.kind == PatternKind::Capture || step.kind == PatternKind::Bind)
        one(step.name);
    for (PatternConstraint& constraint : step.constraints)
        if (constraint.kind == PatternConstraint::Kind::Same)
            one(constraint.name);
    for (ConditionTree& condition : step.where)
        renameNames(condition.tree, one);
    for (PatternTree& part : step.args)
        rename(part, listed, number);
}

} // namespace

std::string repetitionMark(int number) {
    return number == 0 ? std::string() : mark + std::to_string(number);
}

void nameEarlierRepetition(PatternTree& step, const std::set<std::string>& listed, int before) {
    rename(step, listed, [before](const std::string& name) { return numberOf(name) + before; });
}

void nameRepetition(PatternTree& step, const std::set<std::string>& listed, int number) {
    rename(step, listed, [number](const std::string&) { return number; });
}

void gatherLists(const std::set<std::string>& listed, MatchBindings& bindings) {
    for (const std::string& name : listed) {
        std::map<int, ValueRef, std::greater<>> values; // the match goes from the end to the start
        for (auto one = bindings.values.lower_bound(name);
             one != bindings.values.end() && one->first.starts_with(name);) {
            const bool isOf = writtenName(one->first) == name;
            if (isOf)
                values.emplace(numberOf(one->first), one->second);
            one = isOf ? bindings.values.erase(one) : std::next(one);
        }
        std::vector<ValueRef>& list = bindings.lists[name];
        for (const auto& [number, value] : values)
            list.push_back(value);
        if (list.size() == 1)
            bindings.values.emplace(name, list.front());
    }
}

} // namespace fw
