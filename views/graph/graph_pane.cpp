#include "views/graph/graph_pane.h"

#include "picture/layout_memo.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "views/graph/trail.h"

#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

GraphPane::GraphPane(const QString& title, QWidget* parent)
    : QWidget(parent), m_header(new PaneHeader(title, this)), m_trail(new Trail(this)),
      m_canvas(new GraphCanvas(this)), m_overlay(new StateOverlay(m_canvas)),
      m_memo(std::make_shared<picture::LayoutMemo>()) {
    m_canvas->setAccessibleName(title + u" graph"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(m_trail);
    layout->addWidget(m_canvas, 1);
    setFocusProxy(m_canvas);
    connect(m_trail, &Trail::followed, m_canvas, &GraphCanvas::fitContainer);
    connect(&m_job, &PictureJob::finished, this,
            [this](const std::shared_ptr<const picture::Picture>& made,
                   std::shared_ptr<const SceneIndex> index) {
                for (const Decision& decision : made->decisions)
                    Q_EMIT noted(
                        QString::fromStdString(decision.subject + ": " + decision.sentence()));
                m_canvas->setIndex(std::move(index));
                Q_EMIT busyChanged();
            });
    connect(&m_job, &PictureJob::failed, this, [this](const Diag& diag) {
        Q_EMIT busyChanged();
        m_overlay->setError(u"The graph could not be drawn"_s, QString::fromStdString(diag.text()));
    });
}

void GraphPane::setTitle(const QString& title) {
    constexpr int longest = 230;
    m_header->setTitle(m_header->fontMetrics().elidedText(title, Qt::ElideMiddle, longest));
    m_header->setToolTip(title);
    m_canvas->setAccessibleName(title + u" graph"_s);
}

void GraphPane::setDetail(const QString& text) {
    m_header->setDetail(text);
}

void GraphPane::setDiagram(PictureJob::Maker diagram) {
    picture::DrawOptions options;
    options.memo = m_memo;
    m_stopped = false;
    m_job.start(std::move(diagram), std::move(options));
    Q_EMIT busyChanged();
}

void GraphPane::stop() {
    m_job.cancel();
    m_stopped = true;
    Q_EMIT busyChanged();
}

void GraphPane::clear() {
    m_job.cancel();
    m_canvas->setPicture(nullptr);
    m_trail->setSteps({});
    setDetail({});
    Q_EMIT busyChanged();
}

} // namespace fw::ui
