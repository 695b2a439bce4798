#include "views/explain/explain_view.h"

#include "views/common/flow_layout.h"
#include "views/common/inside_text.h"
#include "views/common/numbers.h"
#include "views/common/readers.h"
#include "views/common/region_pins.h"
#include "views/common/state_overlay.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/tool_tip.h"
#include "views/explain/gate_table.h"
#include "views/explain/measured_rows.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// "-libs=" in words: "without libraries", "with oneDNN alone".
QString inWords(const std::string& change) {
    const std::string libraries = "-libs=";
    if (!change.starts_with(libraries))
        return u"with "_s + text(change);
    const QString names = text(change.substr(libraries.size()));
    return names.isEmpty() ? u"without libraries"_s
                           : u"with %1 alone"_s.arg(names.split(u',').join(u" and "_s));
}

// Rules took it out, and nothing stands for it: why is asked of the imported operator.
bool isErased(const Picked& picked) {
    return picked.fused.empty() && picked.imported.size() == 1 &&
           picked.importedSubject != snapshot::noNode;
}

// The answer is whole first; what does not fit below it is scrolled to.
constexpr int leastGates = 24; // pixels

} // namespace

ExplainView::ExplainView(QWidget* parent)
    : View(parent), m_sentence(new QLabel(this)),
      m_gates(makeGateTable(this, u"Gates"_s, {u""_s, u"gate"_s, u"evidence"_s})),
      m_actions(new QWidget(this)), m_whatIfRow(new FlowLayout(6)),
      m_together(new QPushButton(u"Keep together"_s, this)),
      m_apart(new QPushButton(u"Keep apart"_s, this)), m_copy(new QPushButton(u"Copy"_s, this)),
      m_measure(new QPushButton(this)) {
    setOverlay(new StateOverlay(m_gates));
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_sentence->setProperty("strong", true);
    m_sentence->setContentsMargins(10, 8, 10, 6);
    m_sentence->setAccessibleName(u"Answer"_s);
    m_gates->setHeaderHidden(true);
    m_gates->header()->resizeSection(0, 24);
    m_gates->header()->resizeSection(1, 150);
    m_gates->setIndentation(0);
    m_gates->setMinimumHeight(leastGates);
    m_gates->viewport()->installEventFilter(this);
    m_copy->setToolTip(u"Copy the explanation as text"_s);
    m_together->setToolTip(u"Pin the two operators into one group"_s);
    m_apart->setToolTip(u"Pin the two operators into different groups"_s);

    // What one can do: below the evidence.
    auto* pins = new FlowLayout(6);
    for (QPushButton* button : {m_measure, m_together, m_apart, m_copy})
        pins->addWidget(button);
    auto* rows = new QVBoxLayout(m_actions);
    rows->setContentsMargins(8, 6, 8, 8);
    rows->setSpacing(6);
    rows->addLayout(m_whatIfRow);
    rows->addLayout(pins);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_sentence);
    layout->addWidget(m_gates, 1);
    layout->addWidget(m_actions);
    const auto copy = [this] { QApplication::clipboard()->setText(asText()); };
    const auto together = [this] { pinSelection(snapshot::PinKind::Together); };
    const auto apart = [this] { pinSelection(snapshot::PinKind::Apart); };
    connect(m_copy, &QPushButton::clicked, this, copy);
    connect(m_together, &QPushButton::clicked, this, together);
    connect(m_apart, &QPushButton::clicked, this, apart);
    connect(m_measure, &QPushButton::clicked, this, &ExplainView::measureForms);
    m_measure->setToolTip(
        u"Time the group as it is planned and split into its operators; of two groups also forced "
        "together. Nothing of the plan changes"_s);
    addCommand(
        MenuPlace::Times, u"Measure alone, sp&lit and forced"_s, u"Ctrl+Alt+Shift+M"_s,
        [this] { measureForms(); }, Needs::Model, OfNodes::Yes);
    addCommand(MenuPlace::Copy, u"Copy &explanation"_s, u"Ctrl+Shift+C"_s, copy, Needs::Nothing,
               OfNodes::Yes);
    addCommand(MenuPlace::Pins, u"Keep selected &together"_s, u"Ctrl+T"_s, together, Needs::Model,
               OfNodes::Yes);
    addCommand(MenuPlace::Pins, u"Keep selected &apart"_s, u"Ctrl+Shift+K"_s, apart, Needs::Model,
               OfNodes::Yes);
    connect(&Theme::instance(), &Theme::changed, this, [this] { m_gates->viewport()->update(); });
    connect(overlay(), &StateOverlay::actionRequested, this, [this] { selectionSettled(); });
    setContent(nullptr);
    setPair(Pair::No);
    showForms({});
}

