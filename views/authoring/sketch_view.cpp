#include "views/authoring/sketch_view.h"

#include "views/common/combo_box.h"
#include "views/common/flow_layout.h"
#include "views/common/inside_text.h"
#include "views/common/numbers.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "views/common/text.h"
#include "views/common/tool_tip.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::pair<const char*, const char*> kinds[] = {{"Pattern", "pattern"},
                                                         {"Rule", "rule"},
                                                         {"Operator", "op"},
                                                         {"Fusion rule", "fuse"},
                                                         {"Test", "test"}};

// What a level says of this fact.
QString levelText(const snapshot::SketchFactRecord& fact, const std::string& level) {
    const QString key = text(fact.key);
    const bool shape = key.endsWith(u".shape"_s), value = key.endsWith(u".value"_s);
    if (level == "exact")
        return u"exactly this"_s;
    if (level == "range")
        return shape ? u"this rank"_s : value ? u"any constant"_s : u"the range in the model"_s;
    if (level == "captured")
        return u"anything, under a name"_s;
    return u"not looked at"_s;
}

QString adviceText(const snapshot::SketchAdvice& advice) {
    QStringList keys;
    for (const auto& [key, level] : advice.levels)
        keys << text(key);
    return u"less of %1: %2"_s.arg(keys.join(u", "_s), countOf(advice.matches, u"place"_s));
}

} // namespace

SketchView::SketchView(QWidget* parent)
    : View(parent), m_kind(new ComboBox(this)), m_name(new QLineEdit(u"block"_s, this)),
      m_count(new QLabel(this)), m_make(new QPushButton(u"Put into a book"_s, this)),
      m_facts(new QTreeWidget(this)), m_preview(new QPlainTextEdit(this)),
      m_adviceRow(new QWidget(this)), m_advice(new FlowLayout(6)) {
    auto* page = new QWidget(this); // a splitter would give an overlay a place of its own
    auto* body = new QSplitter(Qt::Horizontal, page);
    auto* pageLayout = new QVBoxLayout(page);
    pageLayout->setContentsMargins(0, 0, 0, 0);
    pageLayout->addWidget(body);
    setOverlay(new StateOverlay(page));
    connect(overlay(), &StateOverlay::actionRequested, this,
            [this] { isOfSelection() ? ask() : begin(); });
    for (const auto& [title, word] : kinds)
        m_kind->addItem(QString::fromLatin1(title), QString::fromLatin1(word));
    m_kind->setAccessibleName(u"What is made"_s);
    m_name->setAccessibleName(u"Name of the declaration"_s);
    m_name->setMaximumWidth(180);
    m_count->setTextFormat(Qt::PlainText);
    m_count->setAccessibleName(u"Places that match"_s);
    m_make->setToolTip(u"Into the current book, or a new one (Ctrl+Alt+Return)"_s);
    m_facts->setObjectName(u"sketchFacts"_s);
    m_facts->setAccessibleName(u"What the text asks for"_s);
    m_facts->setHeaderLabels({u"fact"_s, u"here"_s, u"the text asks for"_s});
    prepare(m_facts);
    m_facts->setRootIsDecorated(false);
    m_facts->header()->setStretchLastSection(false);
    m_facts->header()->setSectionResizeMode(Value, QHeaderView::Stretch);
    m_facts->header()->resizeSection(Fact, 140);
    m_facts->header()->resizeSection(Asked, 160);
    m_preview->setReadOnly(true);
    m_preview->setProperty("code", true);
    m_preview->setAccessibleName(u"The text"_s);
    m_preview->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    m_adviceRow->setLayout(m_advice);

    auto* top = new QHBoxLayout;
    top->setContentsMargins(8, 6, 8, 6);
    top->setSpacing(8);
    top->addWidget(m_kind);
    top->addWidget(m_name);
    top->addWidget(m_count);
    top->addWidget(m_adviceRow, 1);
    top->addWidget(m_make);
    body->addWidget(m_facts);
    body->addWidget(m_preview);
    body->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addWidget(page, 1);
    connect(m_kind, &QComboBox::activated, this, &SketchView::ask);
    connect(m_name, &QLineEdit::textChanged, this, &SketchView::ask);
    connect(m_make, &QPushButton::clicked, this, &SketchView::make);
    connect(m_facts, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* fact) {
        if (auto* levels = levelsOf(fact); levels->isEnabled()) {
            levels->setFocus(Qt::OtherFocusReason);
            levels->showPopup();
        }
    });
    addCommand(
        MenuPlace::Begin, u"&Make text of what is selected"_s, u"Ctrl+Shift+M"_s,
        [this] { begin(); }, Needs::Model, OfNodes::Yes);
    addCommand(MenuPlace::Begin, u"&Put the made text into a book"_s, u"Ctrl+Alt+Return"_s,
               [this] { make(); });
}

