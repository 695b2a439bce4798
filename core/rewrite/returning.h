// Rules that undo each other, or one that makes again what it matches: parts of the graph that come
// back.
//
// A part is known by its operators, their attributes and its small constants; what it reads from
// outside, by where that comes from. A part that returns, made by a chain of applications that
// began with it, returns without end: the same rules find the same. Whatever such a chain is about,
// what lies nearest to the inputs reads the same values in every round, so it is always found.
#pragma once

#include "rewrite/progress.h"

#include <functional>

namespace fw {

// Some operators of a graph, and the values of them that others read.
struct Part {
    std::vector<ValueRef> results;
    std::function<bool(NodeId)> inside; // which nodes belong to it
};

Hash partHash(const Graph& graph, const Part& part);
// As the text of a graph, which reads what comes from outside as its inputs.
std::string partText(const Graph& graph, const Part& part);

class Returning {
public:
    explicit Returning(const Progress& progress) : m_progress(progress) {}

    // Every application, in order; `before`: the hash of the part that it takes out.
    void add(const std::vector<NodePtr>& matched, const Hash& before);
    void follow(); // those that were not added take no part out
    // The applications that lead from the last one that took such a part out to these nodes, the
    // first one first; empty if there is none.
    std::vector<std::size_t> chainTo(const std::vector<NodePtr>& matched, const Hash& part) const;

private:
    struct Taken {
        std::vector<std::size_t> makers; // of what was matched
        Hash part;
    };
    std::vector<std::size_t> makersOf(const std::vector<NodePtr>& matched) const;

    const Progress& m_progress;
    std::vector<Taken> m_taken; // by application
};

} // namespace fw
