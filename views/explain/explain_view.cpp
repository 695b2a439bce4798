#include "views/explain/explain_view.h"

#include "views/common/state_overlay.h"
#include "views/common/theme.h"
#include "views/common/tool_tip.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int toneRole = Qt::UserRole;
enum class Tone { Plain, Good, Bad, Muted };

QString text(const std::string& value) {
    return QString::fromStdString(value);
}

// Colours come from the theme while painting, so a change of theme needs no new rows.
class ToneDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    // Rows are as high as the text that wraps in its column.
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        constexpr int padding = 5;
        const auto* tree = qobject_cast<const QTreeView*>(option.widget);
        const int width = tree ? tree->columnWidth(index.column()) - 2 * padding : 100;
        const QRect text = option.fontMetrics.boundingRect(QRect(0, 0, std::max(width, 20), 10000),
                                                           Qt::TextWordWrap | Qt::TextWrapAnywhere,
                                                           index.data().toString());
        return {width, std::max(text.height() + 2 * 3, 22)};
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        option->features |= QStyleOptionViewItem::WrapText;
        const auto set = [&](Colour meaning) {
            const QColor value = Theme::instance().colour(meaning);
            option->palette.setColor(QPalette::Text, value);
            option->palette.setColor(QPalette::HighlightedText, value);
        };
        switch (Tone(index.data(toneRole).toInt())) {
        case Tone::Plain:
            break;
        case Tone::Good:
            set(Colour::Created);
            break;
        case Tone::Bad:
            set(Colour::Failing);
            break;
        case Tone::Muted:
            set(Colour::Muted);
            break;
        }
    }
};

QTreeWidget* makeTable(QWidget* parent, const QString& name, const QStringList& titles) {
    auto* table = new QTreeWidget(parent);
    table->setAccessibleName(name);
    table->setColumnCount(int(titles.size()));
    table->setHeaderLabels(titles);
    table->setRootIsDecorated(false);
    table->setAlternatingRowColors(true);
    table->setWordWrap(true);
    table->setItemDelegate(new ToneDelegate(table));
    table->setTextElideMode(Qt::ElideNone);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    QObject::connect(table->header(), &QHeaderView::sectionResized, table,
                     [table] { table->doItemsLayout(); });
    return table;
}

void setCell(QTreeWidgetItem* item, int column, const QString& value, Tone tone = Tone::Plain) {
    item->setText(column, value);
    item->setData(column, toneRole, int(tone));
    item->setToolTip(column, toolTipOf(value));
    item->setTextAlignment(column, Qt::AlignLeft | Qt::AlignTop);
}

QString timeText(const std::optional<double>& microseconds) {
    return microseconds ? QString::number(*microseconds / 1e3, 'f', 3) : u"–"_s;
}

} // namespace

ExplainView::ExplainView(QWidget* parent)
    : QWidget(parent), m_sentence(new QLabel(this)),
      m_gates(makeTable(this, u"Gates"_s, {u""_s, u"gate"_s, u"evidence"_s})),
      m_groupTitle(new QLabel(this)),
      m_candidates(makeTable(this, u"Implementations"_s,
                             {u"candidate"_s, u"est. ms"_s, u"ms"_s, u"verdict"_s})),
      m_schedule(new QPlainTextEdit(this)), m_copy(new QPushButton(u"Copy"_s, this)),
      m_overlay(new StateOverlay(m_gates)) {
    for (QLabel* label : {m_sentence, m_groupTitle}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setFont(Theme::textFont(12, QFont::Bold));
        label->setContentsMargins(10, 8, 10, 6);
    }
    m_sentence->setAccessibleName(u"Answer"_s);
    m_gates->setHeaderHidden(true);
    m_gates->header()->resizeSection(0, 24);
    m_gates->header()->resizeSection(1, 150);
    m_gates->setIndentation(0);
    m_candidates->setIndentation(0);
    m_candidates->header()->resizeSection(0, 150);
    m_candidates->header()->resizeSection(1, 74);
    m_candidates->header()->resizeSection(2, 50);
    m_schedule->setReadOnly(true);
    m_schedule->setProperty("code", true);
    m_schedule->setPlaceholderText(u"schedule"_s);
    m_schedule->setAccessibleName(u"Schedule"_s);
    m_copy->setToolTip(u"Copy the explanation as text"_s);

    auto* head = new QHBoxLayout;
    head->setContentsMargins(0, 0, 8, 0);
    head->addWidget(m_sentence, 1);
    head->addWidget(m_copy, 0, Qt::AlignTop);
    auto* top = new QWidget(this);
    auto* topLayout = new QVBoxLayout(top);
    topLayout->setContentsMargins(0, 4, 0, 0);
    topLayout->setSpacing(0);
    topLayout->addLayout(head);
    topLayout->addWidget(m_gates, 1);
    auto* bottom = new QWidget(this);
    auto* bottomLayout = new QVBoxLayout(bottom);
    bottomLayout->setContentsMargins(0, 0, 0, 0);
    bottomLayout->setSpacing(0);
    bottomLayout->addWidget(m_groupTitle);
    bottomLayout->addWidget(m_candidates, 3);
    bottomLayout->addWidget(m_schedule, 2);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->addWidget(top);
    splitter->addWidget(bottom);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({250, 250});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(splitter, 1);
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(asText()); });
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        m_gates->viewport()->update();
        m_candidates->viewport()->update();
    });
    setContent(nullptr, nullptr);
}

