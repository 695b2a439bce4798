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
        const bool names = p.kind == PatternKind::Capture || p.kind == PatternKind::Bind;
        if (p.kind == PatternKind::Capture || (p.kind == PatternKind::Call && !p.ofKind))
            if (const auto declared = m_table.find(p.name); declared != m_table.end()) {
                add(declared->second->pattern, repeated);
                for (const PatternTree& part : p.args)
                    add(part, repeated);
                return;
            }
        RepeatedNames& place = repeated ? m_inside : m_outside;
        if (names)
            place.values.insert(p.name);
        for (const PatternAttrTree& attr : p.attrs)
            place.attributes.insert(attr.name);
        for (const PatternTree& part : p.args)
            add(part, repeated || p.kind == PatternKind::Repeat);
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
    RepeatedNames m_inside, m_outside;
    std::size_t m_steps = 0;
};

bool repeats(const PatternTree& p, const PatternTable& table, int depth = 0) {
    if (p.kind == PatternKind::Repeat)
        return true;
    if (depth < 50 && (p.kind == PatternKind::Capture || p.kind == PatternKind::Call))
        if (const auto declared = table.find(p.name);
            declared != table.end() && repeats(declared->second->pattern, table, depth + 1))
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

void nameNextRepetition(PatternTree& step, const std::set<std::string>& listed) {
    const auto rename = [&](std::string& name) {
        if (const std::string base = writtenName(name); listed.contains(base))
            name = base + mark + std::to_string(numberOf(name) + 1);
    };
    if (step.kind == PatternKind::Capture || step.kind == PatternKind::Bind) {
        rename(step.name);
        rename(step.sameAs);
    }
    for (PatternTree& part : step.args)
        nameNextRepetition(part, listed);
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
