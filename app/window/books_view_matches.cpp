// What the declaration at the caret finds: frames on the graphs, counts beside the text, the panel
// below it, and the way between a name in the text and the node it stands for.
#include "app/window/books_area.h"
#include "app/window/books_view.h"
#include "views/authoring/match_panel.h"
#include "views/common/inside_text.h"
#include "views/common/numbers.h"

#include "base/declaration_kind.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::RuleMatches;
using snapshot::TextRange;

namespace {

constexpr std::size_t numberedMatches = 200; // more would cover the graph with numbers
constexpr std::size_t framedMatches = 10000;

bool holds(const TextRange& range, const Caret& at) {
    return startOf(range) <= at && at <= endOf(range);
}

// Rules are looked for in the graph as it was imported, what decides about groups in the graph that
// the rules left.
bool ofImported(const RuleMatches& rule) {
    return fits(rule.kind, FitsIn::Imported);
}

template <class Visit>
void forRules(const TextMatches& matches, Visit visit) {
    for (const bool imported : {true, false})
        if (const auto& document = imported ? matches.imported : matches.rewritten)
            for (const RuleMatches& rule : document->rules)
                if (ofImported(rule) == imported && rule.line > 0)
                    visit(rule);
}

bool isOld(const TextMatches& matches, const RuleMatches& rule) {
    return ofImported(rule) ? matches.importedOld : matches.rewrittenOld;
}

Ids idsOf(std::vector<snapshot::NodeId> nodes) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
}

std::int64_t applications(const snapshot::RewriteDocument* rewrite, const std::string& rule,
                          const std::string& file) {
    if (rewrite != nullptr)
        for (const snapshot::AppliedRecord& applied : rewrite->applied)
            if (applied.rule == rule && applied.file == file)
                return applied.count;
    return 0;
}

// What a check says of a declaration; empty: nothing that is worth a note.
MarginNote verdictNote(const snapshot::CheckItem& item, std::int64_t applied) {
    const QString verdict = QString::fromStdString(item.verdict);
    // What is left out stands behind the word: "proved but for NaN".
    const QString word = verdict.section(u" but for "_s, 0, 0), rest = verdict.mid(word.size());
    MarginNote out;
    if (isKind(item.kind, Declares::Test))
        out.text = item.verdict == "ok"       ? u"passed"_s
                   : item.verdict == "failed" ? verdict
                                              : QString();
    else if (word == u"proved exact")
        out.text = u"exact"_s + rest;
    else if (word == u"proved")
        out.text = verdict;
    else if (word == u"tested")
        out.text = u"tested %1 times"_s.arg(item.trials.value_or(0)) + rest;
    else if (item.verdict == "unknown" || item.verdict == "refuted" ||
             item.verdict == "changes results")
        out.text = verdict;
    if (out.text.isEmpty())
        return out;
    out.look = !stands(item)                                     ? MarginNote::Look::Bad
               : item.verdict == "unknown"                       ? MarginNote::Look::Near
               : word == u"tested" || word == u"changes results" ? MarginNote::Look::Quiet
                                                                 : MarginNote::Look::Good;
    for (const Diag& diag : item.diagnostics)
        out.tip += QString::fromStdString(diag.text()) + u'\n';
    if (item.verdict == "refuted" && applied > 0)
        out.tip += u"it acts all the same: %1 (RUL23)\n"_s.arg(countOf(applied, u"application"_s));
    for (const snapshot::ButForRecord& one : item.butFor)
        if (!one.difference.empty())
            out.tip += u"for %1: %2\n"_s.arg(QString::fromStdString(one.what),
                                             QString::fromStdString(one.difference));
    if (!item.counterexample.empty())
        out.tip += u"a click shows the graph (Ctrl+Alt+X)"_s;
    out.opens = !item.counterexample.empty();
    return out;
}

