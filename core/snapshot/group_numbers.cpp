#include "snapshot/group_numbers.h"

#include <algorithm>

namespace fw::snapshot {

namespace {

using Together = GroupNumber::Together;
using From = GroupNumber::From;

constexpr GroupNumber numbers[] = {
    {"time", "time", "of its group, measured: time>1ms", GroupNumber::Unit::Microseconds,
     Together::Sum, From::Times},
    {"est", "estimated time", "of its group, estimated: est>50us", GroupNumber::Unit::Microseconds,
     Together::Sum, From::Plan},
    {"flops", "work", "of its group: flops>1G", GroupNumber::Unit::Flops, Together::Sum,
     From::Plan},
    {"bytes", "bytes moved", "that its group reads and writes: bytes>1MB", GroupNumber::Unit::Bytes,
     Together::Sum, From::Plan},
    {"intensity", "work per byte", "of its group, FLOP for each byte that it moves: intensity<4",
     GroupNumber::Unit::FlopsPerByte, Together::Most, From::Plan},
    {"pace", "time per operation", "of its group, picoseconds for each FLOP: pace>100",
     GroupNumber::Unit::PicosecondsPerFlop, Together::Most, From::Times},
    {"error", "error", "of its group, verified, as a share of what is allowed: error>0.5",
     GroupNumber::Unit::OfAllowed, Together::Most, From::Verified},
};

void add(std::optional<double>& sum, const std::optional<double>& one) {
    if (one)
        sum = sum.value_or(0) + *one;
}

std::optional<double> ratio(const std::optional<double>& a, const std::optional<double>& b) {
    return a && b && *b > 0 ? std::optional(*a / *b) : std::nullopt;
}

} // namespace

std::span<const GroupNumber> groupNumbers() {
    return numbers;
}

const GroupNumber* groupNumber(std::string_view key) {
    const auto found = std::find_if(std::begin(numbers), std::end(numbers),
                                    [&](const GroupNumber& number) { return number.key == key; });
    return found == std::end(numbers) ? nullptr : found;
}

GroupNumbers::GroupNumbers(const FuseDocument& plan, const ProfileDocument* times,
                           const VerifyDocument* verified)
    : m_hasTimes(times != nullptr), m_isVerified(verified != nullptr) {
    // Sizes that are free in the plan are known where it ran.
    std::map<int, Facts> ran;
    if (times != nullptr)
        for (const ProfileRow& row : times->rows) {
            Facts& facts = ran[row.groupId];
            add(facts.us, row.medianUs);
            add(facts.flops, row.flops);
            add(facts.bytes, row.bytes);
        }
    std::map<int, const GroupRecord*> planned;
    for (const GroupRecord& group : plan.groups) {
        planned[group.id] = &group;
        Facts& facts = m_groups[group.id] = ran[group.id];
        facts.estUs = group.estUs;
        if (group.flops)
            facts.flops = group.flops;
        if (group.bytes)
            facts.bytes = group.bytes;
    }
    if (verified == nullptr)
        return;
    for (const VerifyModel& model : verified->models)
        for (const VerifyRow& row : model.rows)
            for (const int id : row.groups)
                if (const auto group = planned.find(id);
                    group != planned.end() &&
                    row.implementation == group->second->implementation.str())
                    m_groups[id].error = row.share;
}

std::optional<double> GroupNumbers::of(const GroupNumber& number, int group) const {
    const auto found = m_groups.find(group);
    if (found == m_groups.end())
        return std::nullopt;
    const Facts& facts = found->second;
    switch (number.unit) {
    case GroupNumber::Unit::Microseconds:
        return number.from == From::Times ? facts.us : facts.estUs;
    case GroupNumber::Unit::Flops:
        return facts.flops;
    case GroupNumber::Unit::Bytes:
        return facts.bytes;
    case GroupNumber::Unit::FlopsPerByte:
        return ratio(facts.flops, facts.bytes);
    case GroupNumber::Unit::PicosecondsPerFlop:
        if (const auto out = ratio(facts.us, facts.flops))
            return *out * 1e6;
        return std::nullopt;
    case GroupNumber::Unit::OfAllowed:
        return facts.error;
    }
    return std::nullopt;
}

std::optional<Diag> GroupNumbers::missing(const GroupNumber& number) const {
    if (number.from == From::Times && !m_hasTimes)
        return makeDiag(DiagCode::Usage, "no time was measured yet", {},
                        "compile and profile, or ask for what is estimated");
    if (number.from == From::Verified && !m_isVerified)
        return makeDiag(DiagCode::Usage, "nothing was verified yet", {},
                        "Profile > Verify the candidates");
    return std::nullopt;
}

} // namespace fw::snapshot
