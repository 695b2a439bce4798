#include "session/sketch.h"

#include "rewrite/matches.h"
#include "session/book_texts.h"
#include "session/edit.h"
#include "session/explain.h"
#include "sketch/sketch.h"
#include "syntax/format.h"
#include "syntax/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace fw {

namespace {

using namespace snapshot;

constexpr double adviceSeconds = 1; // how long is looked for what to ask for less
constexpr std::size_t mostAdvice = 5;
constexpr const char* sketchFile = "sketch.fw";

// Where matches are counted, and what is selected there.
struct SketchSource {
    const Graph* graph = nullptr;
    MatchedStage stage;
    std::vector<NodeId> nodes;
};

Result<SketchSource> placeOf(Pipeline& pipeline, const Arguments& arguments,
                             const Context& context) {
    SketchSource out;
    const auto stage = arguments.stage == "fused" ? MatchedStage("rewritten")
                       : arguments.stage.empty()  ? MatchedStage()
                                                  : MatchedStage::find(arguments.stage);
    if (!stage)
        return makeDiag(DiagCode::Usage, "nothing is selected in stage " + arguments.stage, {},
                        "imported or rewritten");
    out.stage = *stage;
    FW_TRY(const Imported* imported, pipeline.imported(context));
    const Graph* shown = imported->graph.get();
    out.graph = imported->inlined.get();
    if (out.stage == "rewritten") {
        FW_TRY(const Simplified* simplified, pipeline.simplified(context));
        shown = out.graph = simplified->graph.get();
    }
    for (const std::string& name : arguments.nodes) {
        const Result<const Node*> inside = findNode(*out.graph, name);
        if (inside) {
            out.nodes.push_back((*inside)->id);
            continue;
        }
        FW_TRY(const Node* call, findNode(*shown, name));
        for (const NodePtr& node : out.graph->nodes())
            if (std::find(node->origins.begin(), node->origins.end(), call->id) !=
                node->origins.end())
                out.nodes.push_back(node->id);
    }
    return out;
}

class Counting {
public:
    Counting(const SketchSource& place, const SketchWish& wish, const Books& books,
             CancelToken cancel)
        : m_place(place), m_wish(wish), m_books(books), m_cancel(std::move(cancel)),
          m_until(std::chrono::steady_clock::now() +
                  std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                      std::chrono::duration<double>(adviceSeconds))) {}

    // How many places the text matches; nullopt: it has nothing that matches, or the time is over.
    std::optional<std::int64_t> matches(const std::string& text) const {
        const FoundMatches found = search(text);
        return found.stopped.empty()
                   ? std::optional(static_cast<std::int64_t>(found.matches.size()))
                   : std::nullopt;
    }

    // Why what is whole is no match: it can be no group. Empty if nothing says so.
    std::string refusal(const std::string& text) const {
        for (const NearMiss& miss : search(text).nearMisses)
            if (miss.matched == miss.total && !miss.found.empty())
                return miss.found;
        return {};
    }

