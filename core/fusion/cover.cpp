// Dijkstra's algorithm over the sets of nodes that have run. From each, a piece may follow that has
// none of them and reads nothing else. Where a piece with the first node that has not run may
// follow, only such ones need to be looked at, unless another one with it has to wait.
#include "fusion/cover.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

namespace fw {

namespace {

using Nodes = std::vector<bool>; // by their place in the order of the graph

struct PlacedPiece {
    std::vector<std::size_t> nodes, reads; // places
};

struct Reached {
    double us = 0;
    const Nodes* from = nullptr;
    std::size_t by = 0; // the piece
    bool done = false;
};

class Search {
public:
    Search(const Graph& graph, const std::vector<CoverPiece>& given) : m_given(given) {
        std::set<NodeId> covered;
        for (const CoverPiece& piece : given)
            covered.insert(piece.nodes.begin(), piece.nodes.end());
        std::map<NodeId, std::size_t> places;
        for (const NodePtr& node : graph.nodes())
            if (covered.contains(node->id))
                places.emplace(node->id, places.size());
        m_count = places.size();
        m_with.resize(m_count);
        for (std::size_t p = 0; p < given.size(); ++p) {
            PlacedPiece& piece = m_pieces.emplace_back();
            const std::set<NodeId> own(given[p].nodes.begin(), given[p].nodes.end());
            std::set<std::size_t> reads;
            for (const NodeId id : own) {
                piece.nodes.push_back(places.at(id));
                m_with[places.at(id)].push_back(p);
                for (const ValueRef& input : graph.node(id).inputs)
                    if (input.valid() && !own.contains(input.node))
                        if (const auto place = places.find(input.node); place != places.end())
                            reads.insert(place->second);
            }
            piece.reads.assign(reads.begin(), reads.end());
        }
    }

    std::optional<Cover> run(std::size_t most) {
        reach(Nodes(m_count), {});
        while (!m_queue.empty()) {
            const auto [us, state] = m_queue.top();
            m_queue.pop();
            Reached& here = m_reached.at(*state);
            if (here.done)
                continue;
            here.done = true;
            const auto first = static_cast<std::size_t>(
                std::find(state->begin(), state->end(), false) - state->begin());
            if (first == m_count)
                return coverOf(*state);
            if (m_reached.size() > most)
                return std::nullopt;
            bool waits = false;
            for (const std::size_t piece : m_with[first])
                if (isFree(piece, *state) && !follow(piece, *state, us))
                    waits = true;
            for (std::size_t piece = 0; waits && piece < m_pieces.size(); ++piece)
                if (isFree(piece, *state))
                    follow(piece, *state, us);
        }
        return std::nullopt;
    }

private:
    bool isFree(std::size_t piece, const Nodes& state) const {
        const std::vector<std::size_t>& nodes = m_pieces[piece].nodes;
        return std::none_of(nodes.begin(), nodes.end(),
                            [&](std::size_t node) { return state[node]; });
    }

    // False if it has to wait.
    bool follow(std::size_t piece, const Nodes& state, double us) {
        const PlacedPiece& one = m_pieces[piece];
        if (!std::all_of(one.reads.begin(), one.reads.end(),
                         [&](std::size_t node) { return state[node]; }))
            return false;
        Nodes next = state;
        for (const std::size_t node : one.nodes)
            next[node] = true;
        reach(std::move(next), {us + m_given[piece].us, &state, piece});
        return true;
    }

    void reach(Nodes state, const Reached& how) {
        const auto [known, isNew] = m_reached.try_emplace(std::move(state), how);
        if (!isNew && known->second.us <= how.us)
            return;
        known->second = how;
        m_queue.push({how.us, &known->first});
    }

    Cover coverOf(const Nodes& end) const {
        Cover out;
        out.us = m_reached.at(end).us;
        const Nodes* state = &end;
        for (;;) {
            const Reached& reached = m_reached.at(*state);
            if (reached.from == nullptr)
                break;
            out.pieces.push_back(reached.by);
            state = reached.from;
        }
        std::reverse(out.pieces.begin(), out.pieces.end());
        return out;
    }

    const std::vector<CoverPiece>& m_given;
    std::vector<PlacedPiece> m_pieces;
    std::size_t m_count = 0;
    std::vector<std::vector<std::size_t>> m_with; // pieces, by the place of a node
    std::map<Nodes, Reached> m_reached;           // nodes of a map stay where they are
    using Entry = std::pair<double, const Nodes*>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> m_queue;
};

} // namespace

std::optional<Cover> bestCover(const Graph& graph, const std::vector<CoverPiece>& pieces,
                               std::size_t most) {
    return Search(graph, pieces).run(most);
}

} // namespace fw
