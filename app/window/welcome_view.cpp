#include "app/window/welcome_view.h"

#include "app/window/shown_names.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int shownRecent = 6, recentColumns = 2;
constexpr int widestName = 205;

void clear(QLayout* layout) {
    while (QLayoutItem* item = layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

} // namespace

WelcomeView::WelcomeView(QWidget* parent)
    : QScrollArea(parent), m_text(new QLabel), m_samplesTitle(new QLabel(u"Samples"_s)),
      m_samples(new QGridLayout), m_recentTitle(new QLabel(u"Recent"_s)),
      m_recent(new QGridLayout) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    auto* page = new QWidget;
    auto* card = new QFrame(page);
    card->setObjectName(u"stateCard"_s);
    card->setMaximumWidth(520);
    auto* title = new QLabel(u"Open a model"_s);
    title->setObjectName(u"stateTitle"_s);
    m_text->setObjectName(u"stateText"_s);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    auto* open = new QPushButton(u"Open…"_s);
    open->setProperty("primary", true);
    connect(open, &QPushButton::clicked, this, &WelcomeView::openRequested);
    for (QLabel* label : {m_samplesTitle, m_recentTitle})
        label->setProperty("muted", true);
    m_samples->setHorizontalSpacing(12);
    m_samples->setVerticalSpacing(6);
    m_samples->setColumnStretch(1, 1);
    m_recent->setSpacing(6);
    for (int column = 0; column < recentColumns; ++column)
        m_recent->setColumnStretch(column, 1);
    auto* inside = new QVBoxLayout(card);
    inside->setContentsMargins(22, 18, 22, 18);
    inside->setSpacing(8);
    inside->addWidget(title);
    inside->addWidget(m_text);
    inside->addWidget(open, 0, Qt::AlignLeft);
    inside->addSpacing(4);
    inside->addWidget(m_samplesTitle);
    inside->addLayout(m_samples);
    inside->addSpacing(4);
    inside->addWidget(m_recentTitle);
    inside->addLayout(m_recent);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->addStretch(2);
    auto* row = new QHBoxLayout; // an alignment would not ask how high the text is at its width
    row->addStretch(1);
    row->addWidget(card, 100);
    row->addStretch(1);
    layout->addLayout(row);
    layout->addStretch(3);
    setWidget(page);
    setBusy({});
    setSamples({});
    setRecent({});
}

void WelcomeView::setBusy(const QString& text) {
    m_text->setText(text.isEmpty()
                        ? u"An ONNX file, a graph in .fw text, or a folder in the layout "
                          "of the ONNX backend tests. Drop it here or press Ctrl+O."_s
                        : text);
}

QPushButton* WelcomeView::addModel(const QString& name, const QString& path) {
    auto* button = new QPushButton(widget());
    // A button reads "&" as a mnemonic.
    button->setText(
        fontMetrics().elidedText(name, Qt::ElideMiddle, widestName).replace(u'&', u"&&"_s));
    button->setToolTip(u"<span>"_s + path.toHtmlEscaped() + u"</span>"_s);
    button->setStyleSheet(u"text-align: left"_s);
    connect(button, &QPushButton::clicked, this, [this, path] { Q_EMIT modelRequested(path); });
    return button;
}

void WelcomeView::setSamples(const QList<Sample>& samples) {
    clear(m_samples);
    m_sampleButtons.clear();
    m_samplesTitle->setVisible(!samples.isEmpty());
    for (const Sample& sample : samples) {
        QPushButton* button = addModel(sample.name, sample.path);
        button->setAccessibleDescription(sample.shows);
        auto* shows = new QLabel(sample.shows, widget());
        shows->setObjectName(u"stateText"_s);
        shows->setWordWrap(true);
        const int row = int(m_sampleButtons.size());
        m_samples->addWidget(button, row, 0);
        m_samples->addWidget(shows, row, 1);
        m_sampleButtons << button;
    }
}

void WelcomeView::setRecent(const QStringList& paths) {
    clear(m_recent);
    const QStringList shown = paths.mid(0, shownRecent);
    const QStringList names = shownNames(shown);
    m_recentTitle->setVisible(!shown.isEmpty());
    for (qsizetype i = 0; i < shown.size(); ++i)
        m_recent->addWidget(addModel(names[i], shown[i]), int(i) / recentColumns,
                            int(i) % recentColumns);
}

} // namespace fw::ui