    // What one fact less finds, and where only several together find more, the fewest of them that
    // find as much as all.
    std::vector<SketchAdvice> advice(const Sketch& sketch, std::int64_t now) const {
        std::vector<SketchAdvice> out;
        std::map<std::string, SketchLevel> all = m_wish.levels;
        std::vector<std::string> changed;
        std::int64_t best = now;
        for (const SketchFact& fact : sketch.facts) {
            const auto looser = fact.looser();
            if (!looser)
                continue;
            changed.push_back(fact.key);
            all[fact.key] = fact.levels.back();
            std::map<std::string, SketchLevel> one = m_wish.levels;
            one[fact.key] = *looser;
            const auto count = matchesWith(one);
            if (!count)
                return out;
            if (*count <= now)
                continue;
            out.push_back({{{fact.key, std::string(levelText(*looser))}}, *count});
            best = std::max(best, *count);
        }
        const auto most = changed.empty() ? std::nullopt : matchesWith(all);
        if (most && *most > best) {
            std::map<std::string, SketchLevel> few = all;
            for (const std::string& key : changed) {
                std::map<std::string, SketchLevel> less = few;
                if (const auto wished = m_wish.levels.find(key); wished != m_wish.levels.end())
                    less[key] = wished->second;
                else
                    less.erase(key);
                if (matchesWith(less) == most)
                    few = std::move(less);
            }
            SketchAdvice together;
            together.matches = *most;
            for (const std::string& key : changed)
                if (const auto wished = m_wish.levels.find(key);
                    few.contains(key) &&
                    (wished == m_wish.levels.end() || wished->second != few.at(key)))
                    together.levels.emplace(key, levelText(few.at(key)));
            out.push_back(std::move(together));
        }
        std::stable_sort(out.begin(), out.end(), [](const SketchAdvice& a, const SketchAdvice& b) {
            return a.matches > b.matches;
        });
        if (out.size() > mostAdvice)
            out.resize(mostAdvice);
        return out;
    }

private:
    FoundMatches search(const std::string& text) const {
        MatchLimits limits;
        limits.until = m_until;
        limits.cancel = m_cancel;
        const FileTree tree = parseFile(text, sketchFile);
        const auto first = std::find_if(tree.declarations.begin(), tree.declarations.end(),
                                        [](const DeclarationPtr& one) { return canMatch(*one); });
        FoundMatches none;
        none.stopped = "nothing that matches";
        if (first == tree.declarations.end())
            return none;
        DeclarationPtr declaration = *first;
        // Where a rule matches, whatever it would put there.
        byKind(**first, [&](const RuleTree& rule) {
            RuleTree left = rule;
            left.let.clear();
            left.emit.clear();
            left.operators.clear();
            declaration = std::make_shared<RuleTree>(std::move(left));
        });
        limits.refuse = refusalOfGroups(*declaration, *m_place.graph);
        return findMatches(*m_place.graph, *declaration, m_books.patterns, limits);
    }

    std::optional<std::int64_t>
    matchesWith(const std::map<std::string, SketchLevel>& levels) const {
        SketchWish wish = m_wish;
        wish.levels = levels;
        const Result<Sketch> made = sketchOf(*m_place.graph, m_place.nodes, wish);
        return made ? matches(made->text) : std::nullopt;
    }

    const SketchSource& m_place;
    const SketchWish& m_wish;
    const Books& m_books;
    CancelToken m_cancel;
    std::chrono::steady_clock::time_point m_until;
};

Result<SketchWish> wishOf(const Arguments& arguments, const SketchSource& place,
                          const Books& books) {
    SketchWish out;
    const std::string word = arguments.kind.empty() ? "pattern" : arguments.kind;
    const auto kind = sketchKind(word);
    if (!kind)
        return makeDiag(DiagCode::Usage, "nothing is made of operators called " + word, {},
                        "there are " + sketchKinds());
    out.kind = *kind;
    out.name = arguments.name.empty() ? "block" : arguments.name;
    if (nameOrQuoted(out.name) != out.name)
        return makeDiag(DiagCode::Usage, fmt::format("'{}' is no name", out.name), {},
                        "letters, digits and _, a letter first");
    if (place.stage == "rewritten")
        out.stage = rewriteStages().back();
    for (const auto& [key, text] : arguments.levels) {
        const auto level = sketchLevel(text);
        if (!level)
            return makeDiag(DiagCode::Usage, fmt::format("{} cannot be {}", key, text), {},
                            "exact, range, captured or any");
        out.levels[key] = *level;
    }
    for (const auto& [name, declaration] : books.patterns)
        out.taken.insert(name);
    return out;
}

} // namespace