std::vector<QWidget*> SketchView::stops() {
    return {m_kind, m_facts, m_preview};
}

SketchView::Subject SketchView::selected() const {
    const Picked& picked = selection().picked();
    const bool fused = selection().side() == GraphSide::Fused || picked.imported.empty();
    Subject out{fused ? "rewritten" : "imported", {}};
    for (const snapshot::NodeId id : fused ? picked.fused : picked.imported)
        out.nodes.push_back("#" + std::to_string(id));
    return out;
}

// Or nothing is selected, or nothing was made.
bool SketchView::isOfSelection() const {
    const snapshot::NodeSet& ids =
        m_of.stage == "imported" ? selection().picked().imported : selection().picked().fused;
    return m_of.nodes.empty() || selection().picked().empty() ||
           std::equal(ids.begin(), ids.end(), m_of.nodes.begin(), m_of.nodes.end(),
                      [](snapshot::NodeId id, const std::string& node) {
                          return node == "#" + std::to_string(id);
                      });
}

void SketchView::selectionChanged(const QObject*) {
    if (!m_of.nodes.empty())
        documentChanged(Part::Sketch);
}

void SketchView::documentChanged(Parts) {
    showAnswer();
    if (isOfSelection())
        return;
    const QString again = u"Make text of this selection"_s;
    const State state = document().state(Part::Sketch);
    if (state == State::Ready)
        overlay()->setStale(u"Of what was selected before."_s, again);
    else if (state == State::Error)
        overlay()->setEmpty(u"Another selection"_s, {}, again);
    m_make->setEnabled(false);
}

void SketchView::begin() {
    m_of = selected();
    m_levels.clear();
    Q_EMIT asked(Appear{});
    if (const QString inside = insideText(document(), selection().picked()); !inside.isEmpty()) {
        m_of.nodes.clear();
        overlay()->setEmpty(u"No text of what lies inside an operator"_s, inside);
    } else if (m_of.nodes.empty())
        overlay()->setEmpty(u"Nothing is selected"_s,
                            u"Select one or more operators in a graph; Ctrl+click adds one."_s);
    else
        ask();
    m_facts->setFocus(Qt::OtherFocusReason);
}

void SketchView::ask() {
    if (m_of.nodes.empty())
        return;
    snapshot::Arguments about;
    about.nodes = m_of.nodes;
    about.stage = m_of.stage;
    about.kind = m_kind->currentData().toString().toStdString();
    about.name = m_name->text().trimmed().toStdString();
    about.levels = m_levels;
    Q_EMIT asked(WantPart{Part::Sketch, about});
}

void SketchView::setLevels(const std::map<std::string, std::string>& levels) {
    for (const auto& [key, level] : levels)
        m_levels[key] = level;
    ask();
}

void SketchView::showAnswer() {
    if (!document().isOpen()) {
        m_of.nodes.clear();
        overlay()->setEmpty(u"Nothing is made yet"_s, u"Open a model first."_s);
        return;
    }
    const auto& sketch = document().sketch();
    const Diag& error = document().error(Part::Sketch);
    const State state = document().state(Part::Sketch);
    if ((state == State::Stale || state == State::Empty) && error.code == DiagCode::Cancelled) {
        if (sketch)
            overlay()->setStale(u"Making text was stopped; this is older."_s, u"Ask again"_s);
        else
            overlay()->setEmpty(u"Stopped"_s, u"Making text was stopped."_s, u"Ask again"_s);
        m_make->setEnabled(false);
        return;
    }
    switch (state) {
    case State::Busy:
        if (!sketch)
            overlay()->setBusy(u"Making text …"_s);
        return;
    case State::Error:
        overlay()->setError(u"No text"_s, text(error.text()), againText(error));
        m_make->setEnabled(false);
        return;
    case State::Stale: // ids of the imported graph stay what they are, others do not
        if (!m_of.nodes.empty() && m_of.stage == "imported")
            ask();
        else
            overlay()->setStale(u"This is of an earlier plan: select, and make it again."_s);
        m_make->setEnabled(false);
        return;
    case State::Empty: // of another model nothing is selected yet
        m_of.nodes.clear();
        m_facts->clear();
        m_preview->clear();
        m_count->clear();
        overlay()->setEmpty(
            u"Nothing is made yet"_s,
            u"Select operators in a graph and press Ctrl+Shift+M: they become a pattern, a rule, an operator, a fusion rule or a test."_s);
        m_make->setEnabled(false);
        return;
    case State::Ready:
        break;
    }
    if (!sketch)
        return;
    overlay()->setReady();
    show(*sketch);
}

