#include "session/match.h"

#include "base/declaration_kind.h"
#include "fusion/plan.h"
#include "library/library.h"
#include "rewrite/apply.h"
#include "rewrite/embedded.h"
#include "rewrite/matches.h"
#include "session/book_texts.h"
#include "session/match_outcomes.h"
#include "session/match_records.h"
#include "session/match_schedule.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using namespace snapshot;

constexpr double defaultSeconds = 2;
constexpr std::int64_t defaultLimit = 10000;

bool isRule(const DeclarationTree& declaration) {
    return isA<RuleTree>(declaration);
}

// What decides about groups looks at the graph that the rules leave; a rule that finds nothing
// in front of them may find something there.
void tellBehindRules(const Simplified& behind, const DeclarationTree& declaration,
                     const PatternTable& table, const MatchLimits& limits, RuleMatches& out) {
    const FoundMatches found = findMatches(*behind.graph, declaration, table,
                                           limitsOn(*behind.graph, declaration, limits));
    if (isRule(declaration) && found.matches.empty())
        return;
    out.behindRules = static_cast<std::int64_t>(found.matches.size());
    out.madeBy = makersOf(found.matches, behind.trace);
}

// What is not found behind the rules may have been there before them.
void tellBeforeRules(const Graph& before, const Simplified& behind,
                     const DeclarationTree& declaration, const PatternTable& table,
                     const MatchLimits& limits, RuleMatches& out) {
    const FoundMatches found =
        findMatches(before, declaration, table, limitsOn(before, declaration, limits));
    if (found.matches.empty())
        return;
    out.beforeRules = static_cast<std::int64_t>(found.matches.size());
    out.takenBy = takersOf(before, found.matches, behind.trace);
}

// Nodes inside a call are told by the call, which is what the imported graph has.
void tellCalls(const Imported& imported, MatchDocument& out) {
    if (imported.graph == imported.inlined)
        return;
    const auto tell = [&](NodeId& id) {
        const Node* inside = imported.graph->find(id) ? nullptr : imported.inlined->find(id);
        if (inside != nullptr && !inside->origins.empty())
            id = inside->origins.front();
    };
    for (RuleMatches& rule : out.rules) {
        for (MatchRecord& match : rule.matches) {
            tell(match.rootId);
            for (NodeId& id : match.nodeIds)
                tell(id);
            const auto end = std::unique(match.nodeIds.begin(), match.nodeIds.end());
            match.nodeIds.erase(end, match.nodeIds.end());
            for (BindingRecord& bound : match.bound)
                tell(bound.node);
        }
        for (NearMissRecord& miss : rule.nearMisses)
            tell(miss.rootId);
    }
}

class Matching {
public:
    Matching(Pipeline& pipeline, const Arguments& arguments, const Context& context)
        : m_pipeline(pipeline), m_arguments(arguments), m_context(context) {
        m_out.model = arguments.model;
    }

    Result<MatchDocument> run() {
        const auto stage =
            m_arguments.stage.empty() ? MatchedStage() : MatchedStage::find(m_arguments.stage);
        if (!stage)
            return makeDiag(DiagCode::Usage, "nothing is matched in stage " + m_arguments.stage, {},
                            "imported or rewritten");
        m_out.stage = *stage;
        FW_CHECK(readTexts());
        FW_CHECK(findGraphs());
        findLimits();
        findPlan();
        lookFor(m_books);
        lookFor(m_shipped);
        if (m_context.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "matching was cancelled");
        if (m_out.rules.empty() && !m_arguments.name.empty())
            return makeDiag(DiagCode::UnknownName,
                            "the books have no rule, pattern or chain " + m_arguments.name, {},
                            m_known.empty() ? "there is none" : "there are " + m_known);
        if (m_before == nullptr)
            FW_CHECK(tellImported());
        return std::move(m_out);
    }

private:
    bool isAsked(const BookText& book) const {
        return m_arguments.book.empty() || book.file == m_arguments.book;
    }

    Status readTexts() {
        FW_TRY(m_books, bookTexts(m_arguments.rules, m_arguments.texts));
        const bool any = std::any_of(m_books.begin(), m_books.end(),
                                     [&](const BookText& book) { return isAsked(book); });
        if (!any && !m_arguments.book.empty()) {
            FW_TRY(BookText book, bookText(m_arguments.book, m_arguments.texts));
            m_books.push_back(std::move(book));
        } else if (m_books.empty() || m_arguments.shipped.value_or(false)) {
            for (const EmbeddedRules& rules : embeddedRules()) {
                FW_TRY(BookText book, bookText(std::string(rules.file), {}));
                m_shipped.push_back(std::move(book));
            }
        }
        return {};
    }

    Status findGraphs() {
        if (m_out.stage == "imported") {
            FW_TRY(m_imported, m_pipeline.imported(m_context));
            m_graph = m_imported->inlined;
            if (const Result<const Simplified*> simplified = m_pipeline.simplified(m_context))
                m_behind = *simplified;
            return {};
        }
        FW_TRY(m_behind, m_pipeline.simplified(m_context));
        m_graph = m_behind->graph;
        FW_TRY(m_imported, m_pipeline.imported(m_context));
        m_before = m_imported->inlined.get();
        return {};
    }

