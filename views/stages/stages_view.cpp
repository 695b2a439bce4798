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
        const auto nodes = m_view->nodesOfLine(textCursor().blockNumber() + 1);
        if (!nodes.empty())
            Q_EMIT m_view->nodesActivated({nodes.begin(), nodes.end()});
    }

private:
    StagesView* m_view;
};

} // namespace

StagesView::StagesView(QWidget* parent)
    : QWidget(parent), m_stages(new ComboBox(this)), m_title(new QLabel(this)),
      m_text(new LineText(this)), m_overlay(new StateOverlay(m_text)) {
    m_stages->addItem(u"Schedule"_s, u"schedule"_s);
    m_stages->addItem(u"Tensor expressions"_s, u"tensor"_s);
    m_stages->addItem(u"Loops"_s, u"loops"_s);
    m_stages->addItem(u"LLVM IR"_s, u"llvm"_s);
    m_stages->addItem(u"Assembly"_s, u"asm"_s);
    m_stages->addItem(u"Graph"_s, u"graph"_s);
    m_stages->addItem(u"Rewritten graph"_s, u"rewritten"_s);
    m_stages->addItem(u"Fused graph"_s, u"fused"_s);
    m_stages->setCurrentIndex(2);
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
            [this] { Q_EMIT stageChanged(stage()); });
    connect(&Theme::instance(), &Theme::changed, this, &StagesView::tint);
}

QString StagesView::stage() const {
    return m_stages->currentData().toString();
}

void StagesView::setStage(const QString& stage) {
    const int index = m_stages->findData(stage);
    if (index >= 0)
        m_stages->setCurrentIndex(index);
}

void StagesView::setText(std::shared_ptr<const snapshot::StagesDocument> document,
                         const QString& title) {
    m_document = std::move(document);
    m_title->setText(title);
    m_text->setPlainText(m_document ? QString::fromStdString(m_document->text) : QString());
    tint();
}

void StagesView::setSelected(const snapshot::NodeSet& nodes) {
    m_selected = nodes;
    tint();
}

snapshot::NodeSet StagesView::nodesOfLine(int line) const {
    snapshot::NodeSet out;
    if (!m_document)
        return out;
    for (const auto& span : m_document->spans) {
        if (line >= span.from && line <= span.to)
            out.insert(span.nodes.begin(), span.nodes.end());
    }
    return out;
}

void StagesView::tint() {
    QList<QTextEdit::ExtraSelection> lines;
    if (m_document) {
        const QColor fill = Theme::instance().colour(Colour::PaneHighlight);
        for (const auto& span : m_document->spans) {
            const bool selected =
                std::any_of(span.nodes.begin(), span.nodes.end(),
                            [&](snapshot::NodeId id) { return m_selected.contains(id); });
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
