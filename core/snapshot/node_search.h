// Which nodes of a graph a query finds (node_query.h), and what may be typed at a place of one.
#pragma once

#include "snapshot/node_query.h"
#include "snapshot/records.h"

#include <map>
#include <set>

namespace fw::snapshot {

class NodeSearch {
public:
    // All live longer. Without a plan nothing is known of who computes a node, without a profile no
    // time; ids of the plan are those of a graph of stage "fused".
    NodeSearch(const GraphDocument& graph, const FuseDocument* plan,
               const ProfileDocument* profile);

    // In the order of the graph, without constants: who reads one that is found by words alone
    // stands for it. Takes time linear in the nodes. Usage: a key that no node has, or a fact that
    // is not known yet.
    Result<std::vector<NodeId>> find(const std::vector<QueryTerm>& query) const;

    // What the word in front of `caret` may become.
    struct Completion {
        std::string text;          // the whole query
        std::string shown, detail; // for people: "op:conv2d", "53"
        std::size_t caret = 0;
    };
    std::vector<Completion> complete(std::string_view text, std::size_t caret) const;

private:
    struct GroupFacts {
        const GroupRecord* plan = nullptr;
        std::optional<double> us; // measured
    };
    bool holds(const QueryTerm& term, std::size_t node) const;
    bool holdsWord(const std::string& word, std::size_t node) const;
    bool holdsShape(const QueryTerm& term, const NodeRecord& node) const;
    std::optional<double> numberOf(std::string_view key, const NodeRecord& node) const;
    std::vector<std::string> textsOf(const std::string& key, const NodeRecord& node) const;
    const GroupFacts* groupOf(const NodeRecord& node) const;
    Status checkKeys(const std::vector<QueryTerm>& query) const;
    std::set<std::string> attributeNames() const;

    const GraphDocument& m_graph;
    const bool m_hasPlan, m_hasTimes;
    std::vector<std::string> m_words; // per node what words are looked for in, in lower case
    std::map<int, GroupFacts> m_groups;
    std::map<NodeId, std::set<std::string>> m_codes;
};

} // namespace fw::snapshot