    void findLimits() {
        m_limits.matches = static_cast<std::size_t>(
            std::max<std::int64_t>(0, m_arguments.limit.value_or(defaultLimit)));
        m_limits.until = std::chrono::steady_clock::now() +
                         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                             std::chrono::duration<double>(std::clamp(
                                 m_arguments.seconds.value_or(defaultSeconds), 0.0, 1e6)));
        m_limits.cancel = m_context.cancel;
        if (const Result<const TargetOffer*> offered = m_pipeline.offer())
            m_limits.offer = *offered;
    }

    // What schedules do is seen in the plan; without one nothing is said of them.
    void findPlan() {
        const auto hasSchedule = [](const BookText& book) {
            return book.text.find(kindOf(Declares::Schedule).keyword) != std::string::npos;
        };
        if (m_out.stage != "rewritten" || std::none_of(m_books.begin(), m_books.end(), hasSchedule))
            return;
        const Result<const FusionPlan*> made = m_pipeline.plan(m_context);
        const Result<const Target*> target = m_pipeline.target();
        if (made.ok() && target.ok()) {
            m_plan = *made;
            m_planned = *target;
        }
    }

    void lookFor(const std::vector<BookText>& texts) {
        const Books read = readBooks(texts);
        for (const ReadBook& book : read.read)
            m_out.diagnostics.insert(m_out.diagnostics.end(), book.errors.begin(),
                                     book.errors.end());
        for (const BookText& book : texts) {
            const auto found =
                std::find_if(read.read.begin(), read.read.end(),
                             [&](const ReadBook& one) { return one.file == book.file; });
            if (!isAsked(book) || found == read.read.end())
                continue;
            const ReadText text(book.text);
            for (std::size_t i = 0; i < found->written.size() && !m_context.cancel.cancelled(); ++i)
                lookAt(found->written[i], book.file, text, read, found->items[i].diagnostics);
        }
    }

    void lookAt(const DeclarationPtr& declaration, const std::string& file, const ReadText& text,
                const Books& read, const Diags& verdict) {
        const bool isMeant = m_arguments.name.empty() || m_arguments.name == declaration->name;
        if (const auto schedule = declarationAs<ScheduleTree>(declaration);
            schedule && m_plan != nullptr && !hasErrors(verdict) && isMeant) {
            const bool takesPart = std::find(m_arguments.rules.begin(), m_arguments.rules.end(),
                                             file) != m_arguments.rules.end();
            m_out.rules.push_back(scheduleInPlan(*schedule, file, text.places, *m_graph, *m_plan,
                                                 *m_planned, takesPart));
            return;
        }
        if (!canMatch(*declaration) && m_arguments.name.empty())
            for (const Diag& diag : verdict)
                if (diag.severity == Severity::Error)
                    m_out.diagnostics.push_back(diag);
        if (!canMatch(*declaration) || (!m_arguments.book.empty() && !isOfStage(*declaration)))
            return;
        m_known += (m_known.empty() ? "" : ", ") + declaration->name;
        if (!isMeant)
            return;
        m_out.rules.push_back(
            matchesOf(*m_graph, declaration, file, text, read, verdict, m_limits));
        RuleMatches& told = m_out.rules.back();
        const bool none = told.matches.empty();
        if (m_behind == nullptr || hasErrors(told.diagnostics))
            return;
        if (m_before == nullptr && (none || !isRule(*declaration)))
            tellBehindRules(*m_behind, *declaration, read.patterns, m_limits, told);
        else if (m_before != nullptr && none)
            tellBeforeRules(*m_before, *m_behind, *declaration, read.patterns, m_limits, told);
    }

    // Rules see the imported graph with functions in place, what decides about groups the one that
    // rules left.
    bool isOfStage(const DeclarationTree& declaration) const {
        return (m_out.stage == "imported") == isRule(declaration);
    }

    // A book that is being typed is not what rewrote the model.
    Status tellImported() {
        if (m_arguments.book.empty()) {
            const Result<const Simplified*> simplified = m_pipeline.simplified(m_context);
            if (simplified)
                tellOutcomes(*m_graph, (*simplified)->trace, m_out);
            else if (simplified.diag().code == DiagCode::Cancelled)
                return simplified.diag();
            else
                m_out.diagnostics.push_back(simplified.diag());
        }
        tellCalls(*m_imported, m_out);
        return {};
    }

    Pipeline& m_pipeline;
    const Arguments& m_arguments;
    const Context& m_context;
    MatchDocument m_out;
    std::vector<BookText> m_books, m_shipped; // these see nothing of the others
    GraphPtr m_graph;
    const Imported* m_imported = nullptr;
    const Simplified* m_behind = nullptr; // the rules
    const Graph* m_before = nullptr;      // them, where it is looked behind them
    MatchLimits m_limits;
    const FusionPlan* m_plan = nullptr;
    const Target* m_planned = nullptr;
    std::string m_known; // names of what can match
};

} // namespace

Result<MatchDocument> matchModel(Pipeline& pipeline, const Arguments& arguments,
                                 const Context& context) {
    return Matching(pipeline, arguments, context).run();
}

} // namespace fw
