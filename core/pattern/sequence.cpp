// Steps behind each other, from the last one up. Where several of them are repeated there are as
// many ways to divide what stands there among them as the counts allow; a place at which all that
// can come before was refused is refused on every way that leads to it.
#include "pattern/match.h"
#include "pattern/repeated.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace fw {

namespace {

// More of them than this are matched without it: a step of the text is then none of the stack.
constexpr std::size_t mostRepeated = 16;

void namesIn(const PatternTree& p, std::set<std::string>& out) {
    if (p.kind == PatternKind::Capture || p.kind == PatternKind::Bind)
        out.insert(writtenName(p.name));
    for (const PatternTree& part : p.args)
        namesIn(part, out);
}

// Beside values it may bind attributes, dims and element types.
bool bindsMore(const PatternTree& p) {
    return !p.attrs.empty() || !p.constraints.empty() ||
           std::any_of(p.args.begin(), p.args.end(), bindsMore);
}

} // namespace

// A refusal counts if only steps of the sequence were asked, and if all that they read of what is
// bound was the same: what the steps behind the place took is not read before it, or they bound
// nothing.
class Matcher::Refused {
public:
    Refused(const Matcher& matcher, const PatternTree& sequence)
        : m_matcher(matcher), m_before(bound()) {
        const std::vector<PatternTree>& steps = sequence.args;
        std::vector<std::set<std::string>> names(steps.size());
        for (std::size_t i = 0; i < steps.size(); ++i)
            namesIn(steps[i], names[i]);
        const std::set<std::string>& listed = matcher.m_repeated->values;
        std::set<std::string> before; // of the steps before the one that is looked at
        for (std::size_t i = 0; i < steps.size(); ++i) {
            std::set<std::string> behind;
            bool free = true;
            for (std::size_t k = i; k < steps.size(); ++k) {
                free = free && !bindsMore(steps[k]);
                if (k > i)
                    behind.insert(names[k].begin(), names[k].end());
            }
            const auto apart = [](const std::set<std::string>& some,
                                  const std::set<std::string>& others) {
                return std::none_of(some.begin(), some.end(),
                                    [&](const std::string& name) { return others.contains(name); });
            };
            m_free.push_back(
                free && apart(names[i], behind) && apart(names[i], before) &&
                apart(behind, before) &&
                std::includes(listed.begin(), listed.end(), names[i].begin(), names[i].end()));
            before.insert(names[i].begin(), names[i].end());
        }
    }

    // Worth it, and sound: behind the first step each one takes the operator that it stands at and
    // nothing beside it, so that no other way can have taken what is before.
    static bool isFor(const PatternTree& sequence, const PatternTable& table) {
        const auto repeated = static_cast<std::size_t>(
            std::count_if(sequence.args.begin(), sequence.args.end(),
                          [](const PatternTree& p) { return p.kind == PatternKind::Repeat; }));
        return repeated > 0 && repeated <= mostRepeated &&
               std::all_of(sequence.args.begin() + 1, sequence.args.end(),
                           [&](const PatternTree& p) { return takesOne(p, table); });
    }

    bool countsAt(std::size_t step) const { return m_free[step] || bound() == m_before; }

    // With enough repetitions taken, fewer are no worse: what may come before is the same, and more
    // of them may come first. So the fewest that were refused stand for those above them.
    bool refuses(const Previous& steps, ValueRef v) const {
        const auto known = m_fewest.find(placeOf(steps, v));
        return known != m_fewest.end() && steps.taken >= known->second;
    }
    void refuse(const Previous& steps, ValueRef v) {
        const auto [known, isNew] = m_fewest.emplace(placeOf(steps, v), steps.taken);
        if (!isNew)
            known->second = std::min(known->second, steps.taken);
    }

    std::size_t left = 0; // how often what is around the sequence was asked

private:
    using Bound = std::array<std::size_t, 5>;
    // Steps, repetitions taken up to as many as there must be, and where.
    using Place = std::tuple<std::size_t, std::int64_t, ValueRef>;

    static Place placeOf(const Previous& steps, ValueRef v) {
        const PatternTree& step = steps.sequence->args[steps.count - 1];
        return {steps.count, std::min<std::int64_t>(steps.taken, step.low), v};
    }