void ExplainView::documentChanged(Parts) {
    const State state = document().state(Part::Explain);
    const Picked& picked = selection().picked();
    if (const snapshot::RegionRecord* region = regionOf(document(), picked.region))
        return showRegion(*region);
    if (picked.result >= 0)
        return showResult(picked.result);
    if (const QString inside = insideText(document(), picked); !inside.isEmpty())
        return showInside(inside);
    const bool about = !picked.fused.empty() || isErased(picked);
    const bool stopped = (state == State::Stale || state == State::Empty) &&
                         document().error(Part::Explain).code == DiagCode::Cancelled;
    // What is kept after that is of what was asked for before.
    const bool shown = about && state != State::Error && !stopped;
    setContent(shown ? document().explanation() : nullptr);
    setPair(picked.fused.size() == 2 && picked.group < 0 ? Pair::Yes : Pair::No);
    showForms(shown && document().explanation() ? groupsOf(document(), picked.fused)
                                                : std::vector<int>());
    setDetail(shown && document().explanation()
                  ? text(document().explanation()->subject) +
                        (picked.fused.size() > 2 ? selection().ofSeveral() : QString())
                  : QString());
    if (about && state == State::Error)
        overlay()->setError(u"No explanation"_s, text(document().error(Part::Explain).text()),
                            againText(document().error(Part::Explain)));
    else if (about && stopped)
        overlay()->setEmpty(u"Stopped"_s, u"The explanation was stopped."_s, u"Ask again"_s);
    else if (about && state == State::Busy)
        overlay()->setBusy(u"Asking …"_s);
    else if (about && state == State::Stale)
        overlay()->setStale(u"This belongs to an earlier plan."_s);
    else
        overlay()->setReady();
}

void ExplainView::selectionChanged(const QObject*) {
    documentChanged(Part::Explain);
}

void ExplainView::selectionSettled() {
    const Picked& picked = selection().picked();
    if (!document().fused() || picked.result >= 0 || regionOf(document(), picked.region) ||
        !insideText(document(), picked).isEmpty() || (picked.fused.empty() && !isErased(picked)))
        return;
    std::vector<snapshot::NodeId> ids(picked.fused.begin(), picked.fused.end());
    if (isErased(picked))
        ids = {picked.importedSubject};
    if (ids.size() > 2 || picked.group >= 0) { // a group answers through its anchor
        snapshot::NodeId anchor = picked.fusedSubject;
        if (picked.group >= 0 && document().plan())
            for (const auto& group : document().plan()->groups)
                if (picked.fused.contains(group.anchorId))
                    anchor = group.anchorId;
        ids = {anchor};
    }
    snapshot::Arguments about;
    for (const snapshot::NodeId id : ids)
        about.nodes.push_back("#" + std::to_string(id));
    Q_EMIT asked(WantPart{Part::Explain, about});
}

void ExplainView::showForms(const std::vector<int>& groups) {
    const bool busy = isAttached() && document().state(Part::Forms) == State::Busy;
    m_groups = groups.size() <= 2 ? groups : std::vector<int>();
    m_measure->setText(busy ? u"Stop measuring"_s : u"Measure alone, split, forced"_s);
    m_measure->setVisible(!m_groups.empty() || busy);
    if (!groups.empty())
        addMeasuredRows(m_gates, document(), groups);
}

void ExplainView::measureForms() {
    if (document().state(Part::Forms) == State::Busy)
        return Q_EMIT asked(Request::Stop);
    if (m_groups.empty())
        return Q_EMIT asked(Say{u"select an edge or a group: one or two groups are measured"_s});
    snapshot::Arguments about;
    about.measure = true;
    for (const snapshot::GroupRecord& group : document().plan()->groups)
        if (std::find(m_groups.begin(), m_groups.end(), group.id) != m_groups.end())
            about.nodes.push_back("#" + std::to_string(group.anchorId));
    Q_EMIT asked(WantPart{Part::Forms, about});
}

void ExplainView::pinSelection(snapshot::PinKind kind) {
    const auto names = pinNames(document(), selection().picked().fused);
    if (names.size() < 2)
        return Q_EMIT asked(Say{u"select two operators or more (Ctrl+click)"_s});
    Q_EMIT asked(EditInputs{snapshot::AddPin{{kind, names, {}}}});
}

