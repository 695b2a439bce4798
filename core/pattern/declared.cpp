#include "pattern/declared.h"

#include "ir/tensor_type.h"
#include "pattern/repeated.h"
#include "syntax/foreign_words.h"

#include <algorithm>

namespace fw {

namespace {

// The most often that a name is met on one way through the pattern.
int occurrences(const PatternTree& p, const std::string& name) {
    int out = p.kind == PatternKind::Capture && p.name == name ? 1 : 0;
    for (const PatternTree& part : p.args) {
        const int inner = occurrences(part, name);
        out = p.kind == PatternKind::Alternatives ? std::max(out, inner) : out + inner;
    }
    return out;
}

bool namedIn(const Tree& tree, const std::string& name) {
    return tree.isName(name) || std::any_of(tree.args.begin(), tree.args.end(),
                                            [&](const Tree& part) { return namedIn(part, name); });
}

bool isAsked(const PatternTree& p, const std::string& name) {
    return std::any_of(p.where.begin(), p.where.end(),
                       [&](const ConditionTree& one) { return namedIn(one.tree, name); }) ||
           std::any_of(p.args.begin(), p.args.end(),
                       [&](const PatternTree& part) { return isAsked(part, name); });
}

void renameIn(Tree& tree, const std::string& from, const std::string& to) {
    if (tree.isName(from))
        tree.text = to;
    for (Tree& part : tree.args)
        renameIn(part, from, to);
}

class Arguments {
public:
    Arguments(const PatternDeclTree& declared, const PatternTree& call, const std::string& level)
        : m_declared(declared), m_call(call), m_level(level) {}

    void put(PatternTree& p) const {
        for (ConditionTree& condition : p.where)
            for (std::size_t i = 0; i < m_declared.params.size(); ++i)
                renameIn(condition.tree, m_declared.params[i].name, nameOf(i));
        for (std::size_t i = 0; i < m_declared.params.size(); ++i) {
            const PatternParam& param = m_declared.params[i];
            if (p.name != param.name)
                continue;
            if (p.kind == PatternKind::Capture)
                return value(p, param, i);
            if (p.kind == PatternKind::Call && i < m_call.args.size())
                p.name = m_call.args[i].name;
        }
        for (PatternTree& part : p.args)
            put(part);
    }

private:
    // What a parameter is called where it is looked at: as its argument, if that has a name.
    std::string nameOf(std::size_t index) const {
        if (index < m_call.args.size())
            if (const PatternTree& given = m_call.args[index];
                (given.kind == PatternKind::Capture || given.kind == PatternKind::Bind) &&
                given.result < 0)
                return given.name;
        return m_call.name + "." + m_declared.params[index].name + m_level;
    }

    void value(PatternTree& p, const PatternParam& param, std::size_t index) const {
        std::vector<PatternConstraint> demanded = std::move(p.constraints);
        demanded.insert(demanded.end(), param.constraints.begin(), param.constraints.end());
        // Behind "..." a parameter is not looked at; it must still be one value, so it keeps a
        // name of its own.
        const std::string own = m_call.name + "." + p.name + m_level;
        if (index >= m_call.args.size() || m_call.args[index].kind == PatternKind::Rest) {
            p.name = own;
        } else {
            const Span place = p.span;
            p = m_call.args[index];
            if (p.span.line == 0)
                p.span = place;
            const bool isNamed =
                p.kind == PatternKind::Capture || (p.kind == PatternKind::Bind && p.result < 0);
            if ((p.kind != PatternKind::Capture &&
                 occurrences(m_declared.pattern, param.name) > 1) ||
                (!isNamed && isAsked(m_declared.pattern, param.name))) {
                PatternTree shared;
                shared.kind = PatternKind::Bind;
                shared.shared = true;
                shared.name = own;
                shared.span = p.span;
                shared.args.push_back(std::move(p));
                p = std::move(shared);
            }
        }
        p.constraints.insert(p.constraints.end(), demanded.begin(), demanded.end());
    }

    const PatternDeclTree& m_declared;
    const PatternTree& m_call;
    const std::string& m_level;
};

// Parts of a declared pattern have no place of their own in the text that names it.
void setPlace(PatternTree& p, const Span& span) {
    p.span = span;
    for (PatternAttrTree& attr : p.attrs)
        attr.span = {};
    for (PatternConstraint& one : p.constraints)
        one.span = {};
    for (PatternTree& part : p.args)
        setPlace(part, span);
}

constexpr std::size_t mostParts = 2000; // of a pattern with what it names in place of the names
constexpr int mostNames = 50;           // inside each other

class Expansion {
public:
    explicit Expansion(const PatternTable& table) : m_table(table) {}

