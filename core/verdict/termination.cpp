#include "verdict/termination.h"

#include "condition/condition.h"
#include "rewrite/right_side.h"

#include <algorithm>
#include <set>

namespace fw {

namespace {

using Count = std::map<std::string, int>; // operators

constexpr std::size_t mostPatternForms = 64; // of a pattern

Count sum(Count a, const Count& b) {
    for (const auto& [op, count] : b)
        a[op] += count;
    return a;
}

// What one application takes away at least, and what it makes at most.
class Change {
public:
    Change(const RuleTree& rule, const PatternTable& table) {
        const PreparedPatterns patterns(rule.match, table);
        for (const NamedPattern& named : patterns.all()) {
            m_replaced.insert(named.name);
            learn(named.pattern, named.name);
        }
        for (const RuleTree::Exposed& exposed : rule.expose)
            m_replaced.insert(exposed.name);
        Count made;
        for (const NamedTree& let : rule.let)
            made = sum(std::move(made), makes(let.value, let.name));
        for (const NamedTree& emit : rule.emit)
            made = sum(std::move(made), makes(emit.value, {}));
        m_forms = {Count()};
        for (const NamedPattern& named : patterns.all()) {
            // What stays is computed twice: only the root is replaced.
            if (rule.duplicate)
                m_forms = product(m_forms, {rootOf(named.pattern, named.name)});
            else
                m_forms = product(m_forms, takes(named.pattern, named.name));
        }
        for (Count& form : m_forms)
            for (const auto& [op, count] : made)
                form[op] -= count;
    }

    bool known() const { return !m_forms.empty() && m_forms.size() <= mostPatternForms; }
    const std::vector<Count>& forms() const { return m_forms; } // taken less made

private:
    using Forms = std::vector<Count>;

    Forms product(const Forms& a, const Forms& b) const {
        Forms out;
        for (const Count& one : a)
            for (const Count& other : b)
                if (out.size() <= mostPatternForms)
                    out.push_back(sum(one, other));
        return out;
    }

    // Names of operators and of constants.
    void learn(const PatternTree& p, const std::string& name) {
        if (!name.empty() && p.kind == PatternKind::Call)
            m_operators[name] = p.ofKind ? "@" + name : p.name;
        const bool constant =
            p.kind == PatternKind::Const ||
            std::any_of(p.constraints.begin(), p.constraints.end(), [](const auto& one) {
                return one.kind == PatternConstraint::Kind::Const ||
                       one.kind == PatternConstraint::Kind::Equal;
            });
        if (constant && p.kind == PatternKind::Capture)
            m_constants.insert(p.name);
        if (constant && !name.empty())
            m_constants.insert(name);
        for (const PatternTree& part : p.args)
            learn(part, p.kind == PatternKind::Bind ? p.name : std::string());
    }

    Count rootOf(const PatternTree& p, const std::string& name) const {
        switch (p.kind) {
        case PatternKind::Call:
            return {{p.ofKind ? "@" + name : p.name, 1}};
        case PatternKind::Bind:
            return rootOf(p.args[0], p.name);
        case PatternKind::Output:
            return rootOf(p.args[0], name);
        case PatternKind::Sequence:
            return rootOf(p.args.back(), name);
        default:
            return {};
        }
    }

    // At least, in each of its forms. What the right side reads stays.
    Forms takes(const PatternTree& p, const std::string& name) const {
        const auto all = [&](Forms out, std::size_t first = 0) {
            for (std::size_t i = first; i < p.args.size(); ++i)
                out = product(out, takes(p.args[i], {}));
            return out;
        };
        switch (p.kind) {
        case PatternKind::Bind:
            return m_read.contains(p.name) && !m_replaced.contains(p.name)
                       ? Forms{Count()}
                       : takes(p.args[0], p.name);
        case PatternKind::Call:
            if (p.ofKind)
                return all({name.empty() ? Count() : Count{{"@" + name, 1}}});
            return all({{{p.name, 1}}});
        case PatternKind::Sequence:
        case PatternKind::Output:
            return all({Count()});
        case PatternKind::Associative:
            return all({{{p.name, static_cast<int>(p.args.size()) - 1}}});
        case PatternKind::Alternatives: {
            Forms out;
            for (const PatternTree& option : p.args)
                for (Count& form : takes(option, name))
                    out.push_back(std::move(form));
            return out;
        }
        case PatternKind::Repeat: {
            Forms out{Count()};
            for (std::int64_t i = 0; i < p.low && out.size() <= mostPatternForms; ++i)
                out = product(out, takes(p.args[0], {}));
            return out;
        }
        case PatternKind::Dominated:
            return product(takes(p.args[0], {}), takes(p.args[2], {}));
        default: // a value, or what may be absent
            return {Count()};
        }
    }

    // At most. What is computed from constants alone is folded.
    Count makes(const Tree& tree, const std::string& let) {
        bool constant = true;
        Count out = makes(tree, constant);
        if (constant && !let.empty())
            m_constants.insert(let);
        return constant ? Count() : out;
    }