namespace {

// Whether the rule in a text would act on what other rules leave.
bool standsLater(std::vector<BookText> books, const std::string& text, const std::string& name) {
    books.push_back({sketchFile, text});
    const Books read = readBooks(books);
    return std::any_of(read.rules.entries.begin(), read.rules.entries.end(),
                       [&](const DeclarationPtr& entry) {
                           return entry->name == name && stageOf(*entry) != rewriteStages().front();
                       });
}

SketchFactRecord factRecord(const SketchFact& fact) {
    SketchFactRecord row;
    row.key = fact.key;
    row.node = fact.node;
    row.what = fact.what;
    row.value = fact.value;
    for (const SketchLevel level : fact.levels)
        row.levels.push_back(FactLevel::of(levelText(level)));
    row.level = FactLevel::of(levelText(fact.level));
    return row;
}

// Which levels that were wished for are not there. They are those of a rule: other kinds have fewer
// facts.
Status tellLevels(const SketchSource& place, const SketchWish& wish, const Sketch& sketch,
                  std::vector<std::string>& notices) {
    if (wish.levels.empty())
        return {};
    SketchWish all = wish;
    all.kind = SketchKind::Rule;
    FW_TRY(const Sketch rule, sketchOf(*place.graph, place.nodes, all));
    const auto factOf = [](const Sketch& of, const std::string& key) {
        return std::find_if(of.facts.begin(), of.facts.end(),
                            [&](const SketchFact& fact) { return fact.key == key; });
    };
    for (const auto& [key, level] : wish.levels) {
        if (factOf(rule, key) == rule.facts.end())
            notices.push_back(fmt::format("nothing here is called {}", key));
        else if (const auto fact = factOf(sketch, key);
                 fact != sketch.facts.end() && fact->level != level)
            notices.push_back(fmt::format("{} cannot be {} here: it stays {}", key,
                                          levelText(level), levelText(fact->level)));
    }
    return {};
}

} // namespace

Result<SketchDocument> sketchModel(Pipeline& pipeline, const Arguments& arguments,
                                   const Context& context) {
    if (!arguments.edit.empty())
        return editModel(pipeline, arguments, context);
    if (arguments.operand || !arguments.to.empty() || !arguments.attributes.empty())
        return makeDiag(DiagCode::Usage, "an operand, a name or an attribute belongs to an edit",
                        {}, "--edit rewire, for instance");
    FW_TRY(const SketchSource place, placeOf(pipeline, arguments, context));
    FW_TRY(std::vector<BookText> texts, bookTexts(arguments.rules, arguments.texts));
    const Books books = readBooks(texts);
    FW_TRY(SketchWish wish, wishOf(arguments, place, books));
    FW_TRY(Sketch sketch, sketchOf(*place.graph, place.nodes, wish));
    if (wish.stage.empty() && standsLater(texts, sketch.text, wish.name)) {
        wish.stage = rewriteStages().front(); // in which it matches
        FW_TRY(sketch, sketchOf(*place.graph, place.nodes, wish));
    }

    SketchDocument out;
    out.model = arguments.model;
    out.stage = place.stage;
    if (!arguments.kind.empty())
        out.kind = SketchedAs::of(arguments.kind);
    out.name = wish.name;
    out.text = formatText(sketch.text, sketchFile).text;
    out.notices = sketch.notices;
    for (const NodeId id : place.nodes)
        if (!place.graph->node(id).isLeaf())
            out.nodes.push_back(id);
    for (const SketchFact& fact : sketch.facts)
        out.facts.push_back(factRecord(fact));
    FW_CHECK(tellLevels(place, wish, sketch, out.notices));
    const Counting counting(place, wish, books, context.cancel);
    out.matches = counting.matches(sketch.text);
    if (wish.kind == SketchKind::Fuse && out.matches == 0)
        if (const std::string why = counting.refusal(sketch.text); !why.empty())
            return makeDiag(DiagCode::Usage, "what is selected can be no group: " + why, {},
                            "select fewer operators, or make a pattern of them");
    if (!out.matches && wish.kind != SketchKind::Test)
        out.notices.push_back(
            fmt::format("looking for matches was stopped after {} s", adviceSeconds));
    if (out.matches && wish.kind != SketchKind::Operator)
        out.advice = counting.advice(sketch, *out.matches);
    texts.push_back({sketchFile, sketch.text});
    for (const Diag& diag : readBooks(texts).diagnostics)
        if (diag.where.file == sketchFile)
            out.diagnostics.push_back(diag);
    return out;
}

} // namespace fw
