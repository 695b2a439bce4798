#include "tensor/condition_values.h"

#include <algorithm>
#include <set>

namespace fw {

namespace {

// NAME sign value, or NAME % modulus sign value
struct Bound {
    std::optional<std::int64_t> modulus;
    std::string_view sign;
    std::int64_t value = 0;

    bool holds(std::int64_t of) const {
        const std::int64_t x = modulus ? of % *modulus : of;
        return sign == "=="   ? x == value
               : sign == "!=" ? x != value
               : sign == "<"  ? x < value
               : sign == "<=" ? x <= value
               : sign == ">"  ? x > value
                              : x >= value;
    }
};

struct Asked {
    std::vector<Bound> bounds;
    std::vector<TermValue> others; // that are no integers, or one of several
};

std::string_view flipped(std::string_view sign) {
    return sign == "<" ? ">" : sign == "<=" ? ">=" : sign == ">" ? "<" : sign == ">=" ? "<=" : sign;
}

std::optional<std::int64_t> integerOf(const std::optional<TermValue>& value) {
    const auto* integer = value ? std::get_if<Expr>(&*value) : nullptr;
    return integer == nullptr ? std::nullopt : integer->asInt();
}

class Reader {
public:
    void read(const Tree& condition) {
        if (condition.isName())
            m_asked[condition.text].bounds.push_back({{}, "==", 1});
        if (condition.kind != TreeKind::Binary)
            return;
        const Tree &left = condition.args[0], &right = condition.args[1];
        if (condition.text == "&&" || condition.text == "||") {
            read(left);
            read(right);
        } else if (condition.text == "in" && left.isName()) {
            for (const Tree& one : right.args)
                if (auto value = evaluate(one, {}))
                    m_asked[left.text].others.push_back(std::move(*value));
        } else {
            compare(left, condition.text, right);
            compare(right, flipped(condition.text), left);
        }
    }

    AskedValues values() const {
        AskedValues out;
        for (const auto& [name, asked] : m_asked) {
            std::vector<TermValue> all = asked.others;
            for (const std::int64_t value : integers(asked.bounds))
                all.emplace_back(Expr(value));
            if (!all.empty())
                out.emplace(name, std::move(all));
        }
        return out;
    }

private:
    static constexpr std::size_t most = 4; // of one name
    static constexpr std::int64_t largest = std::int64_t(1) << 40;

    void compare(const Tree& left, std::string_view sign, const Tree& right) {
        static const std::set<std::string_view> known = {"==", "!=", "<", "<=", ">", ">="};
        auto value = known.contains(sign) ? evaluate(right, {}) : std::nullopt;
        if (!value)
            return;
        const auto integer = integerOf(value);
        if (integer && (*integer > largest || *integer < -largest))
            return;
        if (left.isName() && integer)
            m_asked[left.text].bounds.push_back({{}, sign, *integer});
        else if (left.isName() && sign == "==")
            m_asked[left.text].others.push_back(std::move(*value));
        else if (integer && left.kind == TreeKind::Binary && left.text == "%" &&
                 left.args[0].isName())
            if (const auto modulus = integerOf(evaluate(left.args[1], {})); modulus && *modulus > 0)
                m_asked[left.args[0].text].bounds.push_back({modulus, sign, *integer});
    }

    static std::vector<std::int64_t> integers(const std::vector<Bound>& bounds) {
        std::set<std::int64_t> near;
        std::int64_t step = 1;
        for (const Bound& bound : bounds) {
            if (bound.modulus && step < 1024)
                step *= std::min<std::int64_t>(*bound.modulus, 1024);
            for (std::int64_t beside = -1; beside <= 2; ++beside)
                near.insert(bound.value + beside);
        }
        const auto holds = [](std::int64_t value) {
            return [value](const Bound& bound) { return bound.holds(value); };
        };
        std::set<std::int64_t> found;
        for (const std::int64_t value : near) {
            int here = 0;
            for (std::int64_t i = 0; i <= 2 * step && here < 2; ++i)
                if (std::all_of(bounds.begin(), bounds.end(), holds(value + i)))
                    here += found.insert(value + i).second;
        }
        if (found.empty()) // one side of || only
            for (const std::int64_t value : near)
                if (std::any_of(bounds.begin(), bounds.end(), holds(value)))
                    found.insert(value);
        std::vector<std::int64_t> out(found.begin(), found.end());
        std::rotate(out.begin(), std::lower_bound(out.begin(), out.end(), 0), out.end());
        out.resize(std::min(out.size(), most)); // attributes may be negative, extents may not
        return out;
    }

    std::map<std::string, Asked> m_asked;
};

} // namespace

AskedValues askedValues(const std::vector<const Tree*>& conditions) {
    Reader reader;
    for (const Tree* condition : conditions)
        reader.read(*condition);
    return reader.values();
}

} // namespace fw
