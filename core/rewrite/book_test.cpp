#include "rewrite/book_test.h"

#include "ir/graph_text.h"
#include "ir/same_structure.h"
#include "rewrite/apply.h"
#include "rewrite/builtin.h"
#include "rewrite/matches.h"
#include "rewrite/same_values.h"
#include "syntax/declarations.h"
#include "syntax/lexer.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr double mostFlops = 50e6; // what the reference is asked to evaluate

double flopsOf(const Graph& graph) {
    double total = 0;
    for (const NodePtr& node : graph.nodes())
        if (!node->isInput() && !node->isConstant())
            if (const auto facts = graph.operators().find(node->op)->facts(callOf(graph, *node)))
                total += facts->flops + 12 * facts->transcendentals + facts->bytesWritten;
    return total;
}

// "b, a; c, b": the values of each match, its roots first; a few of each.
std::string matchesText(const Graph& graph, const std::vector<Match>& matches) {
    constexpr std::size_t most = 4;
    std::string out;
    for (std::size_t i = 0; i < std::min(matches.size(), most); ++i) {
        out += i > 0 ? "; " : "";
        const std::vector<NodeId>& nodes = matches[i].nodes;
        for (std::size_t k = 0; k < std::min(nodes.size(), most); ++k)
            out += (k > 0 ? ", " : "") + nameOrQuoted(graph.node(nodes[k]).outputs.front().name);
        out += nodes.size() > most ? ", ..." : "";
    }
    if (matches.size() > most)
        out += fmt::format("; and {} more", matches.size() - most);
    return out.empty() ? out : "it matches the operators of " + out;
}

class TestRun {
public:
    TestRun(const TestTree& test, const TestSurroundings& around)
        : m_test(test), m_around(around) {}

    CheckedItem run() {
        m_item.name = m_test.name;
        m_item.kind = kindOf(m_test).noun;
        m_item.span = m_test.span;
        m_item.verdict = "ok";
        if (const Status status = prepare(); !status)
            refuse(status.diag());
        else
            for (const ExpectTree& expect : m_test.expects)
                if (const Status done = check(expect); !done)
                    refuse(done.diag());
        return std::move(m_item);
    }

private:
    Where place(const Span& span) const { return {m_around.file, {}, span.line, span.column}; }

    void refuse(Diag diag) {
        m_item.verdict = "refused";
        m_item.diagnostics.push_back(diag.at(place(m_test.span)));
    }
    void fail(DiagCode code, std::string message, const Span& span, std::string hint = {}) {
        if (m_item.verdict == "ok")
            m_item.verdict = "failed";
        m_item.diagnostics.push_back(
            makeDiag(code, std::move(message), place(span), std::move(hint)));
    }

    Status prepare() {
        const auto& among = m_test.of.empty() ? m_around.before : m_around.declared;
        for (const DeclarationPtr& declaration : among)
            if (kindOf(*declaration).canBeTested &&
                (m_test.of.empty() || declaration->name == m_test.of))
                m_subject = declaration;
        if (!m_subject)
            return makeDiag(DiagCode::TextName,
                            m_test.of.empty()
                                ? std::string("nothing before this test can match")
                                : "there is no rule, pattern, chain or built-in rewrite named " +
                                      m_test.of,
                            {}, "test \"...\" of NAME { ... }");
        Diags problems;
        byKind(
            *m_subject,
            [&](const RuleTree& rule) {
                problems = checkRule(rule, *m_around.operators, m_around.patterns, m_around.file);
            },
            [&](const PatternDeclTree& pattern) {
                problems =
                    checkPattern(pattern, *m_around.operators, m_around.patterns, m_around.file);
            });
        if (hasErrors(problems))
            return makeDiag(DiagCode::RuleIllegal, m_subject->name + " cannot be tested", {},
                            problems.front().message);
        FW_TRY(m_graph, graphOf(*m_test.graph));
        return {};
    }

    // Of what is wrong with it the first is returned, and the rest told here.
    Result<GraphPtr> graphOf(const GraphTree& tree) {
        GraphTextOptions options;
        Diags errors;
        options.file = m_around.file;
        options.errors = &errors;
        Result<GraphPtr> out = elaborateGraph(tree, m_around.operators, options);
        for (std::size_t i = 1; i < errors.size(); ++i)
            refuse(std::move(errors[i]));
        return out;
    }