    Bound bound() const { // on one way names are only added
        const MatchBindings& all = m_matcher.m_bindings;
        return {all.values.size(), all.attrs.size(), all.attrValues.size(), all.terms.size(),
                m_matcher.m_pending.size()};
    }

    static bool takesOne(const PatternTree& p, const PatternTable& table) {
        const auto isLeaf = [&](const PatternTree& part) {
            return part.args.empty() && part.kind != PatternKind::Call &&
                   (part.kind != PatternKind::Capture || part.value || !table.contains(part.name));
        };
        switch (p.kind) {
        case PatternKind::Call:
            return (p.ofKind || !table.contains(p.name)) &&
                   std::all_of(p.args.begin(), p.args.end(), isLeaf);
        case PatternKind::Alternatives:
        case PatternKind::Optional:
        case PatternKind::Repeat:
        case PatternKind::Bind:
            return std::all_of(p.args.begin(), p.args.end(),
                               [&](const PatternTree& part) { return takesOne(part, table); });
        default:
            return false;
        }
    }

    const Matcher& m_matcher;
    const Bound m_before;
    std::vector<char> m_free; // by step: what it and those behind it bind is not read before
    std::map<Place, std::int64_t> m_fewest;
};

bool Matcher::previousValue(ValueRef v, const Previous* previous, const Next& next) {
    if (previous == nullptr)
        return v.valid() && next(); // the first step of a chain: whatever comes in
    if (previous->entries != nullptr) {
        previous->entries->push_back({v});
        if (v.valid() && next())
            return true;
        previous->entries->pop_back();
        return false;
    }
    return sequence(*previous, v, next);
}

bool Matcher::wholeSequence(const PatternTree& p, ValueRef v, const Previous* outer,
                            const Next& next) {
    std::optional<Refused> refused;
    if (Refused::isFor(p, m_table))
        refused.emplace(*this, p);
    return sequence({&p, p.args.size(), outer, nullptr, 0, refused ? &*refused : nullptr}, v, next);
}

bool Matcher::sequence(Previous steps, ValueRef v, const Next& next) {
    // A loop, since steps that may be left out are as many as the text likes.
    for (;; --steps.count, steps.taken = 0) {
        if (++m_steps > m_options.budget)
            return false;
        if (steps.count == 0) {
            if (steps.refused != nullptr)
                ++steps.refused->left;
            return previousValue(v, steps.outer, next);
        }
        const PatternTree& step = steps.sequence->args[steps.count - 1];
        Previous before = steps;
        --before.count;
        before.taken = 0;
        if (step.kind == PatternKind::Optional) {
            if (pattern(step.args[0], v, &before, next))
                return true;
        } else if (step.kind == PatternKind::Repeat) {
            if (steps.refused != nullptr && steps.refused->countsAt(steps.count - 1))
                return repeatedStep(steps, v, next);
            if (steps.taken < step.high && onceMore(steps, v, next))
                return true;
            if (steps.taken < step.low)
                return false;
        } else {
            return pattern(step, v, &before, next);
        }
    }
}

// The last of these steps once more, or what is before it; nothing if that was refused here.
bool Matcher::repeatedStep(const Previous& steps, ValueRef v, const Next& next) {
    Refused& refused = *steps.refused;
    if (refused.refuses(steps, v))
        return false;
    const std::size_t left = refused.left;
    const Next leaves = [&] {
        ++refused.left;
        return next();
    };
    const PatternTree& step = steps.sequence->args[steps.count - 1];
    if (steps.taken < step.high && onceMore(steps, v, leaves))
        return true;
    Previous before = steps;
    --before.count;
    before.taken = 0;
    if (steps.taken >= step.low && sequence(before, v, leaves))
        return true;
    if (refused.left == left)
        refused.refuse(steps, v);
    return false;
}

bool Matcher::onceMore(const Previous& steps, ValueRef v, const Next& next) {
    Previous more = steps;
    ++more.taken;
    const PatternTree& step = steps.sequence->args[steps.count - 1].args[0];
    if (steps.taken == 0 || m_repeated->values.empty())
        return pattern(step, v, &more, next);
    PatternTree again = step;
    nameEarlierRepetition(again, m_repeated->values, static_cast<int>(steps.taken));
    return pattern(again, v, &more, next);
}

} // namespace fw