void SketchView::show(const snapshot::SketchDocument& sketch) {
    m_make->setEnabled(true);
    m_count->setText(sketch.matches ? u"matches at "_s + countOf(*sketch.matches, u"place"_s)
                                    : QString());
    QString tip;
    for (const std::string& notice : sketch.notices)
        tip += (tip.isEmpty() ? u""_s : u"\n"_s) + text(notice);
    for (const Diag& diag : sketch.diagnostics)
        tip += (tip.isEmpty() ? u""_s : u"\n"_s) + text(diag.text());
    m_preview->setPlainText(
        text(sketch.text) +
        (tip.isEmpty() ? QString() : u"\n# "_s + QString(tip).replace(u'\n', u"\n# "_s)));
    showFacts(sketch);
    showAdvice(sketch);
    orderTabs();
}

ComboBox* SketchView::levelsOf(QTreeWidgetItem* fact) const {
    return static_cast<ComboBox*>(m_facts->itemWidget(fact, Asked));
}

// What was made last would come last in the window.
void SketchView::orderTabs() {
    QWidget* last = m_name;
    const auto add = [&last](QWidget* next) { setTabOrder(std::exchange(last, next), next); };
    for (QPushButton* button : advice())
        add(button);
    add(m_make);
    add(m_facts);
    for (int row = 0; row < m_facts->topLevelItemCount(); ++row)
        add(levelsOf(m_facts->topLevelItem(row)));
    add(m_preview);
}

// The boxes are others after every answer; the keys stay where they were.
void SketchView::showFacts(const snapshot::SketchDocument& sketch) {
    const QString current = m_facts->currentItem() ? m_facts->currentItem()->text(Fact) : QString();
    QString focused;
    for (int row = 0; row < m_facts->topLevelItemCount(); ++row)
        if (QTreeWidgetItem* item = m_facts->topLevelItem(row);
            levelsOf(item) == window()->focusWidget())
            focused = item->text(Fact);
    m_facts->clear();
    for (const snapshot::SketchFactRecord& fact : sketch.facts) {
        auto* item = new QTreeWidgetItem(m_facts, {text(fact.key), text(fact.value)});
        item->setToolTip(Fact, toolTipOf(text(fact.what)));
        item->setToolTip(Value, toolTipOf(text(fact.value)));
        auto* levels = new ComboBox(m_facts);
        levels->setAccessibleName(text(fact.what));
        for (const snapshot::FactLevel level : fact.levels)
            levels->addItem(levelText(fact, level), text(level));
        levels->setCurrentIndex(levels->findData(text(fact.level)));
        levels->setEnabled(fact.levels.size() > 1);
        levels->setFocusPolicy(Qt::StrongFocus);
        const std::string key = fact.key;
        connect(
            levels, &QComboBox::activated, this,
            [this, key, levels] {
                setLevels({{key, levels->currentData().toString().toStdString()}});
            },
            Qt::QueuedConnection); // the answer makes the rows again
        m_facts->setItemWidget(item, Asked, levels);
        if (text(fact.key) == current)
            m_facts->setCurrentItem(item);
        if (text(fact.key) == focused)
            levels->setFocus(Qt::OtherFocusReason);
    }
}

void SketchView::showAdvice(const snapshot::SketchDocument& sketch) {
    const QWidget* keys = window()->focusWidget();
    const bool focused = keys && m_adviceRow->isAncestorOf(keys);
    while (QLayoutItem* item = m_advice->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(sketch.advice.size(), 3); ++i) {
        const snapshot::SketchAdvice& advice = sketch.advice[i];
        auto* button = new QPushButton(adviceText(advice), m_adviceRow);
        QString tip = u"Ask for less:"_s;
        for (const auto& [key, level] : advice.levels)
            tip += u"\n%1: %2"_s.arg(text(key), text(level));
        button->setToolTip(toolTipOf(tip));
        connect(
            button, &QPushButton::clicked, this,
            [this, levels = advice.levels] { setLevels(levels); }, Qt::QueuedConnection);
        m_advice->addWidget(button);
        button->show();
    }
    if (focused) {
        const auto now = advice();
        (now.empty() ? m_facts : static_cast<QWidget*>(now.front()))
            ->setFocus(Qt::OtherFocusReason);
    }
}

void SketchView::make() {
    if (document().state(Part::Sketch) == State::Ready && document().sketch() && isOfSelection())
        Q_EMIT asked(WriteText{text(document().sketch()->text)});
}

QString SketchView::count() const {
    return m_count->text();
}

std::vector<QPushButton*> SketchView::advice() const {
    std::vector<QPushButton*> out;
    for (int i = 0; i < m_advice->count(); ++i)
        if (auto* button = qobject_cast<QPushButton*>(m_advice->itemAt(i)->widget()))
            out.push_back(button);
    return out;
}

} // namespace fw::ui
