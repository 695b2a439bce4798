// Which nodes of a graph a query finds (node_query.h), and what may be typed at a place of one.
#pragma once

#include "snapshot/group_numbers.h"
#include "snapshot/node_query.h"
#include "snapshot/records.h"

#include <map>
#include <set>

namespace fw::snapshot {

class NodeSearch {
public:
    // Graph and plan live longer. Without a plan nothing is known of who computes a node, without a
    // profile no time; ids of the plan are those of a graph of stage "fused".
    NodeSearch(const GraphDocument& graph, const FuseDocument* plan, const ProfileDocument* profile,
               const VerifyDocument* verified = nullptr);

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
    bool holds(const QueryTerm& term, std::size_t node) const;
    bool holdsWord(const std::string& word, std::size_t node) const;
    bool holdsShape(const QueryTerm& term, const NodeRecord& node) const;
    std::vector<std::string> textsOf(const std::string& key, const NodeRecord& node) const;
    const GroupRecord* groupOf(const NodeRecord& node) const;
    Status checkKeys(const std::vector<QueryTerm>& query) const;
    std::set<std::string> attributeNames() const;

    const GraphDocument& m_graph;
    std::vector<std::string> m_words; // per node what words are looked for in, in lower case
    std::map<int, const GroupRecord*> m_groups;
    std::optional<GroupNumbers> m_numbers; // with a plan
    std::map<NodeId, std::set<std::string>> m_codes;
};

} // namespace fw::snapshot