// A counterfactual is an edit like any other: what it says about the libraries is taken over.
void ExplainView::tryChange(const QString& change) {
    const snapshot::SplitTarget split = snapshot::splitTarget(change.toStdString());
    std::string target = split.rest.empty() ? document().inputs().target : split.rest;
    if (split.libraries) {
        target += target.empty() ? "-libs=" : " -libs=";
        for (std::size_t i = 0; i < split.libraries->size(); ++i)
            target += (i ? "," : "") + (*split.libraries)[i];
    }
    Q_EMIT asked(EditInputs{snapshot::SetTarget{target}});
}

void ExplainView::setContent(const Shared<snapshot::ExplainDocument>& explanation) {
    m_failing = nullptr;
    m_gates->clear();
    for (QPushButton* button : std::exchange(m_whatIfs, {})) {
        button->hide();
        button->deleteLater(); // it may be the one that was clicked
    }
    while (QLayoutItem* rest = m_whatIfRow->takeAt(0))
        delete rest;
    m_actions->setVisible(explanation != nullptr);
    if (!explanation) {
        m_sentence->setText(
            isAttached() && document().isOpen()
                ? u"Select an operator, a group, an edge, or (Ctrl+click) two operators."_s
                : QString());
        return;
    }
    m_sentence->setText(text(explanation->sentence));
    fillGates(*explanation);
    fillWhatIfs(*explanation);
}

// An output of the model: nothing is decided about it.
void ExplainView::showResult(int number) {
    setContent(nullptr);
    setPair(Pair::No);
    showForms({});
    overlay()->setReady();
    const auto result = resultOf(document(), number);
    if (!result)
        return;
    setDetail(result->name);
    m_sentence->setText(u"%1 is an output of the model, %2. %3 makes it%4."_s.arg(
        result->name, result->type, result->maker,
        result->readers.isEmpty() ? QString() : u"; %1 read it, too"_s.arg(result->readers)));
}

// Of a node inside another one nothing is decided.
void ExplainView::showInside(const QString& why) {
    setContent(nullptr);
    setPair(Pair::No);
    showForms({});
    overlay()->setReady();
    setDetail({});
    m_sentence->setText(why);
}

void ExplainView::showRegion(const snapshot::RegionRecord& region) {
    setContent(nullptr);
    setPair(Pair::No);
    showForms({});
    overlay()->setReady();
    setDetail(u"region "_s + text(region.name));
    m_actions->setVisible(true);
    m_sentence->setText(u"%1 computes %2 in a row."_s.arg(
        ownerText(region.owner), countOf(std::int64_t(region.calls.size()), u"group"_s)));
    const auto row = [&](const QString& name, const QString& what, GateTone tone) {
        auto* item = new QTreeWidgetItem(m_gates);
        setCell(item, 1, name, tone);
        setCell(item, 2, what, tone);
    };
    for (const snapshot::RegionCall& call : region.calls) {
        QStringList behind;
        for (const std::string& postOp : call.postOps)
            behind << text(postOp);
        row(text(call.name),
            text(call.by) + (behind.isEmpty() ? QString() : u", then "_s + behind.join(u", "_s)),
            GateTone::Plain);
    }
    const auto border = [&](const QString& way, const std::vector<snapshot::BorderRecord>& all) {
        for (const snapshot::BorderRecord& value : all)
            row(way,
                u"%1: %2, %3 bytes"_s.arg(text(value.name), text(value.type))
                    .arg(value.bytes, 0, 'f', 0),
                GateTone::Muted);
    };
    border(u"in"_s, region.inputs);
    border(u"out"_s, region.outputs);
    for (const RegionPin& choice : regionChoices(document(), region.id)) {
        auto* button = new QPushButton(u"Pin to "_s + choice.text, m_actions);
        button->setToolTip(
            toolTipOf(u"Let %1 compute the region; undo brings this plan back. %2"_s.arg(
                choice.text, choice.detail)));
        connect(button, &QPushButton::clicked, this,
                [this, pins = choice.pins] { Q_EMIT asked(EditInputs{pins}); });
        m_whatIfRow->addWidget(button);
        m_whatIfs.push_back(button);
    }
}

void ExplainView::setPair(Pair pair) {
    m_together->setVisible(pair == Pair::Yes);
    m_apart->setVisible(pair == Pair::Yes);
}

