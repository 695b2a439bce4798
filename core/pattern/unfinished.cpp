#include "pattern/unfinished.h"

#include "pattern/repeated.h"

#include <algorithm>

namespace fw {

namespace {

constexpr int insideNumber = 1000000; // of names in a repetition that was begun: no other has it

bool readsPrevious(const PatternTree& p) {
    return p.kind == PatternKind::Previous ||
           std::any_of(p.args.begin(), p.args.end(), readsPrevious);
}

bool mayBeAbsent(const PatternTree& step) {
    return step.kind == PatternKind::Optional ||
           (step.kind == PatternKind::Repeat && step.low == 0);
}

PatternTree sequence(std::vector<PatternTree> steps) {
    if (steps.size() == 1 && steps.front().kind != PatternKind::Optional &&
        steps.front().kind != PatternKind::Repeat)
        return std::move(steps.front());
    PatternTree out;
    out.kind = PatternKind::Sequence;
    out.span = steps.back().span;
    out.args = std::move(steps);
    return out;
}

class Unfinished {
public:
    explicit Unfinished(std::set<std::string> listed) : m_listed(std::move(listed)) {}

    std::vector<PatternTree> of(const PatternTree& p) const {
        std::vector<PatternTree> out;
        const auto addFrom = [&](const PatternTree& part) {
            for (PatternTree& form : of(part))
                out.push_back(std::move(form));
        };
        switch (p.kind) {
        case PatternKind::Bind:
        case PatternKind::Optional:
            addFrom(p.args[0]);
            break;
        case PatternKind::Alternatives:
            for (const PatternTree& option : p.args)
                addFrom(option);
            break;
        case PatternKind::Call: // relu(clip(^)) is two steps
            for (const PatternTree& operand : p.args)
                if (operand.kind != PatternKind::Previous && readsPrevious(operand)) {
                    out.push_back(operand);
                    addFrom(operand);
                }
            break;
        case PatternKind::Repeat:
            addRepeat(p, out);
            break;
        case PatternKind::Sequence:
            addSequence(p, out);
            break;
        default:
            break;
        }
        return out;
    }

private:
    void addRepeat(const PatternTree& p, std::vector<PatternTree>& out) const {
        PatternTree before = p;
        before.low = 0;
        --before.high;
        if (p.low > 1) {
            PatternTree fewer = p;
            fewer.low = 1;
            fewer.high = p.low - 1;
            out.push_back(sequence({std::move(fewer)}));
        }
        for (PatternTree& form : of(p.args[0])) {
            nameRepetition(form, m_listed, [](int) { return insideNumber; });
            out.push_back(before.high > 0 ? sequence({before, std::move(form)}) : std::move(form));
        }
    }

    void addSequence(const PatternTree& p, std::vector<PatternTree>& out) const {
        for (std::size_t i = 0; i < p.args.size(); ++i) {
            const std::vector<PatternTree> head(p.args.begin(),
                                                p.args.begin() + static_cast<std::ptrdiff_t>(i));
            const auto add = [&](PatternTree last) {
                std::vector<PatternTree> steps = head;
                steps.push_back(std::move(last));
                out.push_back(sequence(std::move(steps)));
            };
            for (PatternTree& form : of(p.args[i]))
                add(std::move(form));
            if (!std::all_of(p.args.begin() + static_cast<std::ptrdiff_t>(i) + 1, p.args.end(),
                             mayBeAbsent))
                add(p.args[i]);
        }
    }

    std::set<std::string> m_listed;
};

} // namespace

std::optional<PatternTree> unfinished(const PatternTree& chain, const PatternTable& table) {
    const PatternTree whole = withDeclared(chain, table);
    std::vector<PatternTree> forms =
        Unfinished(repeatedNames({{"", whole}}, table).values).of(whole);
    if (forms.empty())
        return std::nullopt;
    if (forms.size() == 1)
        return std::move(forms.front());
    PatternTree out;
    out.kind = PatternKind::Alternatives;
    out.span = chain.span;
    out.args = std::move(forms);
    return out;
}

} // namespace fw