void ExplainView::setContent(std::shared_ptr<const snapshot::ExplainDocument> explanation,
                             const snapshot::GroupRecord* group) {
    m_gates->clear();
    m_candidates->clear();
    m_schedule->clear();
    m_groupTitle->clear();
    m_sentence->setText(u"Select an operator, a group, or two operators."_s);
    if (explanation) {
        m_sentence->setText(text(explanation->sentence));
        fillGates(*explanation);
    }
    m_copy->setEnabled(explanation || group);
    m_groupTitle->setVisible(group);
    m_candidates->setVisible(group);
    m_schedule->setVisible(group && !group->schedule.empty());
    if (group)
        fillCandidates(*group);
}

void ExplainView::fillGates(const snapshot::ExplainDocument& explanation) {
    for (const auto& gate : explanation.gates) {
        auto* item = new QTreeWidgetItem(m_gates);
        setCell(item, 0, gate.pass ? u"✓"_s : u"✖"_s, gate.pass ? Tone::Good : Tone::Bad);
        setCell(item, 1, text(gate.name));
        const QString code = gate.code.empty() || gate.pass ? QString() : u"  "_s + text(gate.code);
        setCell(item, 2, text(gate.evidence) + code, gate.pass ? Tone::Muted : Tone::Plain);
    }
    for (const auto& decision : explanation.decisions) {
        auto* item = new QTreeWidgetItem(m_gates);
        const bool yes = decision.verdict == "yes";
        const bool no = decision.verdict == "no";
        setCell(item, 0,
                yes  ? u"✓"_s
                : no ? u"✖"_s
                     : u"·"_s,
                yes  ? Tone::Good
                : no ? Tone::Bad
                     : Tone::Muted);
        setCell(item, 1,
                decision.to.empty() ? text(decision.from)
                                    : text(decision.from) + u" → "_s + text(decision.to));
        setCell(item, 2, text(decision.sentence) + u"  "_s + text(decision.code), Tone::Muted);
    }
}

void ExplainView::fillCandidates(const snapshot::GroupRecord& group) {
    m_groupTitle->setText(
        u"%1: %2%3"_s.arg(text(group.name), text(group.implementation),
                          group.source.empty() ? QString() : u", "_s + text(group.source)));
    for (const auto& candidate : group.candidates) {
        auto* item = new QTreeWidgetItem(m_candidates);
        const bool chosen = candidate.verdict == "chosen";
        const bool refused = candidate.verdict == "refused";
        setCell(item, 0, text(candidate.name));
        setCell(item, 1, timeText(candidate.estUs));
        setCell(item, 2, timeText(candidate.measuredUs));
        setCell(item, 3,
                text(candidate.verdict) +
                    (candidate.sentence.empty() ? QString() : u": "_s + text(candidate.sentence)),
                chosen    ? Tone::Good
                : refused ? Tone::Muted
                          : Tone::Plain);
    }
    const bool measured =
        std::any_of(group.candidates.begin(), group.candidates.end(),
                    [](const auto& candidate) { return candidate.measuredUs.has_value(); });
    m_candidates->setColumnHidden(2, !measured);
    for (const std::string& warning : group.warnings) {
        auto* item = new QTreeWidgetItem(m_candidates);
        setCell(item, 0, u"warning"_s, Tone::Bad);
        setCell(item, 3, text(warning));
    }
    m_schedule->setPlainText(text(group.schedule));
}

QString ExplainView::asText() const {
    QString out = m_sentence->text() + u'\n';
    for (const QTreeWidget* table : {m_gates, m_candidates}) {
        if (table == m_candidates && !m_groupTitle->text().isEmpty())
            out += m_groupTitle->text() + u'\n';
        for (int row = 0; row < table->topLevelItemCount(); ++row) {
            QStringList cells;
            for (int column = 0; column < table->columnCount(); ++column)
                cells << table->topLevelItem(row)->text(column);
            out += u"  "_s + cells.join(u"  "_s) + u'\n';
        }
    }
    if (!m_schedule->toPlainText().isEmpty())
        out += m_schedule->toPlainText() + u'\n';
    return out;
}

int ExplainView::gateCount() const {
    return m_gates->topLevelItemCount();
}

} // namespace fw::ui
