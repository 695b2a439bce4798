#include "views/common/state_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>

namespace fw::ui {

using namespace Qt::StringLiterals;

StateStrip::StateStrip(QWidget* parent)
    : QFrame(parent), m_label(new QLabel(this)), m_button(new QPushButton(this)) {
    setObjectName(u"strip"_s);
    m_label->setTextFormat(Qt::PlainText);
    m_label->setWordWrap(true);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 5, 8, 5);
    layout->addWidget(m_label, 1);
    layout->addWidget(m_button);
    connect(m_button, &QPushButton::clicked, this, &StateStrip::actionTriggered);
    m_delay.setSingleShot(true);
    m_delay.setInterval(300);
    connect(&m_delay, &QTimer::timeout, this, [this] { present(Tone::Plain, m_busyText, {}); });
    hide();
}

void StateStrip::ready() {
    m_delay.stop();
    hide();
}

void StateStrip::busy(const QString& text) {
    m_busyText = text;
    if (isVisible() && !m_button->isVisibleTo(this))
        present(Tone::Plain, text, {});
    else
        m_delay.start();
}

void StateStrip::show(Tone tone, const QString& text, const QString& action) {
    m_delay.stop();
    present(tone, text, action);
}

QString StateStrip::text() const {
    return isVisibleTo(parentWidget()) ? m_label->text() : QString();
}

void StateStrip::present(Tone tone, const QString& text, const QString& action) {
    m_label->setText(text);
    m_button->setText(action);
    m_button->setVisible(!action.isEmpty());
    setProperty("tone", tone == Tone::Error     ? u"error"_s
                        : tone == Tone::Warning ? u"warning"_s
                                                : u"plain"_s);
    style()->unpolish(this);
    style()->polish(this);
    style()->unpolish(m_label);
    style()->polish(m_label);
    setVisible(true);
}

} // namespace fw::ui
