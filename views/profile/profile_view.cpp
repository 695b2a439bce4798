#include "views/profile/profile_view.h"

#include "snapshot/time_changes.h"
#include "views/common/elided_label.h"
#include "views/common/fitted_columns.h"
#include "views/common/numbers.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QTreeView>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

ProfileView::ProfileView(QWidget* parent)
    : View(parent), m_table(new QTreeView(this)), m_footer(new ElidedLabel(this)),
      m_footerRight(new QLabel(this)), m_baseline(new ElidedLabel(this)) {
    setOverlay(new StateOverlay(m_table));
    connect(overlay(), &StateOverlay::actionRequested, this,
            [this] { Q_EMIT asked(Request::Profile); });
    addCommand(
        MenuPlace::Copy, u"Copy op &times"_s, u"Ctrl+Shift+T"_s,
        [this] { QApplication::clipboard()->setText(asText()); }, Needs::Nothing);
    m_sorted.setSourceModel(&m_model);
    m_sorted.setSortRole(ProfileModel::SortRole);
    m_table->setObjectName(u"opTimes"_s);
    m_table->setAccessibleName(u"Op times"_s);
    m_table->setModel(&m_sorted);
    prepare(m_table);
    m_table->setSortingEnabled(true);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->sortByColumn(ProfileModel::Median, Qt::DescendingOrder);
    m_table->header()->setStretchLastSection(false);
    m_table->header()->setSectionResizeMode(ProfileModel::Name, QHeaderView::Interactive);
    m_table->header()->setSectionResizeMode(ProfileModel::Bar, QHeaderView::Stretch);
    m_table->header()->setMinimumSectionSize(20);
    m_columns = new FittedColumns(m_table->header());
    fitColumns();
    connect(&Theme::instance(), &Theme::changed, this, [this] { fitColumns(); });
    for (QLabel* label :
         {static_cast<QLabel*>(m_footer), m_footerRight, static_cast<QLabel*>(m_baseline)}) {
        label->setTextFormat(Qt::PlainText);
        label->setProperty("muted", true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    auto* footer = new QHBoxLayout;
    footer->setContentsMargins(10, 4, 10, 5);
    footer->addWidget(m_footer, 1);
    footer->addWidget(m_footerRight);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_table, 1);
    m_baseline->setContentsMargins(10, 4, 10, 0);
    m_baseline->setObjectName(u"baseline"_s);
    m_baseline->setAccessibleName(u"Baseline"_s);
    layout->addWidget(m_baseline);
    layout->addLayout(footer);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (!m_selecting && current.isValid())
                    pickRow(current.data(ProfileModel::GroupRole).toInt(),
                            current.data(ProfileModel::NodeRole).toLongLong());
            });
}

// Where there is little room, what can be told from the time goes first, then the name gives way.
void ProfileView::fitColumns() {
    using Model = ProfileModel;
    const int widths[] = {196, 44, 88, 64, 150, 60, 70, 80, 62, 56}; // of the bar: the least
    static_assert(std::size(widths) == Model::ColumnCount);
    int needed = m_table->verticalScrollBar()->sizeHint().width();
    const bool compared = isAttached() && document().baseline();
    m_columns->setHidden(Model::Difference, !compared);
    for (int column = 0; column < Model::ColumnCount; ++column) {
        if (column == Model::Difference && !compared)
            continue;
        needed += Theme::scaled(widths[column]);
        if (column != Model::Bar)
            m_columns->fit(column, Theme::scaled(widths[column]));
    }
    for (const int column : {Model::Calls, Model::Gbps, Model::Gflops}) {
        const bool hidden = needed > m_table->width();
        m_columns->setHidden(column, hidden);
        needed -= hidden ? Theme::scaled(widths[column]) : 0;
    }
    if (const int lacking = needed - m_table->width(); lacking > 0)
        m_columns->fit(Model::Name, std::max(Theme::scaled(widths[Model::Name]) - lacking, 80));
}

void ProfileView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    fitColumns();
}

void ProfileView::documentChanged(Parts parts) {
    if (parts.has(Part::Plan))
        selectionChanged(nullptr); // groups have other numbers
    if (parts.hasAny({Part::Profile, Part::Baseline, Part::Against}))
        showBaseline();
    if (!parts.hasAny({Part::Profile, Part::Doctor}))
        return;
    setProfile(document().profileResult());
    switch (document().state(Part::Profile)) {
    case State::Empty:
        overlay()->setEmpty(u"No times yet"_s, u"Times need a compiled module."_s,
                            document().isOpen() ? u"Compile && profile"_s : QString());
        break;
    case State::Busy:
        overlay()->setBusy(u"Compiling and measuring …"_s);
        break;
    case State::Ready:
        overlay()->setReady();
        break;
    case State::Stale:
        overlay()->setStale(staleReason(), u"Profile again"_s);
        break;
    case State::Error:
        overlay()->setError(u"No times"_s,
                            QString::fromStdString(document().error(Part::Profile).text()),
                            u"Try again"_s);
        break;
    }
    if (selection().picked().group >= 0)
        selectionChanged(nullptr);
}