    Result<Rewritten> applied(const DeclarationPtr& entry, const GraphPtr& graph) const {
        RuleBook book;
        book.entries = {entry};
        for (const auto& pattern : each<PatternDeclTree>(m_around.declared))
            if (const auto known = m_around.patterns.find(pattern->name);
                known != m_around.patterns.end() && known->second == pattern.get())
                book.patterns.push_back(pattern);
        RewriteOptions options;
        options.time = std::chrono::milliseconds(5000);
        FW_TRY(Rewritten out, rewriteGraph(graph, book, options));
        for (const Decision& decision : out.trace.decisions)
            if (decision.code == ReasonCode::RuleUndone)
                return makeDiag(DiagCode::RuleIllegal, decision.evidence);
        return out;
    }

    Status check(const ExpectTree& expect) {
        switch (expect.kind) {
        case ExpectKind::Match:
            return count(expect, static_cast<std::size_t>(expect.count));
        case ExpectKind::None:
            return count(expect, 0);
        case ExpectKind::Becomes:
            return becomes(expect);
        }
        return {};
    }

    Status count(const ExpectTree& expect, std::size_t wanted) {
        std::size_t got = 0;
        std::string reason, matched;
        if (isA<BuiltinTree>(*m_subject)) {
            FW_TRY(const Rewritten out, applied(m_subject, m_graph));
            for (const AppliedRule& rule : out.trace.applied)
                got += rule.count;
        } else {
            const FoundMatches found = findMatches(*m_graph, *m_subject, m_around.patterns);
            if (!found.problems.empty())
                return found.problems.front();
            got = found.matches.size() + (wanted > 0 ? found.unchanged : 0);
            matched = matchesText(*m_graph, found.matches);
            if (!found.nearMisses.empty())
                reason = missText(*m_graph, found.nearMisses.front());
        }
        if (got != wanted)
            fail(DiagCode::OutputsDiffer,
                 fmt::format("{} matches {} times, {} expected", m_subject->name, got, wanted),
                 expect.span,
                 got > wanted || reason.empty() ? matched
                 : matched.empty()              ? reason
                                                : matched + "; " + reason);
        else if (reason.find(expect.reason) == std::string::npos)
            fail(DiagCode::OutputsDiffer,
                 fmt::format("the nearest miss does not say \"{}\"", expect.reason), expect.span,
                 reason.empty() ? "nothing of it matches" : reason);
        return {};
    }

    Status becomes(const ExpectTree& expect) {
        if (!isA<RuleTree>(*m_subject) && !isA<BuiltinTree>(*m_subject))
            return makeDiag(DiagCode::RuleIllegal, "a " + m_subject->keyword + " changes no graph",
                            place(expect.span), "expect match N or none");
        FW_TRY(const GraphPtr wanted, graphOf(*expect.graph));
        FW_TRY(const Rewritten out, applied(m_subject, m_graph));
        if (out.trace.stopReason != "fixpoint")
            fail(DiagCode::RuleLimit, out.trace.stopReason, expect.span);
        RuleBook folding;
        const auto fold = std::make_shared<BuiltinTree>();
        fold->name = "fold_constants";
        folding.entries = {fold};
        FW_TRY(const Rewritten left, rewriteGraph(out.graph, folding, {}));
        FW_TRY(const Rewritten right, rewriteGraph(wanted, folding, {}));
        if (const std::string said = structuralDifference(*left.graph, *right.graph); !said.empty())
            fail(DiagCode::OutputsDiffer, said, expect.span, printGraph(*out.graph));
        bool changes = false;
        byKind(*m_subject, [&](const RuleTree& rule) { changes = rule.changes; });
        if (changes || flopsOf(*m_graph) > mostFlops || flopsOf(*out.graph) > mostFlops)
            return {};
        FW_TRY(const std::string said, valueDifference(*m_graph, *out.graph));
        if (!said.empty())
            fail(DiagCode::OutputsDiffer,
                 m_subject->name + " changes what the graph computes: " + said, expect.span);
        return {};
    }

    const TestTree& m_test;
    const TestSurroundings& m_around;
    DeclarationPtr m_subject;
    GraphPtr m_graph;
    CheckedItem m_item;
};

} // namespace

CheckedItem runBookTest(const TestTree& test, const TestSurroundings& around) {
    return TestRun(test, around).run();
}

} // namespace fw
