#include "app/window/counterexample_window.h"

#include "picture/graph_diagram.h"
#include "views/common/state_overlay.h"
#include "views/graph/graph_pane.h"

#include <QLabel>
#include <QPointer>
#include <QSplitter>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// With its attributes, which may be why.
picture::Diagram diagramWithAttributes(const snapshot::GraphDocument& graph) {
    picture::DiagramOptions options;
    options.attributeLine = [](const std::string& name, const std::string& value) {
        return name + " = " + value;
    };
    return picture::diagramOf(graph, options);
}

} // namespace

CounterexampleWindow::CounterexampleWindow(QWidget* parent)
    : SideWindow(parent), m_sentence(new QLabel(this)) {
    setObjectName(u"counterexampleWindow"_s);
    resize(820, 560);
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_sentence->setContentsMargins(10, 8, 10, 8);
    m_sentence->setAccessibleName(u"What differs"_s);
    auto* panes = new QSplitter(Qt::Horizontal, this);
    m_sides[0].pane = new GraphPane(u"Before"_s, panes);
    m_sides[1].pane = new GraphPane(u"Behind the rule"_s, panes);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_sentence);
    layout->addWidget(panes, 1);
    setFocusProxy(m_sides[0].pane);
}

void CounterexampleWindow::open(const snapshot::CheckItem& rule, const Ask& ask) {
    ++m_opened;
    setWindowTitle(u"%1: counterexample"_s.arg(QString::fromStdString(rule.name)));
    QString sentence;
    for (const Diag& diag : rule.diagnostics)
        if (diag.code == DiagCode::OutputsDiffer)
            sentence = QString::fromStdString(diag.message);
    m_sentence->setText(sentence);
    fill(0, rule.counterexample, ask);
    fill(1, rule.becomes, ask);
}

void CounterexampleWindow::fill(std::size_t number, const std::string& text, const Ask& ask) {
    Side& side = m_sides[number];
    side.graph.reset();
    side.pane->clear();
    if (text.empty())
        return side.pane->overlay()->setEmpty(u"No graph"_s, u"The application is undone there."_s);
    side.waits = true;
    side.pane->overlay()->setBusy(u"Reading the graph …"_s);
    ask(text, [self = QPointer(this), number, opened = m_opened](const Result<Graph>& answer) {
        if (!self || opened != self->m_opened)
            return;
        Side& mine = self->m_sides[number];
        mine.waits = false;
        if (!answer)
            return mine.pane->overlay()->setError(u"The graph could not be shown"_s,
                                                  QString::fromStdString(answer.diag().text()));
        mine.graph = *answer;
        mine.pane->overlay()->setReady();
        mine.pane->setDiagram([graph = mine.graph] { return diagramWithAttributes(*graph); });
    });
}

QString CounterexampleWindow::sentence() const {
    return m_sentence->text();
}

bool CounterexampleWindow::busy() const {
    for (const Side& side : m_sides)
        if (side.waits || side.pane->busy())
            return true;
    return false;
}

} // namespace fw::ui