// Of a document that was opened the times may be of another machine.
QString ProfileView::staleReason() const {
    const auto& times = document().profileResult();
    const QString taken =
        times ? text(snapshot::takenText(times->machine, times->taken)) : QString();
    if (times && document().doctor() && document().doctor()->cpu.name != times->machine)
        return u"These times were taken on another machine: %1."_s.arg(taken);
    return u"These times belong to an earlier target or plan%1."_s.arg(
        taken.isEmpty() ? QString() : u", "_s + taken);
}

void ProfileView::showBaseline() {
    const auto& baseline = document().baseline();
    const auto& against = document().against();
    const auto compared = comparedTimes(document());
    m_model.setAgainst(compared);
    m_baseline->setVisible(baseline != nullptr);
    fitColumns();
    if (!baseline)
        return m_baseline->setFullText({});
    const QString what = u"baseline: %1 · %2 · %3"_s.arg(
        modelName(text(baseline->model)), text(baseline->target),
        text(snapshot::takenText(baseline->machine, baseline->taken)));
    QStringList said;
    if (against && document().state(Part::Profile) == State::Ready)
        for (const auto& reason : against->apart)
            said << text(reason.code) + u' ' + text(reason.sentence);
    if (compared) {
        const auto all = [&](const QString& name, const snapshot::TimeDifference& time) {
            said << name + u' ' + text(snapshot::differenceText(time));
        };
        all(u"end to end"_s, compared->endToEnd);
        all(u"sum of groups"_s, compared->sum);
    }
    said << what;
    m_baseline->setFullText(said.join(u" · "_s), what);
}

QString ProfileView::baselineText() const {
    return m_baseline->fullText();
}

void ProfileView::setProfile(const Shared<snapshot::ProfileDocument>& profile) {
    m_selecting = true;
    m_model.setProfile(profile);
    m_selecting = false;
    m_footer->setFullText({});
    m_footerRight->clear();
    if (!profile)
        return;
    const double noise = profile->iqrPercent;
    const QString sum =
        u"sum of groups %1 · end to end %2 (not instrumented) · %3 runs, %4 threads, IQR %5 %%6"_s
            .arg(timeText(profile->sumMs * 1e3), timeText(profile->endToEndMs * 1e3))
            .arg(profile->runs)
            .arg(profile->threads)
            .arg(noise, 0, 'f', 1)
            .arg(profile->disturbed ? u" – disturbed by other work"_s
                 : noise > 5        ? u" – noisy"_s
                                    : QString());
    QStringList missed = {u"taken on "_s +
                          text(snapshot::takenText(profile->machine, profile->taken))};
    for (const std::string& miss : profile->misses)
        missed << u"missed: "_s + QString::fromStdString(miss);
    m_footer->setFullText(sum, missed.join(u'\n'));
    QStringList with;
    for (const auto& [name, value] : profile->dims)
        with << u"%1 = %2"_s.arg(QString::fromStdString(name)).arg(value);
    if (profile->randomInputs)
        with << u"random inputs"_s;
    m_footerRight->setText(with.join(u", "_s));
}

void ProfileView::selectionChanged(const QObject* origin) {
    if (origin == this)
        return;
    m_selecting = true;
    const QModelIndex index = m_sorted.mapFromSource(m_model.indexOfGroup(selection().group()));
    if (index.isValid())
        m_table->setCurrentIndex(index);
    else
        m_table->clearSelection();
    m_selecting = false;
}

QString ProfileView::footerText() const {
    return m_footer->fullText();
}

// For a spreadsheet: times are numbers of one unit.
QString ProfileView::asText() const {
    QString out;
    const auto isTime = [](int column) {
        return column == ProfileModel::Median || column == ProfileModel::Estimate ||
               column == ProfileModel::Difference;
    };
    const auto add = [&](int column, const QString& cell) {
        out += (column ? u"\t"_s : QString()) + cell;
    };
    for (int column = 0; column < ProfileModel::ColumnCount; ++column)
        if (isTime(column))
            add(column,
                m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() + u" us"_s);
        else if (column != ProfileModel::Bar && column != ProfileModel::Implementation)
            add(column, m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
    for (int row = 0; row < m_sorted.rowCount(); ++row) {
        out += u'\n';
        for (int column = 0; column < ProfileModel::ColumnCount; ++column) {
            const QModelIndex cell = m_sorted.index(row, column);
            const double us = cell.data(ProfileModel::SortRole).toDouble();
            if (isTime(column))
                add(column, column != ProfileModel::Difference && us < 0
                                ? QString()
                                : QString::number(us, 'f', 3));
            else if (column != ProfileModel::Bar && column != ProfileModel::Implementation)
                add(column, cell.data().toString());
        }
    }
    return out + u'\n' + footerText() + u'\n';
}

} // namespace fw::ui
