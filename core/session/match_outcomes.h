// What became of the matches that rules have in a model before it is rewritten.
#pragma once

#include "rewrite/driver.h"
#include "snapshot/book_records.h"

#include <map>
#include <unordered_map>

namespace fw {

struct MatchOutcome {
    snapshot::CameHow how; // empty: nothing is known of it
    Decision decision;
};

class MatchOutcomes {
public:
    // Which both stay alive. `before`: the graph of the matches, which `trace` rewrote.
    MatchOutcomes(const Graph& before, const RewriteTrace& trace);

    // Of the match of a rule with these nodes.
    MatchOutcome of(std::size_t entry, std::vector<NodeId> nodes) const;

private:
    struct Touched {
        NodeId node = -1;
        std::size_t application = 0;
    };
    using Touching = std::unordered_map<NodeId, std::size_t>; // by node, the first application
    static std::optional<Touched> first(const Touching& touching, const std::vector<NodeId>& nodes);
    std::string byWhom(const Touched& touched, std::size_t entry, std::string_view how) const;

    const Graph& m_before;
    const RewriteTrace& m_trace;
    Touching m_takers, m_changers;
    std::map<std::pair<std::size_t, NodeId>, const NotApplied*> m_refused; // by entry and root
};

// The entry of a rule in the trace; nullopt: it was not asked.
std::optional<std::size_t> entryOf(const RewriteTrace& trace, const std::string& rule,
                                   const std::string& file);

// Of rules: MatchRecord::came and outcome say which application took the match, or a part of it
// before, or why it was not applied.
void tellOutcomes(const Graph& before, const RewriteTrace& trace, snapshot::MatchDocument& out);

// Which rules made operators of matches that there are behind them; in the order of the book.
std::vector<std::string> makersOf(const std::vector<Match>& matches, const RewriteTrace& trace);
// Which rules took operators of matches that there are before them; likewise.
std::vector<std::string> takersOf(const Graph& before, const std::vector<Match>& matches,
                                  const RewriteTrace& trace);

} // namespace fw