void ExplainView::fillWhatIfs(const snapshot::ExplainDocument& explanation) {
    for (const auto& other : explanation.counterfactuals) {
        if (other.verdict == explanation.verdict)
            continue; // the answer would be the same
        const QString change = text(other.change);
        const QString said = other.verdict == "yes"  ? u"would fuse %1"_s
                             : other.verdict == "no" ? u"would not fuse %1"_s
                                                     : u"try %1"_s;
        const QString words = other.book.empty() ? inWords(other.change) : change;
        auto* button = new QPushButton(said.arg(words), m_actions);
        QStringList groups;
        for (const std::string& group : other.groups)
            groups << text(group);
        button->setToolTip(
            toolTipOf(u"Plan %1 now; undo brings this plan back. Groups then: %2"_s.arg(
                other.book.empty() ? u"with "_s + change : change, groups.join(u", "_s))));
        connect(button, &QPushButton::clicked, this, [this, change, book = other.book] {
            if (book.empty())
                tryChange(change);
            else
                Q_EMIT asked(EditInputs{snapshot::SwitchShipped{book, snapshot::Enabled::Yes}});
        });
        m_whatIfRow->addWidget(button);
        m_whatIfs.push_back(button);
    }
}

void ExplainView::fillGates(const snapshot::ExplainDocument& explanation) {
    QTreeWidgetItem* failing = nullptr;
    for (const auto& gate : explanation.gates) {
        auto* item = new QTreeWidgetItem(m_gates);
        const bool ready = gate.candidate == "ready"; // possible, but another was chosen
        setCell(item, 0,
                ready       ? u"○"_s
                : gate.pass ? u"✓"_s
                            : u"✖"_s,
                ready       ? GateTone::Muted
                : gate.pass ? GateTone::Good
                            : GateTone::Bad);
        setCell(item, 1, text(gate.name));
        const QString code = gate.code.empty() || gate.pass ? QString() : u"  "_s + text(gate.code);
        setCell(item, 2, text(gate.evidence) + code, gate.pass ? GateTone::Muted : GateTone::Plain);
        if (!gate.pass && gate.candidate.empty() && !failing)
            failing = item;
    }
    if (!explanation.way.empty()) {
        QStringList names;
        for (const snapshot::WayRecord& node : explanation.way)
            names << text(node.name);
        auto* item = new QTreeWidgetItem(m_gates);
        setCell(item, 1, u"the way, marked in the graph"_s);
        setCell(item, 2, names.join(u" → "_s), GateTone::Bad);
    }
    for (const auto& decision : explanation.decisions) {
        // The answer itself stands above, and its gate.
        if (!explanation.gates.empty() && explanation.nodes.size() == 2 &&
            explanation.nodes[0] == decision.fromId && explanation.nodes[1] == decision.toId)
            continue;
        auto* item = new QTreeWidgetItem(m_gates);
        const bool yes = decision.verdict == "yes";
        const bool no = decision.verdict == "no";
        setCell(item, 0,
                yes  ? u"✓"_s
                : no ? u"✖"_s
                     : u"·"_s,
                yes  ? GateTone::Good
                : no ? GateTone::Bad
                     : GateTone::Muted);
        setCell(item, 1,
                decision.to.empty() ? text(decision.from)
                                    : text(decision.from) + u" → "_s + text(decision.to));
        setCell(item, 2, text(decision.sentence) + u"  "_s + text(decision.code), GateTone::Muted);
    }
    // The answer is the first gate that failed; those before it stand above.
    m_failing = failing;
    QTimer::singleShot(0, this, &ExplainView::showFailing); // rows have their heights then
}

// The buttons below take their room later.
bool ExplainView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && m_failing)
        QTimer::singleShot(0, this, &ExplainView::showFailing);
    return QWidget::eventFilter(watched, event);
}

void ExplainView::showFailing() {
    if (m_failing)
        m_gates->scrollToItem(m_failing, QAbstractItemView::PositionAtBottom);
}

QString ExplainView::asText() const {
    QString out = m_sentence->text() + u'\n';
    for (int row = 0; row < m_gates->topLevelItemCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < m_gates->columnCount(); ++column)
            cells << m_gates->topLevelItem(row)->text(column);
        out += u"  "_s + cells.join(u"  "_s) + u'\n';
    }
    for (const QPushButton* whatIf : m_whatIfs)
        out += u"  "_s + whatIf->text() + u'\n';
    return out;
}

QString ExplainView::sentence() const {
    return m_sentence->text();
}

int ExplainView::gateCount() const {
    return m_gates->topLevelItemCount();
}

} // namespace fw::ui
