// Rules that undo each other, or one that makes again what it matches: parts of the graph that come
// back.
//
// A part is known by its operators, their attributes and its small constants; what it reads from
// outside, by where that comes from. A part that returns, made by a chain of applications that
// began with it and took out nothing but what they had made, returns without end: the same rules
// find the same. relu(relu(x)) in a long row of relus returns, too, but each time one of the row is
// gone.
#pragma once

#include "rewrite/progress.h"

#include <functional>

namespace fw {

// Some operators of a graph, and the values of them that others read.
struct Subgraph {
    std::vector<ValueRef> results;
    std::function<bool(NodeId)> inside; // which nodes belong to it
    bool isNamed = false;               // what its nodes are called belongs to it, too
};

Hash hashOf(const Graph& graph, const Subgraph& part);
// As the text of a graph, which reads what comes from outside as its inputs.
std::string textOf(const Graph& graph, const Subgraph& part);

class RuleCycles {
public:
    explicit RuleCycles(const RewriteProgress& progress) : m_progress(progress) {}

    // Every application, in order; `before`: the hash of the part that it takes out.
    void add(const Hash& before);
    void follow(); // those that were not added take no part out
    // The applications that lead from the last one that took such a part out to these nodes, the
    // first one first; empty if there is none. `takenOut`: of the nodes, those that go.
    std::vector<std::size_t> chainTo(const std::vector<NodePtr>& matched,
                                     const std::vector<NodeId>& takenOut, const Hash& part) const;

private:
    struct Taken {
        std::vector<std::size_t> makers; // of what was matched
        // Of what was taken out; nothing: some of it stood in the graph from the start.
        std::optional<std::vector<std::size_t>> makersOfGone;
        Hash part;
    };
    // Whether all that went since an application, and `takenOut`, was made since then.
    bool isClosed(std::size_t since, const std::vector<NodeId>& takenOut) const;
    std::optional<std::vector<std::size_t>> makersOfAll(const std::vector<NodeId>& nodes) const;
    std::vector<std::size_t> makersOf(const std::vector<NodePtr>& matched) const;

    const RewriteProgress& m_progress;
    std::vector<Taken> m_taken; // by application
};

} // namespace fw
