#include "app/window/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace fw::ui {

using namespace Qt::StringLiterals;

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), m_label(new QLabel(this)), m_action(new QPushButton(this)) {
    setObjectName(u"messageBar"_s);
    setAccessibleName(u"Message"_s);
    m_label->setTextFormat(Qt::PlainText);
    m_label->setWordWrap(true);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* dismiss = new QPushButton(u"Dismiss"_s, this);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 5, 8, 5);
    layout->addWidget(m_label, 1);
    layout->addWidget(m_action, 0, Qt::AlignTop);
    layout->addWidget(dismiss, 0, Qt::AlignTop);
    connect(m_action, &QPushButton::clicked, this, [this] {
        const auto act = std::exchange(m_act, {});
        clear();
        if (act)
            act();
    });
    connect(dismiss, &QPushButton::clicked, this, [this] {
        const auto dismissed = std::exchange(m_dismissed, {});
        clear();
        if (dismissed)
            dismissed();
    });
    hide();
}

void MessageBar::tell(const QString& text) {
    offer(text, {}, {});
}

// Of several of one kind, as the operators of a model that cannot run are, the first.
void MessageBar::tell(const Diag& diag, const DocumentParts& document) {
    const bool isAnother = !isHidden() && m_told && m_told->code == diag.code &&
                           m_told->where.file == diag.where.file && !diag.where.node.empty() &&
                           m_told->where.node != diag.where.node;
    if (isAnother) {
        ++m_more;
        m_label->setText(QString::fromStdString(m_told->text()) +
                         u" (and %1 more, in Problems)"_s.arg(m_more));
        return;
    }
    tell(QString::fromStdString(diag.text()));
    m_told = diag;
    for (const PartRow& row : documentParts)
        if (document.state(row.part) == State::Error && document.error(row.part) == diag)
            m_failed.push_back(row.part);
}

void MessageBar::follow(const DocumentParts& document) {
    if (!m_failed.empty() && std::none_of(m_failed.begin(), m_failed.end(), [&](Part part) {
            return document.state(part) == State::Error || document.state(part) == State::Busy;
        }))
        clear();
}

void MessageBar::offer(const QString& text, const QString& action, std::function<void()> act,
                       std::function<void()> dismissed) {
    m_failed.clear();
    m_told.reset();
    m_more = 0;
    m_label->setText(text);
    m_act = std::move(act);
    m_dismissed = std::move(dismissed);
    m_action->setText(action);
    m_action->setVisible(!action.isEmpty());
    show();
}

void MessageBar::clear() {
    m_failed.clear();
    m_told.reset();
    m_label->clear();
    m_act = {};
    m_dismissed = {};
    hide();
}

QString MessageBar::text() const {
    return m_label->text();
}

} // namespace fw::ui
