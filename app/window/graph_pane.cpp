#include "app/window/graph_pane.h"

#include "app/window/background.h"
#include "picture/picture.h"
#include "views/common/pane.h"
#include "views/common/state_strip.h"

#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

GraphPane::GraphPane(const QString& title, QWidget* parent)
    : QWidget(parent), m_header(new PaneHeader(title, this)), m_strip(new StateStrip(this)),
      m_canvas(new GraphCanvas(this)) {
    m_canvas->setAccessibleName(title + u" graph"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(m_strip);
    layout->addWidget(m_canvas, 1);
    setFocusProxy(m_canvas);
}

GraphPane::~GraphPane() {
    m_cancel.cancel();
}

void GraphPane::setDetail(const QString& text) {
    m_header->setDetail(text);
}

void GraphPane::setDiagram(std::shared_ptr<const picture::Diagram> diagram) {
    m_cancel.cancel();
    m_cancel = CancelToken();
    const std::uint64_t generation = ++m_generation;
    if (!diagram) {
        m_busy = false;
        m_canvas->setPicture(nullptr);
        Q_EMIT busyChanged();
        return;
    }
    m_busy = true;
    Q_EMIT busyChanged();
    inBackground(
        this, [diagram, cancel = m_cancel] { return picture::draw(*diagram, {}, cancel); },
        [this, generation](Result<picture::Picture> made) {
            if (generation != m_generation)
                return;
            m_busy = false;
            if (made) {
                for (const Decision& decision : made->decisions)
                    Q_EMIT noted(
                        QString::fromStdString(decision.subject + ": " + decision.sentence()));
                m_canvas->setPicture(std::make_shared<const picture::Picture>(made.take()));
            } else {
                m_strip->show(StateStrip::Tone::Error, QString::fromStdString(made.diag().text()));
            }
            Q_EMIT busyChanged();
        });
}

} // namespace fw::ui
