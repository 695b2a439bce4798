// Steps behind each other, from the last one up. Where several of them are repeated there are as
// many ways to divide what stands there among them as the counts allow; a place at which all that
// can come before was refused is refused on every way that leads to it.
#include "pattern/match.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace fw {

// A refusal counts if only steps of the sequence were asked, and if all that they read of what is
// bound was the same: what the steps behind the place took is not read before it, or they bound
// nothing.
class Matcher::Refused {
public:
    Refused(const Matcher& matcher, Part sequence)
        : m_matcher(matcher), m_sequence(sequence), m_before(bound()) {}

    bool countsAt(std::size_t step) const {
        return m_sequence->isFree[step] || bound() == m_before;
    }

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
    // Steps, repetitions taken up to as many as there must be, and where.
    using Place = std::tuple<std::size_t, std::int64_t, ValueRef>;

    static Place placeOf(const Previous& steps, ValueRef v) {
        const std::int64_t least = steps.sequence.arg(steps.count - 1).tree().low;
        return {steps.count, std::min(steps.taken, least), v};
    }

    std::size_t bound() const { // on one way names are only added
        return m_matcher.m_bound.size() + m_matcher.m_pending.size();
    }

    const Matcher& m_matcher;
    const Part m_sequence;
    const std::size_t m_before;
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

bool Matcher::wholeSequence(Part p, ValueRef v, const Previous* outer, const Next& next) {
    std::optional<Refused> refused;
    if (!p->isFree.empty())
        refused.emplace(*this, p);
    return sequence({p, p->args.size(), outer, nullptr, 0, refused ? &*refused : nullptr}, v, next);
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
        const Part step = steps.sequence.arg(steps.count - 1);
        const PatternTree& tree = step.tree();
        Previous before = steps;
        --before.count;
        before.taken = 0;
        if (tree.kind == PatternKind::Optional) {
            if (pattern(step.arg(0), v, &before, next))
                return true;
        } else if (tree.kind == PatternKind::Repeat) {
            if (steps.refused != nullptr && steps.refused->countsAt(steps.count - 1))
                return repeatedStep(steps, v, next);
            if (steps.taken < tree.high && onceMore(steps, v, next))
                return true;
            if (steps.taken < tree.low)
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
    const auto leaves = [&] {
        ++refused.left;
        return next();
    };
    const PatternTree& step = steps.sequence.arg(steps.count - 1).tree();
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
    Part step = steps.sequence.arg(steps.count - 1).arg(0);
    step.repetition += static_cast<int>(steps.taken);
    return pattern(step, v, &more, next);
}

} // namespace fw