// How far the outputs of the model are off behind the applications of a rule, where each was
// computed; empty: it was not.
MarginNote errorNote(const snapshot::BisectDocument& bisected, const std::string& file,
                     const snapshot::CheckItem& rule) {
    MarginNote out;
    double largest = 0;
    bool finite = true, within = true;
    std::size_t count = 0;
    for (const snapshot::ApplicationError& error : bisected.errors)
        if (error.rule == rule.name && error.file == file) {
            ++count;
            finite = finite && error.maxAbs;
            within = within && error.within;
            largest = std::max(largest, error.maxAbs.value_or(0));
        }
    if (count == 0 || !fits(rule.kind, FitsIn::Imported))
        return out;
    out.text = finite ? u"error %1"_s.arg(largest, 0, 'g', 2) : u"error not finite"_s;
    const QString behind =
        count == 1 ? u"its application"_s : u"each of its %1 applications"_s.arg(count);
    out.tip = u"the largest difference of the outputs behind %1, with %2 inputs\n"_s.arg(
        behind, bisected.randomInputs ? u"random"_s : u"the model's own"_s);
    out.look = within ? MarginNote::Look::Good : MarginNote::Look::Bad;
    return out;
}

// What is bad is read first.
MarginNote joined(const MarginNote& first, const MarginNote& second) {
    if (first.text.isEmpty() || second.text.isEmpty())
        return first.text.isEmpty() ? second : first;
    const bool bad = second.look == MarginNote::Look::Bad;
    MarginNote out = bad ? second : first;
    out.text = bad ? second.text + u", "_s + first.text : first.text + u", "_s + second.text;
    out.tip = first.tip + second.tip;
    out.opens = first.opens || second.opens;
    return out;
}

} // namespace

void BooksView::connectMatches() {
    connect(m_books, &BooksArea::currentChanged, this, &BooksView::showMatches);
    connect(m_books, &BooksArea::caretMoved, this, &BooksView::caretMoved);
    connect(m_books, &BooksArea::noteActivated, this, &BooksView::openCounterexample);
    connect(m_matches, &MatchPanel::stepRequested, this, &BooksView::stepMatch);
    connect(m_matches, &MatchPanel::placeRequested, this, [this](const TextRange& range) {
        if (BookPage* page = m_books->current())
            page->editor()->select(range);
    });
    connect(m_matches, &MatchPanel::missRequested, this, &BooksView::showMiss);
    connect(m_matches, &MatchPanel::cameRequested, this, &BooksView::showPlace);
    connect(m_matches, &MatchPanel::relaxRequested, this, [this](const snapshot::Fix& fix) {
        if (BookPage* page = m_books->current()) {
            page->editor()->apply(fix);
            page->editor()->setFocus();
        }
    });
}

// Null if the caret is in no declaration that finds anything.
const RuleMatches* BooksView::ruleAtCaret() const {
    const BookPage* page = m_books->current();
    const auto* matches = m_document.textMatchesOf(m_books->currentPath());
    if (!page || !matches)
        return nullptr;
    const int line = page->editor()->caret().line;
    const RuleMatches* out = nullptr;
    forRules(*matches, [&](const RuleMatches& rule) {
        if (line >= rule.line && line <= std::max(rule.line, rule.endLine))
            out = &rule;
    });
    return out;
}

