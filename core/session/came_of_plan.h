// Inside session: what came of declarations that decide about groups and who computes them
// (what_came.h).
#pragma once

#include "session/came_rows.h"
#include "session/what_came.h"

#include <set>

namespace fw {

class CameOfPlan {
public:
    CameOfPlan(const CameIn& in, const NamedThrough& through, CameRows& rows)
        : m_in(in), m_through(through), m_rows(rows) {}

    void tell(const DeclarationPtr& declared, const std::string& file, const TextPlaces& places);

private:
    void ofTarget(const DeclarationTree& declared);
    void ofOperator(const std::string& name);
    void ofFuse(const FuseTree& tree);
    void ofFuseMatches(std::size_t rule, const FuseTree& tree);
    void ofGrow(const GrowTree& tree);
    void ofSchedule(const ScheduleTree& tree, const std::string& file, const TextPlaces& places);
    void ofEntries(const ImplementationsTree& tree, const std::string& file,
                   const TextPlaces& places);
    void ofPins(const PinTree& tree, const std::string& file, const TextPlaces& places);
    std::set<int> ofLibrary(const std::string& name); // the groups that were told
    void throughOthers(std::set<int> told);

    snapshot::CameRecord rowOf(const Group& group, snapshot::CameHow how, std::string why) const;
    void addGroup(const Group& group, snapshot::CameHow how, std::string why) {
        m_rows.add(rowOf(group, how, std::move(why)));
    }
    std::string whoMade(const Group& group) const; // "fuse pooled (my.fw:3)"; empty: growth

    const CameIn& m_in;
    const NamedThrough& m_through;
    CameRows& m_rows;
};

} // namespace fw
