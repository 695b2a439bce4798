#include "verdict/overlap.h"

#include "ir/tensor_type.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace fw {

namespace {

constexpr std::size_t mostForms = 4;  // of one pattern with optional parts
constexpr std::size_t mostPlaces = 6; // overlaps of two patterns

bool isHole(const PatternTree& p) {
    return p.kind == PatternKind::Capture || p.kind == PatternKind::Any ||
           p.kind == PatternKind::Const;
}

PatternTree bound(const PatternTree& name, PatternTree value) {
    PatternTree out = name;
    out.kind = PatternKind::Bind;
    out.args = {std::move(value)};
    return out;
}

// Without `^`: what stands before a step is an operand of it. Forms that are not laid over one
// another are left out.
class Forms {
public:
    std::vector<PatternTree> of(const PatternTree& p, const std::optional<PatternTree>& previous) {
        std::vector<PatternTree> out;
        switch (p.kind) {
        case PatternKind::Previous:
            if (previous)
                out.push_back(*previous);
            break;
        case PatternKind::Any:
        case PatternKind::Const:
        case PatternKind::Capture:
            out.push_back(p);
            break;
        case PatternKind::Bind:
            for (PatternTree& value : of(p.args[0], previous))
                out.push_back(bound(p, std::move(value)));
            break;
        case PatternKind::Call:
            out = calls(p, previous);
            break;
        case PatternKind::Sequence:
            out = sequence(p, previous);
            break;
        case PatternKind::Alternatives:
            for (const PatternTree& one : p.args)
                append(out, of(one, previous));
            break;
        case PatternKind::Optional:
            out = of(p.args[0], previous);
            if (previous)
                append(out, {*previous});
            break;
        default:
            break;
        }
        out.resize(std::min(out.size(), mostForms));
        return out;
    }

private:
    static void append(std::vector<PatternTree>& to, std::vector<PatternTree> more) {
        to.insert(to.end(), more.begin(), more.end());
    }

    std::vector<PatternTree> calls(const PatternTree& p,
                                   const std::optional<PatternTree>& previous) {
        PatternTree call = p;
        call.args.clear();
        std::vector<PatternTree> out{call};
        for (const PatternTree& arg : p.args) {
            std::vector<PatternTree> longer;
            for (const PatternTree& operand : of(arg, previous))
                for (PatternTree& one : out) {
                    longer.push_back(one);
                    longer.back().args.push_back(operand);
                }
            longer.resize(std::min(longer.size(), mostForms));
            out = std::move(longer);
        }
        return out;
    }

    std::vector<PatternTree> sequence(const PatternTree& p,
                                      const std::optional<PatternTree>& previous) {
        std::vector<std::optional<PatternTree>> before{previous};
        std::vector<PatternTree> out;
        for (const PatternTree& step : p.args) {
            out.clear();
            for (const std::optional<PatternTree>& one : before)
                append(out, of(step, one));
            before.clear();
            for (PatternTree& one : out) { // it may be read several times
                PatternTree name;
                name.kind = PatternKind::Capture;
                name.value = true;
                name.name = "step" + std::to_string(m_steps++);
                before.push_back(isHole(one) ? one : bound(name, one));
            }
        }
        return out;
    }