void BooksView::showMatches() {
    BookPage* page = m_books->current();
    const auto* matches = m_document.textMatchesOf(m_books->currentPath());
    const bool shipped = m_books->isShipped(m_books->currentPath());
    m_matches->setVisible(page && matches);
    m_matches->setReadOnly(shipped);
    std::map<int, MarginNote> notes;
    const auto& checks = m_document.checks();
    if (const auto check = checks.find(m_books->currentPath().toStdString());
        page && check != checks.end() && check->second)
        for (const auto& item : check->second->items)
            if (item.line > 0) {
                MarginNote note = verdictNote(
                    item, applications(m_document.rewrite().get(), item.name, check->first));
                if (m_document.bisected())
                    note = joined(note, errorNote(*m_document.bisected(), check->first, item));
                if (!note.text.isEmpty())
                    notes[item.line] = std::move(note);
            }
    if (!page || !matches) {
        if (page)
            page->editor()->setNotes(std::move(notes));
        tellPlace({}, GraphSide::Imported);
        return;
    }
    const bool acts = shipped || m_document.takesPart(m_books->currentPath().toStdString());
    forRules(*matches, [&](const RuleMatches& rule) {
        const auto look = isOld(*matches, rule)      ? MarginNote::Look::Stale
                          : !rule.matches.empty()    ? MarginNote::Look::Good
                          : !rule.nearMisses.empty() ? MarginNote::Look::Near
                                                     : MarginNote::Look::Quiet;
        MarginNote found{matchesText(rule), {}, look};
        if (!acts) {
            found.text += u", takes no part"_s;
            found.tip = u"the book takes no part in the plan (Ctrl+Alt+B)\n"_s;
        }
        notes[rule.line] = joined(found, notes[rule.line]);
    });
    page->editor()->setNotes(std::move(notes));
    const RuleMatches* rule = ruleAtCaret();
    const QString name = rule ? QString::fromStdString(rule->name) : QString();
    if (name != std::exchange(m_liveRule, name))
        m_liveMatch = -1;
    if (!rule || m_liveMatch >= int(rule->matches.size()))
        m_liveMatch = -1;
    showRule(rule);
    const bool stale = rule ? isOld(*matches, *rule) : matches->state == State::Stale;
    m_matches->setStale(stale ? u"of the last text without errors"_s : QString());
    if (stale && !matches->imported && !matches->rewritten)
        m_matches->setNothing(u"nothing was found yet: the text has errors"_s);
    askProbe();
    askCame();
    showHalos();
}

// While the text is wrong, or a plan is made, what is shown of the same declaration is that of
// before.
void BooksView::askCame() {
    const BookPage* page = m_books->current();
    const DeclarationLine* declared = page ? page->declarationAtCaret() : nullptr;
    const QString path = m_books->currentPath();
    const State plan = m_document.state(Part::Plan);
    const bool known = (plan == State::Ready || plan == State::Error) &&
                       !m_document.brokenTexts().contains(path.toStdString());
    CameQuestion now;
    if (declared && m_document.isOpen())
        now = {path, declared->line, declared->keyword + u' ' + declared->name,
               m_document.generation(), m_document.plan().get()};
    if (now.book != m_cameOf.book || now.declared != m_cameOf.declared) {
        m_matches->setCame(nullptr);
        m_cameOf = {};
    }
    if (now == m_cameOf || (now.line > 0 && !known))
        return;
    m_cameOf = now;
    if (now.line > 0)
        m_document.books().askCame(path, now.line, [=, this](Shared<snapshot::UsesDocument> came) {
            if (m_cameOf != now)
                return;
            const bool answered = came != nullptr;
            showCame(std::move(came));
            if (!answered && !ruleAtCaret())
                m_matches->setNothing(now.declared.trimmed() + u": nothing is known of it"_s);
        });
}

// With the times that were measured here, of the groups that came of it.
void BooksView::showCame(Shared<snapshot::UsesDocument> came) {
    const auto& profile = m_document.profileResult();
    if (came && profile && m_document.state(Part::Profile) == State::Ready) {
        auto timed = std::make_shared<snapshot::UsesDocument>(*came);
        for (snapshot::CameRecord& row : timed->came)
            for (const snapshot::ProfileRow& group : profile->rows)
                if (row.group == group.groupId)
                    row.measuredUs = group.medianUs;
        came = std::move(timed);
    }
    m_matches->setCame(std::move(came));
}

// In the text and in the graph.
void BooksView::showPlace(const snapshot::CameRecord& came) {
    if (came.line > 0 && m_books->current())
        m_books->current()->editor()->select(came);
    const snapshot::NodeSet nodes(came.nodes.begin(), came.nodes.end());
    if (came.group)
        selection().pick(selection().ofGroup(int(*came.group)), this);
    else if (!nodes.empty())
        selection().pick(selection().ofImported(nodes), this);
    if (!nodes.empty())
        selection().reveal(GraphSide::Imported, *nodes.begin());
}

