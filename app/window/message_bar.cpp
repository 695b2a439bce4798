#include "app/window/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace fw::ui {

using namespace Qt::StringLiterals;

MessageBar::MessageBar(QWidget* parent) : QFrame(parent), m_label(new QLabel(this)) {
    setObjectName(u"messageBar"_s);
    setAccessibleName(u"Message"_s);
    m_label->setTextFormat(Qt::PlainText);
    m_label->setWordWrap(true);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* dismiss = new QPushButton(u"Dismiss"_s, this);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 5, 8, 5);
    layout->addWidget(m_label, 1);
    layout->addWidget(dismiss, 0, Qt::AlignTop);
    connect(dismiss, &QPushButton::clicked, this, &MessageBar::clear);
    hide();
}

void MessageBar::tell(const QString& text) {
    m_label->setText(text);
    show();
}

void MessageBar::clear() {
    m_label->clear();
    hide();
}

QString MessageBar::text() const {
    return m_label->text();
}

} // namespace fw::ui
