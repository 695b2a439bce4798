#include "app/window/welcome_view.h"

#include "app/window/shown_names.h"

#include <QFileInfo>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int shownRecent = 6;
}

WelcomeView::WelcomeView(QWidget* parent)
    : QWidget(parent), m_text(new QLabel(this)), m_recent(new QVBoxLayout) {
    auto* card = new QFrame(this);
    card->setObjectName(u"stateCard"_s);
    card->setFixedWidth(440);
    auto* title = new QLabel(u"Open a model"_s, card);
    title->setObjectName(u"stateTitle"_s);
    m_text->setObjectName(u"stateText"_s);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    auto* open = new QPushButton(u"Open…"_s, card);
    open->setProperty("primary", true);
    connect(open, &QPushButton::clicked, this, &WelcomeView::openRequested);
    auto* inside = new QVBoxLayout(card);
    inside->setContentsMargins(22, 20, 22, 20);
    inside->setSpacing(10);
    inside->addWidget(title);
    inside->addWidget(m_text);
    inside->addWidget(open, 0, Qt::AlignLeft);
    inside->addLayout(m_recent);
    auto* layout = new QVBoxLayout(this);
    layout->addStretch(2);
    auto* row = new QHBoxLayout; // an alignment would not ask how high the text is at its width
    row->addStretch(1);
    row->addWidget(card);
    row->addStretch(1);
    layout->addLayout(row);
    layout->addStretch(3);
    setBusy({});
}

void WelcomeView::setBusy(const QString& text) {
    m_text->setText(text.isEmpty()
                        ? u"An ONNX file, a graph in .fw text, or a folder in the layout "
                          "of the ONNX backend tests. Drop it here or press Ctrl+O."_s
                        : text);
}

void WelcomeView::setRecent(const QStringList& paths) {
    while (QLayoutItem* item = m_recent->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const QStringList shown = paths.mid(0, shownRecent);
    QStringList names = shownNames(shown);
    for (qsizetype i = 0; i < shown.size(); ++i) {
        const QString& path = shown[i];
        auto* button = new QPushButton(this);
        button->setFlat(true);
        // A button reads "&" as a mnemonic.
        button->setText(names[i].replace(u'&', u"&&"_s));
        button->setToolTip(u"<span>"_s + path.toHtmlEscaped() + u"</span>"_s);
        button->setStyleSheet(u"text-align: left"_s);
        connect(button, &QPushButton::clicked, this,
                [this, path] { Q_EMIT recentRequested(path); });
        m_recent->addWidget(button);
    }
}

} // namespace fw::ui