void BooksView::askProbe() {
    const BookPage* page = m_books->current();
    const RuleMatches* rule = ruleAtCaret();
    const auto* matches = m_document.textMatchesOf(m_books->currentPath());
    const auto selected = [this](bool imported) {
        const Picked& picked = selection().picked();
        const snapshot::NodeSet& nodes = imported ? picked.imported : picked.fused;
        return nodes.size() == 1 ? *nodes.begin() : snapshot::noNode;
    };
    if (!rule || isOld(*matches, *rule) || selected(ofImported(*rule)) == snapshot::noNode ||
        !insideText(m_document, selection().picked()).isEmpty())
        return m_matches->setProbe(nullptr);
    const bool imported = ofImported(*rule);
    const Caret at = page->editor()->caret();
    const snapshot::NodeId node = selected(imported);
    m_document.books().askProbe(m_books->currentPath(), at.line, at.column, node,
                                [=, this](std::shared_ptr<const snapshot::ProbeDocument> probe) {
                                    const bool same = ruleAtCaret() && selected(imported) == node &&
                                                      probe && probe->rule == ruleAtCaret()->name &&
                                                      !probe->rows.empty();
                                    m_matches->setProbe(same ? std::move(probe) : nullptr);
                                });
}

void BooksView::openCounterexample(int line) {
    const auto& checks = m_document.checks();
    const auto check = checks.find(m_books->currentPath().toStdString());
    if (check != checks.end() && check->second)
        for (const auto& item : check->second->items)
            if (!item.counterexample.empty() && line >= item.line &&
                line <= std::max(item.line, item.endLine))
                return Q_EMIT asked(ShowCounterexample{m_books->currentPath(), item});
    Q_EMIT asked(Say{u"no counterexample was found for what stands at the caret"_s});
}

void BooksView::caretMoved() {
    const RuleMatches* rule = ruleAtCaret();
    if ((rule ? QString::fromStdString(rule->name) : QString()) != m_liveRule)
        return showMatches();
    if (!rule)
        showRule(nullptr); // another declaration of those that find nothing
    askCame();
    showHalos();
}

void BooksView::showRule(const RuleMatches* rule) {
    const BookPage* page = m_books->current();
    const DeclarationLine* declared = rule || !page ? nullptr : page->declarationAtCaret();
    QString without;
    if (declared) {
        without = QString(declared->keyword + u' ' + declared->name).trimmed() +
                  u": not looked for yet"_s;
    }
    m_matches->setRule(rule ? std::optional(*rule) : std::nullopt, m_liveMatch, without);
}

// The capture at the caret is marked wherever it stands in the text, and so is its node.
void BooksView::showHalos() {
    BookPage* page = m_books->current();
    const RuleMatches* rule = ruleAtCaret();
    const auto* matches = m_document.textMatchesOf(m_books->currentPath());
    std::vector<Halo> halos;
    std::vector<TextRange> tints;
    if (rule) {
        const bool stale = isOld(*matches, *rule);
        const std::size_t count = rule->matches.size();
        const auto frame = [&](std::size_t i, Halo::Look look) {
            Halo halo{idsOf(rule->matches[i].nodeIds), look};
            if (look == Halo::Look::Current)
                halo.badge = u"%1/%2"_s.arg(i + 1).arg(count);
            else if (count <= numberedMatches)
                halo.badge = QString::number(i + 1);
            halos.push_back(std::move(halo));
        };
        for (std::size_t i = 0; i < std::min(count, framedMatches); ++i)
            if (int(i) != m_liveMatch)
                frame(i, stale ? Halo::Look::Stale : Halo::Look::Match);
        if (m_liveMatch >= 0)
            frame(std::size_t(m_liveMatch), stale ? Halo::Look::Stale : Halo::Look::Current);
        if (m_shownMiss != snapshot::noNode && !stale)
            halos.push_back({{m_shownMiss}, Halo::Look::NearMiss, u"near"_s});
        const Caret at = page->editor()->caret();
        for (std::size_t i = 0; i < rule->captures.size() && !stale; ++i) {
            const auto& capture = rule->captures[i];
            if (std::none_of(capture.ranges.begin(), capture.ranges.end(),
                             [&](const TextRange& range) { return holds(range, at); }))
                continue;
            tints = capture.ranges;
            if (rule->matches.empty())
                continue;
            const auto& match = rule->matches[std::size_t(std::max(m_liveMatch, 0))];
            Ids bound;
            for (const auto& binding : match.bound)
                if (binding.capture == int(i))
                    bound.push_back(binding.node);
            halos.push_back(
                {idsOf(bound), Halo::Look::Bound, QString::fromStdString(capture.name)});
        }
    }
    if (page)
        page->editor()->setTints(std::move(tints));
    tellPlace(std::move(halos), rule && ofImported(*rule) ? GraphSide::Imported : GraphSide::Fused);
}

