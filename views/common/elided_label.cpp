#include "views/common/elided_label.h"

#include "views/common/tool_tip.h"

#include <QEvent>

namespace fw::ui {

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void ElidedLabel::setFullText(const QString& text, const QString& more) {
    if (text == m_text && more == m_more)
        return;
    m_text = text;
    m_more = more;
    updateGeometry();
    refresh();
}

QSize ElidedLabel::sizeHint() const {
    const int around = width() - contentsRect().width(); // that the style keeps free
    return {fontMetrics().horizontalAdvance(m_text) + 1 + around, QLabel::sizeHint().height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    return {fontMetrics().averageCharWidth() * 4, QLabel::minimumSizeHint().height()};
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    refresh();
}

void ElidedLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        refresh();
}

void ElidedLabel::refresh() {
    const QString shown = fontMetrics().elidedText(m_text, Qt::ElideRight, contentsRect().width());
    setText(shown);
    QStringList tip;
    if (shown != m_text)
        tip << m_text;
    if (!m_more.isEmpty())
        tip << m_more;
    setToolTip(tip.isEmpty() ? QString() : toolTipOf(tip.join(u'\n')));
}

} // namespace fw::ui
