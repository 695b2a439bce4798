#include "views/stages/stages_view.h"

#include "views/common/combo_box.h"
#include "views/common/state_overlay.h"
#include "views/common/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QTextBlock>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// More tinted lines than this cost more than they tell.
constexpr int tintLimit = 5000;

class LineText : public QPlainTextEdit {
public:
    explicit LineText(StagesView* view) : QPlainTextEdit(view), m_view(view) {}

protected:
    void mouseReleaseEvent(QMouseEvent* event) override {
        QPlainTextEdit::mouseReleaseEvent(event);
        if (event->button() != Qt::LeftButton || textCursor().hasSelection())
            return;
        m_view->pickNodesOf(textCursor().blockNumber() + 1);
    }

private:
    StagesView* m_view;
};

} // namespace

StagesView::StagesView(QWidget* parent)
    : View(parent), m_stages(new ComboBox(this)), m_title(new QLabel(this)),
      m_text(new LineText(this)) {
    setOverlay(new StateOverlay(m_text));
    // As they follow one another.
    m_stages->addItem(u"Graph"_s, u"graph"_s);
    m_stages->addItem(u"Rewritten graph"_s, u"rewritten"_s);
    m_stages->addItem(u"Regions of libraries"_s, u"partitioned"_s);
    m_stages->addItem(u"Fused graph"_s, u"fused"_s);
    m_stages->addItem(u"Tensor expressions"_s, u"tensor"_s);
    m_stages->addItem(u"Schedule"_s, u"schedule"_s);
    m_stages->addItem(u"Loops"_s, u"loops"_s);
    m_stages->addItem(u"LLVM IR"_s, u"llvm"_s);
    m_stages->addItem(u"Assembly"_s, u"asm"_s);
    m_stages->setCurrentIndex(m_stages->findData(u"loops"_s));
    m_stages->setAccessibleName(u"Stage"_s);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setProperty("muted", true);
    m_text->setReadOnly(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setProperty("code", true);
    m_text->setAccessibleName(u"Text of the stage"_s);
    m_text->setPlaceholderText(u"Select a group to see its text."_s);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(8, 5, 8, 5);
    line->addWidget(m_stages);
    line->addWidget(m_title, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(line);
    layout->addWidget(m_text, 1);
    connect(m_stages, &QComboBox::currentIndexChanged, this,
            [this] { Q_EMIT asked(WantDetails{}); });
    connect(&Theme::instance(), &Theme::changed, this, &StagesView::tint);
    connect(overlay(), &StateOverlay::actionRequested, this, [this] { selectionSettled(); });
}

QString StagesView::stage() const {
    return m_stages->currentData().toString();
}

void StagesView::setStage(const QString& stage) {
    const int index = m_stages->findData(stage);
    if (index >= 0)
        m_stages->setCurrentIndex(index);
}

void StagesView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    Q_EMIT asked(WantDetails{});
}

void StagesView::documentChanged(Parts) {
    const auto& shown = document().stage();
    const State state = document().state(Part::Stages);
    const Diag& error = document().error(Part::Stages);
    const bool stopped =
        (state == State::Stale || state == State::Empty) && error.code == DiagCode::Cancelled;
    if (state == State::Error)
        overlay()->setError(u"No text"_s, QString::fromStdString(error.text()), againText(error));
    else if (stopped && shown)
        overlay()->setStale(u"Lowering was stopped; this was asked for before."_s, u"Ask again"_s);
    else if (stopped)
        overlay()->setEmpty(u"Stopped"_s, u"Lowering was stopped."_s, u"Ask again"_s);
    else if (state == State::Busy)
        return overlay()->setBusy(u"Lowering …"_s);
    else if (state == State::Stale)
        overlay()->setStale(u"This belongs to an earlier plan."_s);
    else
        overlay()->setReady();
    setText(state == State::Error ? nullptr : shown);
}

void StagesView::showTitle() {
    QString title;
    if (m_shown && m_shown->group && document().plan())
        for (const auto& group : document().plan()->groups)
            if (group.id == *m_shown->group)
                title = QString::fromStdString(group.name) + selection().ofSeveral();
    m_title->setText(title);
}

void StagesView::selectionChanged(const QObject* origin) {
    showTitle();
    if (origin != this)
        tint();
}

void StagesView::selectionSettled() {
    if (!isVisible() || !document().plan())
        return;
    const std::string wantedStage = stage().toStdString();
    const bool whole = wantedStage == "graph" || wantedStage == "rewritten" ||
                       wantedStage == "fused" || wantedStage == "partitioned";
    const int group = whole ? -1 : selection().group();
    const auto& now = document().stage();
    const bool same = now && document().state(Part::Stages) == State::Ready &&
                      now->stage == wantedStage && now->group.value_or(-1) == group;
    if (same || (!whole && group < 0))
        return;
    snapshot::Arguments about;
    about.stage = wantedStage;
    if (group >= 0)
        about.group = group;
    Q_EMIT asked(WantPart{Part::Stages, about});
}

void StagesView::pickNodesOf(int line) {
    if (const auto nodes = nodesOfLine(line); !nodes.empty())
        selection().pick(selection().ofFused(nodes), this);
}

void StagesView::setText(const Shared<snapshot::StagesDocument>& shown) {
    m_shown = shown;
    if (isAttached())
        showTitle();
    m_text->setPlainText(m_shown ? QString::fromStdString(m_shown->text) : QString());
    tint();
}

snapshot::NodeSet StagesView::nodesOfLine(int line) const {
    snapshot::NodeSet out;
    if (!m_shown)
        return out;
    for (const auto& span : m_shown->spans) {
        if (line >= span.from && line <= span.to)
            out.insert(span.nodes.begin(), span.nodes.end());
    }
    return out;
}

void StagesView::tint() {
    if (!isAttached())
        return;
    QList<QTextEdit::ExtraSelection> lines;
    const snapshot::NodeSet& picked = selection().picked().fused;
    if (m_shown) {
        const QColor fill = Theme::instance().colour(Colour::PaneHighlight);
        for (const auto& span : m_shown->spans) {
            const bool selected =
                std::any_of(span.nodes.begin(), span.nodes.end(),
                            [&](snapshot::NodeId id) { return picked.contains(id); });
            const int last = std::min(span.to, m_text->document()->blockCount());
            for (int line = std::max(span.from, 1);
                 selected && line <= last && lines.size() < tintLimit; ++line) {
                QTextEdit::ExtraSelection extra;
                extra.cursor = QTextCursor(m_text->document()->findBlockByNumber(line - 1));
                extra.format.setBackground(fill);
                extra.format.setProperty(QTextFormat::FullWidthSelection, true);
                lines.push_back(extra);
            }
        }
    }
    m_text->setExtraSelections(lines);
}

} // namespace fw::ui