    PatternTree of(const PatternTree& p, int names) {
        const auto declared = refers(p) ? m_table.find(p.name) : m_table.end();
        if (declared != m_table.end() && names < mostNames && m_left > 0 && !isRecursive(p.name)) {
            --m_left;
            return of(withArguments(*declared->second, p), names + 1);
        }
        PatternTree out = p;
        m_left -= std::min(m_left, p.args.size());
        for (PatternTree& part : out.args)
            part = of(part, names);
        return out;
    }

private:
    bool isRecursive(const std::string& name) {
        const auto [known, isNew] = m_recursive.emplace(name, false);
        if (isNew)
            known->second = namesItself(name, m_table);
        return known->second;
    }

    const PatternTable& m_table;
    std::map<std::string, bool> m_recursive; // of those that were asked for
    std::size_t m_left = mostParts;
};

void called(const PatternTree& p, const PatternDeclTree& declared, std::set<std::string>& out) {
    if (p.kind == PatternKind::Call && !p.ofKind &&
        std::any_of(declared.params.begin(), declared.params.end(),
                    [&](const PatternParam& param) { return param.name == p.name; }))
        out.insert(p.name);
    for (const PatternTree& part : p.args)
        called(part, declared, out);
}

void namesIn(const PatternTree& p, const PatternTable& table, std::set<std::string>& out) {
    if (refers(p) && table.contains(p.name))
        out.insert(p.name);
    for (const PatternTree& part : p.args)
        namesIn(part, table, out);
}

} // namespace

bool isFreeName(const Tree& tree) {
    return tree.isName() && tree.text != "any" && tree.text != "inf" && tree.text != "nan" &&
           !isBoolean(tree.text) && !parseDtype(tree.text);
}

bool hasFreeName(const Tree& tree) {
    return isFreeName(tree) || std::any_of(tree.args.begin(), tree.args.end(), hasFreeName);
}

bool refers(const PatternTree& p) {
    return (p.kind == PatternKind::Capture && !p.value) ||
           (p.kind == PatternKind::Call && !p.ofKind);
}

PatternTree withArguments(const PatternDeclTree& declared, const PatternTree& call,
                          const Unfolding& unfolding) {
    PatternTree out = declared.pattern;
    if (call.span.line > 0)
        setPlace(out, call.span);
    std::string level;
    if (unfolding.level > 0) {
        std::set<std::string> own = unfolding.listed;
        for (const PatternParam& param : declared.params)
            own.erase(param.name);
        nameRepetition(out, own, [&](int) { return unfolding.level; });
        level = repetitionMark(unfolding.level);
    }
    Arguments(declared, call, level).put(out);
    out.constraints.insert(out.constraints.end(), call.constraints.begin(), call.constraints.end());
    return out;
}

std::set<std::string> calledParameters(const PatternDeclTree& declared) {
    std::set<std::string> out;
    called(declared.pattern, declared, out);
    return out;
}

PatternTree withDeclared(const PatternTree& pattern, const PatternTable& table) {
    return Expansion(table).of(pattern, 0);
}

bool namesItself(const std::string& name, const PatternTable& table) {
    std::set<std::string> seen;
    std::vector<std::string> open{name};
    while (!open.empty()) {
        const auto declared = table.find(open.back());
        open.pop_back();
        std::set<std::string> further;
        if (declared != table.end())
            namesIn(declared->second->pattern, table, further);
        if (further.contains(name) || seen.size() > mostParts)
            return true;
        for (const std::string& one : further)
            if (seen.insert(one).second)
                open.push_back(one);
    }
    return false;
}

std::size_t callCount(const PatternTree& p) {
    std::size_t count = p.kind == PatternKind::Call ? 1 : 0;
    if (p.kind == PatternKind::Not)
        return 0;
    if (p.kind == PatternKind::Associative)
        count = p.args.size() - 1;
    for (const PatternTree& part : p.args) {
        const std::size_t inner = callCount(part);
        count = p.kind == PatternKind::Alternatives ? std::max(count, inner) : count + inner;
    }
    return count;
}

} // namespace fw
