// What is known of groups in numbers: to find by (node_query.h), and to colour graphs by.
#pragma once

#include "snapshot/records.h"

#include <map>
#include <span>
#include <string_view>

namespace fw::snapshot {

struct GroupNumber {
    enum class Unit : std::uint8_t {
        Microseconds,
        Flops,
        Bytes,
        FlopsPerByte,
        PicosecondsPerFlop,
        OfAllowed // an error as a share of what is allowed
    };
    enum class Together : std::uint8_t { Sum, Most }; // what several groups have
    enum class From : std::uint8_t { Plan, Times, Verified };

    std::string_view key;      // of queries
    std::string_view title;    // for people: "estimated time"
    std::string_view sentence; // for people, with an example of a query
    Unit unit;
    Together together;
    From from;
};
std::span<const GroupNumber> groupNumbers();
const GroupNumber* groupNumber(std::string_view key); // null: there is none

class GroupNumbers {
public:
    // Without times nothing is known of what was measured, and so on. Read here only.
    GroupNumbers(const FuseDocument& plan, const ProfileDocument* times,
                 const VerifyDocument* verified);

    std::optional<double> of(const GroupNumber& number, int group) const;
    // Why no group has it: Usage; none: what it comes from is there.
    std::optional<Diag> missing(const GroupNumber& number) const;

private:
    struct Facts {
        std::optional<double> estUs, us, flops, bytes, error;
    };
    const bool m_hasTimes, m_isVerified;
    std::map<int, Facts> m_groups;
};

} // namespace fw::snapshot
