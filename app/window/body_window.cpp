#include "app/window/body_window.h"

#include "picture/graph_diagram.h"
#include "views/common/state_overlay.h"
#include "views/common/text.h"
#include "views/graph/graph_pane.h"

#include <QHBoxLayout>
#include <QKeySequence>
#include <QPointer>
#include <QSignalBlocker>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

QString namesOf(const std::vector<snapshot::TensorRecord>& tensors) {
    QStringList out;
    for (const snapshot::TensorRecord& tensor : tensors)
        out << text(tensor.name);
    return out.join(u", "_s);
}

} // namespace

BodyWindow::BodyWindow(Ask ask, QWidget* parent)
    : SideWindow(parent), m_ask(std::move(ask)), m_back(new QToolButton(this)),
      m_tabs(new QTabBar(this)), m_pane(new GraphPane(u"Body"_s, this)) {
    setObjectName(u"bodyWindow"_s);
    resize(720, 620);
    m_back->setText(u"← Back"_s);
    m_back->setAccessibleName(u"Back to the graph around"_s);
    m_back->setToolTip(u"To the graph around this one (Alt+Left)"_s);
    m_back->setShortcut(QKeySequence(u"Alt+Left"_s));
    m_tabs->setAccessibleName(u"Bodies of the node"_s);
    m_tabs->setExpanding(false);
    auto* top = new QHBoxLayout;
    top->addWidget(m_back);
    top->addWidget(m_tabs, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addWidget(m_pane, 1);
    setFocusProxy(m_pane);
    connect(m_back, &QToolButton::clicked, this, &BodyWindow::back);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) {
        if (m_levels.empty() || tab < 0)
            return;
        m_levels.back().shown = static_cast<std::size_t>(tab);
        showBody();
    });
    connect(m_pane->canvas(), &GraphCanvas::activated, this, [this](std::int64_t id) {
        if (m_graph)
            for (const snapshot::NodeRecord& node : m_graph->nodes)
                if (node.id == id && !node.bodies.empty())
                    return enter(node);
    });
}

void BodyWindow::open(const snapshot::NodeRecord& node) {
    m_levels.clear();
    enter(node);
}

QString BodyWindow::path() const {
    return m_levels.empty() ? QString() : text(m_levels.back().bodies[m_levels.back().shown].path);
}

bool BodyWindow::busy() const {
    return !m_graph || m_pane->busy();
}

void BodyWindow::enter(const snapshot::NodeRecord& node) {
    m_levels.push_back({node.bodies});
    showLevel();
}

void BodyWindow::back() {
    if (m_levels.size() <= 1)
        return;
    m_levels.pop_back();
    showLevel();
}

void BodyWindow::showLevel() {
    const Level& level = m_levels.back();
    {
        const QSignalBlocker quiet(m_tabs);
        while (m_tabs->count() > 0)
            m_tabs->removeTab(0);
        for (const snapshot::BodyRecord& body : level.bodies)
            m_tabs->addTab(text(body.name).replace(u'&', u"&&"_s));
        m_tabs->setCurrentIndex(static_cast<int>(level.shown));
    }
    m_back->setEnabled(m_levels.size() > 1);
    showBody();
}

void BodyWindow::showBody() {
    const snapshot::BodyRecord& body = m_levels.back().bodies[m_levels.back().shown];
    setWindowTitle(path());
    QStringList detail;
    if (!body.inputs.empty())
        detail << u"takes "_s + namesOf(body.inputs);
    if (!body.captured.empty())
        detail << u"reads "_s + namesOf(body.captured) + u" from outside"_s;
    detail << u"gives "_s + namesOf(body.outputs);
    m_graph.reset();
    m_pane->clear();
    m_pane->setDetail(detail.join(u"; "_s));
    m_pane->overlay()->setBusy(u"Reading the body…"_s);
    m_ask(body.path, [self = QPointer(this), asked = ++m_asked](const Result<Graph>& answer) {
        if (!self || asked != self->m_asked)
            return;
        if (!answer)
            return self->m_pane->overlay()->setError(u"The body could not be shown"_s,
                                                     QString::fromStdString(answer.diag().text()));
        self->m_graph = *answer;
        self->m_pane->overlay()->setReady();
        self->m_pane->setDiagram([graph = self->m_graph] { return picture::diagramOf(*graph); });
    });
}

} // namespace fw::ui