void BooksView::tellPlace(std::vector<Halo> frames, GraphSide side) {
    PickedPlace place;
    if (BookPage* page = m_books->current()) {
        place.book = m_books->currentPath();
        place.line = page->editor()->caret().line;
        place.column = page->editor()->caret().column;
        place.rule = m_liveRule;
        place.match = m_liveMatch;
    }
    place.side = side;
    place.frames = std::move(frames);
    selection().pickPlace(std::move(place));
}

void BooksView::stepMatch(int step) {
    const RuleMatches* rule = ruleAtCaret();
    if (!rule)
        return Q_EMIT asked(Say{m_matches->title()});
    if (rule->matches.empty())
        return Q_EMIT asked(Say{u"%1 matches nothing"_s.arg(QString::fromStdString(rule->name))});
    const int count = int(rule->matches.size());
    m_liveMatch = m_liveMatch < 0 ? (step > 0 ? 0 : count - 1)
                                  : ((m_liveMatch + step) % count + count) % count;
    m_shownMiss = snapshot::noNode;
    const auto& match = rule->matches[std::size_t(m_liveMatch)];
    m_matches->setRule(*rule, m_liveMatch);
    showHalos();
    showNodes(match.nodeIds, match.rootId, ofImported(*rule));
    Q_EMIT asked(Say{u"match %1 of %2: %3"_s.arg(m_liveMatch + 1)
                         .arg(count)
                         .arg(QString::fromStdString(match.root))});
}

void BooksView::showMiss(const snapshot::NearMissRecord& miss) {
    const RuleMatches* rule = ruleAtCaret();
    if (!rule)
        return;
    m_shownMiss = miss.rootId;
    showHalos();
    if (miss.range.line > 0)
        m_books->current()->editor()->select(miss.range);
    showNodes({miss.rootId}, miss.rootId, ofImported(*rule));
}

void BooksView::showNodes(const std::vector<snapshot::NodeId>& nodes, snapshot::NodeId root,
                          bool imported) {
    const snapshot::NodeSet set(nodes.begin(), nodes.end());
    const GraphSide side = imported ? GraphSide::Imported : GraphSide::Fused;
    selection().pick(selection().of(side, set), this);
    selection().reveal(side, root);
}

// A click on a node that a match binds: the caret goes to the name that stands for it.
void BooksView::nodePointed(GraphSide side, snapshot::NodeId node) {
    const RuleMatches* rule = ruleAtCaret();
    if (!rule || ofImported(*rule) != (side == GraphSide::Imported))
        return;
    const auto binds = [&](const snapshot::MatchRecord& match) {
        return std::any_of(match.bound.begin(), match.bound.end(),
                           [&](const auto& binding) { return binding.node == node; });
    };
    const auto& all = rule->matches;
    if (m_liveMatch < 0 || !binds(all[std::size_t(m_liveMatch)])) {
        const auto found = std::find_if(all.begin(), all.end(), binds);
        if (found == all.end())
            return;
        m_liveMatch = int(found - all.begin());
    }
    const TextRange* place = nullptr;
    for (const auto& binding : all[std::size_t(m_liveMatch)].bound) {
        const auto& capture = rule->captures[std::size_t(binding.capture)];
        // The operator itself rather than the value that it makes.
        if (binding.node == node && !capture.ranges.empty() &&
            (!place || capture.kind == "operator"))
            place = &capture.ranges.front();
    }
    m_matches->setRule(*rule, m_liveMatch);
    if (place)
        m_books->current()->editor()->goTo(startOf(*place));
    showHalos();
}

} // namespace fw::ui