    int m_steps = 0;
};

PatternTree marked(PatternTree p) {
    if (p.kind == PatternKind::Capture || p.kind == PatternKind::Bind)
        p.name += "'";
    for (PatternAttrTree& attr : p.attrs)
        if (attr.kind == PatternAttrTree::Kind::All)
            attr.name += "'";
    for (PatternTree& arg : p.args)
        arg = marked(std::move(arg));
    return p;
}

bool differ(const Tree& a, const Tree& b) { // as numbers that are written
    return a.kind == b.kind && ((a.kind == TreeKind::Int && a.integer != b.integer) ||
                                (a.kind == TreeKind::Float && a.real != b.real));
}

// Of dims that are written as numbers from one end on, up to "...".
template <class Iterator>
bool differBefore(Iterator a, Iterator aEnd, Iterator b, Iterator bEnd) {
    for (; a != aEnd && b != bEnd; ++a, ++b) {
        if (a->kind == TreeKind::Pack || b->kind == TreeKind::Pack)
            return false;
        if (differ(*a, *b))
            return true;
    }
    return false;
}

// Whether no value is both.
bool exclude(const PatternConstraint& a, const PatternConstraint& b) {
    using Kind = PatternConstraint::Kind;
    if (a.kind != Kind::Type || b.kind != Kind::Type)
        return false;
    const auto first = parseDtype(a.name), second = parseDtype(b.name);
    if (first && second && *first != *second)
        return true;
    const auto isPack = [](const Tree& dim) { return dim.kind == TreeKind::Pack; };
    return a.hasShape && b.hasShape &&
           ((std::none_of(a.dims.begin(), a.dims.end(), isPack) &&
             std::none_of(b.dims.begin(), b.dims.end(), isPack) &&
             a.dims.size() != b.dims.size()) ||
            differBefore(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end()) ||
            differBefore(a.dims.rbegin(), a.dims.rend(), b.dims.rbegin(), b.dims.rend()));
}

bool exclude(const PatternAttrTree& a, const PatternAttrTree& b) {
    return a.kind == PatternAttrTree::Kind::Equal && b.kind == PatternAttrTree::Kind::Equal &&
           a.name == b.name && differ(a.value, b.value);
}

template <class Demand>
bool excludeEachOther(const std::vector<Demand>& all, const std::vector<Demand>& others) {
    return std::any_of(all.begin(), all.end(), [&](const Demand& one) {
        return std::any_of(others.begin(), others.end(),
                           [&](const Demand& other) { return exclude(one, other); });
    });
}

// What `p` stands for is also demanded by `other`: the parts that are bound to one another are one
// value.
bool excludeEachOther(const PatternTree& p, const PatternTree& other) {
    return excludeEachOther(p.constraints, other.constraints) ||
           (other.kind == PatternKind::Bind && excludeEachOther(p, other.args[0]));
}

// What fits both, if something may.
std::optional<PatternTree> unified(const PatternTree& a, const PatternTree& b) {
    if (excludeEachOther(a, b) || excludeEachOther(a.attrs, b.attrs))
        return std::nullopt;
    if (a.kind == PatternKind::Bind) {
        auto value = unified(a.args[0], b);
        return value ? std::optional(bound(a, std::move(*value))) : std::nullopt;
    }
    if (b.kind == PatternKind::Bind || isHole(a) || !isHole(b)) {
        if (b.kind == PatternKind::Bind) {
            auto value = unified(a, b.args[0]);
            return value ? std::optional(bound(b, std::move(*value))) : std::nullopt;
        }
        if (isHole(a)) {
            if (!isHole(b) && (a.kind == PatternKind::Const || a.demandsConst()))
                return std::nullopt;
            if (a.kind != PatternKind::Capture)
                return isHole(b) && a.kind == PatternKind::Const ? a : b;
            return bound(a, b);
        }
    } else {
        return unified(b, a);
    }
    if (a.kind != PatternKind::Call || b.kind != PatternKind::Call ||
        a.args.size() != b.args.size() || (!a.ofKind && !b.ofKind && a.name != b.name))
        return std::nullopt;
    PatternTree out = a.ofKind ? b : a;
    out.attrs = a.attrs;
    out.attrs.insert(out.attrs.end(), b.attrs.begin(), b.attrs.end());
    for (std::size_t i = 0; i < a.args.size(); ++i) {
        auto operand = unified(a.args[i], b.args[i]);
        if (!operand)
            return std::nullopt;
        out.args[i] = std::move(*operand);
    }
    return out;
}

const PatternTree& withoutNames(const PatternTree& p) {
    return p.kind == PatternKind::Bind ? withoutNames(p.args[0]) : p;
}

// `inner` over each call of `p`; `whole` gives the pattern with something in the place of it.
void overEach(const PatternTree& p, const PatternTree& inner,
              const std::function<PatternTree(PatternTree)>& whole, std::vector<PatternTree>& out) {
    if (out.size() >= mostPlaces)
        return;
    if (p.kind == PatternKind::Call)
        if (auto both = unified(p, inner))
            out.push_back(whole(std::move(*both)));
    for (std::size_t i = 0; i < p.args.size(); ++i)
        overEach(
            p.args[i], inner,
            [&](PatternTree part) {
                PatternTree changed = p;
                changed.args[i] = std::move(part);
                return whole(std::move(changed));
            },
            out);
}

} // namespace

OverlapForms overlapForms(const PatternTree& pattern) {
    return {Forms().of(pattern, std::nullopt), Forms().of(marked(pattern), std::nullopt)};
}

std::vector<PatternTree> overlaps(const OverlapForms& outer, const OverlapForms& inner) {
    std::vector<PatternTree> out;
    for (const PatternTree& form : outer.outer)
        for (const PatternTree& over : inner.inner)
            if (withoutNames(over).kind == PatternKind::Call)
                overEach(
                    form, over, [](PatternTree part) { return part; }, out);
    return out;
}

} // namespace fw