    Count makes(const Tree& tree, bool& constant) {
        switch (tree.kind) {
        case TreeKind::Name:
            m_read.insert(tree.text);
            constant = m_constants.contains(tree.text);
            return {};
        case TreeKind::Call:
            if (conditionFunction(tree.text) != nullptr && tree.text != "given" &&
                tree.attrs.empty() && !m_operators.contains(tree.text))
                return {};
            break;
        case TreeKind::Binary:
        case TreeKind::Index:
        case TreeKind::Pack:
            break;
        default:
            return {};
        }
        Count out;
        bool all = true;
        const std::size_t first = tree.text == "given" && tree.kind == TreeKind::Call ? 1 : 0;
        for (std::size_t i = first; i < tree.args.size(); ++i) {
            bool one = true;
            out = sum(std::move(out), makes(tree.args[i], one));
            all = all && one;
        }
        constant = all;
        // Of a call with several names each stands for a result of the one call.
        if (all || (tree.kind == TreeKind::Index && tree.integer > 0))
            return {};
        if (tree.kind == TreeKind::Binary)
            ++out[infixOperator(tree.text)];
        else if (tree.kind == TreeKind::Call && tree.text != "given") {
            const auto named = m_operators.find(tree.text);
            ++out[named == m_operators.end() ? tree.text : named->second];
        }
        return out;
    }

    std::map<std::string, std::string> m_operators; // by the names of their values
    std::set<std::string> m_constants, m_replaced, m_read;
    Forms m_forms;
};

// Whether there are weights, none negative, under which every row is at least 1: phase one of the
// simplex method, with Bland's rule, so that it ends.
bool hasWeights(const std::vector<Count>& rows) {
    constexpr double small = 1e-9;
    std::map<std::string, std::size_t> number;
    for (const Count& row : rows)
        for (const auto& [op, count] : row)
            number.emplace(op, number.size());
    const std::size_t m = rows.size(), n = number.size(), columns = n + m;
    // Columns: weights, then what a row has more than 1; last the right side. The basis begins with
    // an artificial variable per row, which is not kept as a column.
    std::vector<std::vector<double>> table(m, std::vector<double>(columns + 1, 0));
    std::vector<std::size_t> basis(m);
    std::vector<double> cost(columns + 1, 0); // of the sum of artificial variables
    for (std::size_t i = 0; i < m; ++i) {
        for (const auto& [op, count] : rows[i])
            table[i][number.at(op)] = count;
        table[i][n + i] = -1;
        table[i][columns] = 1;
        basis[i] = columns + i;
        for (std::size_t j = 0; j <= columns; ++j)
            cost[j] += table[i][j];
    }
    for (;;) {
        std::size_t enter = columns;
        for (std::size_t j = 0; j < columns && enter == columns; ++j)
            if (cost[j] > small)
                enter = j;
        if (enter == columns)
            return cost[columns] < 1e-6;
        std::size_t leave = m;
        for (std::size_t i = 0; i < m; ++i) {
            if (table[i][enter] <= small)
                continue;
            const double ratio = table[i][columns] / table[i][enter];
            const double best = leave == m ? ratio : table[leave][columns] / table[leave][enter];
            if (leave == m || ratio < best - small ||
                (ratio < best + small && basis[i] < basis[leave]))
                leave = i;
        }
        if (leave == m)
            return true; // without a bound: the artificial variables can be driven out
        const double pivot = table[leave][enter];
        for (double& item : table[leave])
            item /= pivot;
        const auto clear = [&](std::vector<double>& row) {
            const double factor = row[enter];
            for (std::size_t j = 0; j <= columns; ++j)
                row[j] -= factor * table[leave][j];
        };
        for (std::size_t i = 0; i < m; ++i)
            if (i != leave)
                clear(table[i]);
        clear(cost);
        basis[leave] = enter;
    }
}

} // namespace

std::vector<NotShownToEnd> notShownToEnd(const std::vector<std::shared_ptr<const RuleTree>>& rules,
                                         const PatternTable& table, const CancelToken& cancel) {
    struct RuleCounts {
        std::string name;
        std::vector<Count> rows;
    };
    std::map<std::string, std::vector<RuleCounts>> stages;
    std::vector<NotShownToEnd> out;
    for (std::size_t place = 0; place < rules.size() && !cancel.cancelled(); ++place) {
        const auto& rule = rules[place];
        if (rule->strategy != "fixpoint")
            continue;
        const Change change(*rule, table);
        if (!change.known()) {
            out.push_back({place, {}, true});
            continue;
        }
        std::vector<RuleCounts>& before = stages[rule->stage];
        const auto with = [&](const std::vector<const RuleCounts*>& others) {
            std::set<Count> rows; // what alike rules ask for is asked once
            rows.insert(change.forms().begin(), change.forms().end());
            for (const RuleCounts* other : others)
                rows.insert(other->rows.begin(), other->rows.end());
            return hasWeights({rows.begin(), rows.end()});
        };
        std::vector<const RuleCounts*> all;
        for (const RuleCounts& one : before)
            all.push_back(&one);
        if (with(all)) {
            before.push_back({rule->name, change.forms()});
            continue;
        }
        NotShownToEnd open{place, {}, !with({})};
        for (const RuleCounts* one : all)
            if (!open.alone && open.beside.empty() && !with({one}))
                open.beside = one->name;
        out.push_back(std::move(open));
    }
    return out;
}

} // namespace fw
