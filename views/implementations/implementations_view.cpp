#include "views/implementations/implementations_view.h"

#include "base/decision.h"

#include "views/common/chosen_text.h"
#include "views/common/fitted_columns.h"
#include "views/common/flow_layout.h"
#include "views/common/numbers.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/tool_tip.h"
#include "views/implementations/loops_drawing.h"
#include "views/implementations/schedule_text.h"

#include <QFileInfo>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

const std::string_view avoidedCode = codeText(ReasonCode::PinAvoids);

QString number(const std::optional<double>& value) {
    return value ? QString::number(*value, 'g', 3) : u"–"_s;
}

// What was found of an implementation beside the reference.
QString verifiedTip(const snapshot::VerifyRow* row) {
    if (row == nullptr)
        return {};
    QString out = u"verified  "_s + text(row->verdict);
    if (row->comparisons > 0)
        out += u", largest error %1 on integers, %2 on random values"_s.arg(number(row->integers),
                                                                            number(row->random));
    out += u'\n';
    if (row->differs)
        out += text(row->worst) + u'\n';
    if (!row->reason.empty())
        out += text(row->reason) + u'\n';
    if (!row->file.empty())
        out += u"shown by  "_s + text(row->file) + u'\n';
    return out;
}

QString detailOf(const snapshot::GroupRecord& group, const snapshot::CandidateRecord* candidate,
                 const snapshot::VerifyRow* verified, const snapshot::ScheduleDocument* schedule) {
    QString out;
    if (candidate) {
        out = text(candidate->name) + u": "_s + text(candidate->verdict) + u'\n';
        if (!candidate->sentence.empty())
            out += text(candidate->sentence) +
                   (candidate->code.empty() ? QString() : u"  "_s + text(candidate->code)) + u'\n';
        if (!candidate->guard.empty())
            out += u"condition  "_s + text(candidate->guard) + u'\n';
        if (!candidate->level.empty())
            out += u"stands in  "_s + text(candidate->level) +
                   (candidate->place.empty() ? QString() : u", "_s + text(candidate->place)) +
                   u'\n';
    } else {
        out = text(group.name) + u": "_s + text(group.implementation);
        if (!group.source.empty())
            out += u", chosen by "_s + chosenText(group);
        out += u'\n';
        for (const std::string& warning : group.warnings)
            out += u"⚠ "_s + text(warning) + u'\n';
        if (schedule)
            out += conflictLines(*schedule);
    }
    out += verifiedTip(verified);
    if (schedule && schedule->ways.empty() && (schedule->bytes || schedule->held))
        out += u"moved %1, holds %2\n"_s.arg(schedule->bytes ? bytesText(*schedule->bytes) : u"–"_s,
                                             schedule->held ? heldText(*schedule->held) : u"–"_s);
    if (schedule && !candidate)
        for (const QString& lines : {branchLines(*schedule), wayLines(*schedule)})
            out += lines;
    const std::string steps = schedule && !schedule->text.empty() ? schedule->text
                              : candidate                         ? std::string()
                                                                  : group.schedule.str();
    if (!steps.empty())
        out += u"\nschedule\n"_s + text(steps);
    return out;
}

} // namespace

ImplementationsView::ImplementationsView(QWidget* parent)
    : View(parent), m_table(new QTreeView(this)), m_detail(new QPlainTextEdit(this)),
      m_pin(new QPushButton(u"Pin"_s, this)), m_avoid(new QPushButton(u"Avoid"_s, this)),
      m_unpin(new QPushButton(u"Unpin"_s, this)), m_edit(new QPushButton(u"Edit"_s, this)),
      m_showLoops(new QPushButton(u"Loops"_s, this)), m_below(new QStackedWidget(this)),
      m_loops(new LoopsDrawing(this)), m_splitter(new QSplitter(Qt::Vertical, this)) {
    setPlanOverlay(new StateOverlay(m_table));
    m_table->setObjectName(u"implementations"_s);
    m_table->setAccessibleName(u"Implementations"_s);
    m_table->setModel(&m_model);
    prepare(m_table);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->header()->setStretchLastSection(false);
    m_table->header()->setSectionResizeMode(ImplementationsModel::Verdict, QHeaderView::Stretch);
    m_table->header()->setMinimumSectionSize(40);
    m_table->setTextElideMode(Qt::ElideRight); // the reason begins with what matters
    m_table->setIndentation(14);
    m_columns = new FittedColumns(m_table->header());
    fitColumns();
    connect(&Theme::instance(), &Theme::changed, this, [this] { fitColumns(); });
    m_detail->setReadOnly(true);
    m_detail->setProperty("code", true);
    m_detail->setAccessibleName(u"Details of the implementation"_s);
    m_pin->setToolTip(u"Compute this group by this candidate, whatever the priorities say"_s);
    m_avoid->setToolTip(u"Compute this group by any candidate but this one"_s);
    m_unpin->setToolTip(u"Let the books decide about this group again"_s);
    auto* buttons = new FlowLayout(6);
    buttons->setContentsMargins(8, 4, 8, 6);
    m_edit->setToolTip(
        u"Begins a schedule in a book from this one, which then computes the group"_s);
    m_showLoops->setCheckable(true);
    m_showLoops->setToolTip(
        u"The loops as boxes: what is computed where, and what is held meanwhile"_s);
    for (QPushButton* button : {m_pin, m_avoid, m_unpin, m_edit, m_showLoops})
        buttons->addWidget(button);
    m_below->addWidget(m_detail);
    m_below->addWidget(m_loops);
    auto* below = new QWidget(this);
    auto* rows = new QVBoxLayout(below);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(m_below, 1);
    rows->addLayout(buttons);
    QSplitter* splitter = m_splitter;
    splitter->setObjectName(u"implementationsSplitter"_s);
    splitter->addWidget(m_table);
    splitter->addWidget(below);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({200, 170});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                showCurrent();
                if (m_selecting || !current.isValid())
                    return;
                pickRow(current.data(ImplementationsModel::GroupRole).toInt(), snapshot::noNode);
                Q_EMIT asked(WantDetails{});
            });
    connect(m_edit, &QPushButton::clicked, this, &ImplementationsView::editCurrent);
    connect(m_showLoops, &QPushButton::toggled, this, &ImplementationsView::showLoops);
    connect(m_loops, &LoopsDrawing::nodesPicked, this,
            [this](const std::vector<snapshot::NodeId>& nodes) {
                selection().pick(selection().ofFused({nodes.begin(), nodes.end()}), this);
                m_loops->setPicked(selection().picked().fused);
            });
    connect(m_pin, &QPushButton::clicked, this, &ImplementationsView::pinCurrent);
    connect(m_avoid, &QPushButton::clicked, this, &ImplementationsView::avoidCurrent);
    connect(m_unpin, &QPushButton::clicked, this, &ImplementationsView::unpinCurrent);
    addCommand(MenuPlace::Pins, u"&Pin the candidate"_s, u"Ctrl+I"_s, [this] { pinCurrent(); });
    addCommand(MenuPlace::Pins, u"A&void the candidate"_s, u"Ctrl+Alt+I"_s,
               [this] { avoidCurrent(); });
    addCommand(
        MenuPlace::Pins, u"Clear the pins of the &group"_s, u"Ctrl+Shift+I"_s,
        [this] { unpinCurrent(); }, Needs::Model, OfNodes::Yes);
    addCommand(MenuPlace::Pins, u"&Edit the schedule"_s, u"Ctrl+Shift+B"_s,
               [this] { editCurrent(); });
    addCommand(MenuPlace::Pins, u"Show the &loops"_s, u"Ctrl+Shift+L"_s,
               [this] { showLoops(!m_showLoops->isChecked()); });
    setPlan(nullptr);
}

void ImplementationsView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    Q_EMIT asked(WantDetails{});
}

void ImplementationsView::documentChanged(Parts parts) {
    if (parts.has(Part::Plan))
        showPlan();
    if (parts.hasAny({Part::Plan, Part::Profile})) {
        std::map<int, double> times;
        if (document().state(Part::Profile) == State::Ready)
            for (const auto& row : document().profileResult()->rows)
                times[row.groupId] += row.medianUs; // reorders and stages are rows of their own
        m_model.setTimes(std::move(times));
    }
    if (parts.hasAny({Part::Plan, Part::Profile, Part::Against})) {
        ImplementationsModel::Differences differences;
        if (const auto compared = comparedTimes(document()))
            for (const auto& one : compared->groups)
                for (const int group : one.groupIds)
                    differences[group] = one;
        m_model.setDifferences(std::move(differences));
        hideColumns();
    }
    if (parts.hasAny({Part::Plan, Part::Verified})) {
        m_model.setVerified(document().verified());
        hideColumns(); // the column is there as soon as something was verified
        showCurrent();
    }
    if (parts.has(Part::Plan))
        selectionChanged(nullptr);
    if (parts.has(Part::Plan) && document().state(Part::Plan) == State::Ready)
        Q_EMIT asked(WantDetails{});
    if (parts.has(Part::Schedule))
        showCurrent();
}

void ImplementationsView::selectionSettled() {
    const QModelIndex current = m_table->currentIndex();
    const auto* group = m_model.group(current);
    if (!isVisible() || !group || !document().plan() ||
        document().state(Part::Plan) != State::Ready)
        return;
    const auto* candidate = m_model.candidate(current);
    snapshot::Arguments about;
    about.group = group->id;
    about.name = candidate ? candidate->name.str() : std::string();
    const State state = document().state(Part::Schedule);
    const bool isAsked = m_asked == std::pair(about.group.value(), about.name);
    if (isAsked && (state == State::Busy || state == State::Ready || state == State::Error))
        return;
    m_asked = {about.group.value(), about.name};
    Q_EMIT asked(WantPart{Part::Schedule, about});
}

void ImplementationsView::showPlan() {
    const auto& plan = document().plan();
    if (document().state(Part::Plan) == State::Ready || !plan)
        setPlan(plan);
    if (!showPlanState(*overlay(), document(), plan != nullptr))
        overlay()->setEmpty(u"No plan yet"_s, u"Open a model to see who computes what."_s);
    showDetail();
}

void ImplementationsView::showDetail() {
    const auto& plan = document().plan();
    const QString log = QFileInfo(text(document().inputs().log)).fileName();
    setDetail(plan ? countOf(std::int64_t(plan->groups.size()), u"group"_s) +
                         selection().ofSeveral() +
                         (log.isEmpty() ? QString() : u", measurements "_s + log) +
                         (plan->notices.empty()
                              ? QString()
                              : u", "_s + countOf(std::int64_t(plan->notices.size()), u"pin"_s) +
                                    u" not followed"_s)
                   : QString());
}

void ImplementationsView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    hideColumns();
}

void ImplementationsView::setPlan(const Shared<snapshot::FuseDocument>& plan) {
    m_selecting = true;
    m_opened = QPersistentModelIndex();
    m_model.setPlan(plan);
    m_selecting = false;
    m_model.setVerified(nullptr);
    hideColumns();
    showCurrent();
}

void ImplementationsView::selectionChanged(const QObject* origin) {
    showDetail();
    m_loops->setPicked(selection().picked().fused);
    if (origin == this)
        return;
    const QModelIndex index = m_model.indexOfGroup(selection().group());
    const QModelIndex now = m_table->currentIndex();
    if (index.isValid() && (now == index || now.parent() == index))
        return;
    m_selecting = true;
    if (m_opened.isValid())
        m_table->collapse(m_opened);
    m_opened = index;
    if (index.isValid()) {
        m_table->expand(index);
        m_table->setCurrentIndex(index);
        m_table->scrollTo(index, QAbstractItemView::PositionAtTop);
    } else {
        m_table->setCurrentIndex({});
        m_table->clearSelection();
    }
    m_selecting = false;
    showCurrent();
}

void ImplementationsView::showCurrent() {
    const QModelIndex current = m_table->currentIndex();
    const auto* group = m_model.group(current);
    const auto* candidate = m_model.candidate(current);
    const auto* verified =
        group ? m_model.verified(group->id, candidate ? candidate->name : group->implementation)
              : nullptr;
    const auto schedule = currentSchedule();
    const QString detail =
        group ? detailOf(*group, candidate, verified, schedule.get()) : pinsNotFollowed();
    if (detail != m_detail->toPlainText())
        m_detail->setPlainText(detail);
    m_loops->setSchedule(schedule, group ? scheduleState() : QString());
    const bool written = schedule && schedule->written.line > 0;
    m_edit->setEnabled(schedule && (written || !schedule->begun.empty()));
    m_edit->setToolTip(
        toolTipOf(written ? u"Goes to the book that declares this schedule (Ctrl+Shift+B)"_s
                  : schedule && schedule->begun.empty() && !schedule->notBegun.empty()
                      ? u"There is nothing to edit: "_s + text(schedule->notBegun)
                      : u"Begins a schedule in a book from this one, which then computes the "
                        "group (Ctrl+Shift+B)"_s));
    m_pin->setEnabled(candidate && candidate->verdict != "refused");
    const auto ready = [](const auto& other) { return other.verdict != "refused"; };
    m_avoid->setEnabled(candidate && ready(*candidate) &&
                        std::count_if(group->candidates.begin(), group->candidates.end(), ready) >
                            1);
    const auto avoided = [](const auto& other) { return other.code == avoidedCode; };
    m_unpin->setEnabled(group &&
                        (group->source == "pin" ||
                         std::any_of(group->candidates.begin(), group->candidates.end(), avoided)));
}

void ImplementationsView::pin(snapshot::PinKind kind) {
    const QModelIndex current = m_table->currentIndex();
    Q_EMIT asked(
        EditInputs{snapshot::AddPin{{kind, pinNames(document(), {m_model.group(current)->anchorId}),
                                     m_model.candidate(current)->name}}});
}

void ImplementationsView::pinCurrent() {
    const QModelIndex current = m_table->currentIndex();
    const auto* candidate = m_model.candidate(current);
    if (candidate && candidate->verdict != "refused")
        pin(snapshot::PinKind::Use);
}

void ImplementationsView::avoidCurrent() {
    if (m_model.candidate(m_table->currentIndex()) && m_avoid->isEnabled())
        pin(snapshot::PinKind::Avoid);
}

void ImplementationsView::unpinCurrent() {
    const auto* group = m_model.group(m_table->currentIndex());
    if (!group)
        return;
    const auto members = pinNames(document(), selection().provenance().membersOf(group->id));
    for (const auto& one : std::vector(document().inputs().pins))
        for (const std::string& name : one.nodes)
            if (std::find(members.begin(), members.end(), name) != members.end()) {
                Q_EMIT asked(EditInputs{snapshot::RemovePin{one}});
                break;
            }
}

Shared<snapshot::ScheduleDocument> ImplementationsView::currentSchedule() const {
    const QModelIndex current = m_table->currentIndex();
    const auto* group = m_model.group(current);
    if (!isAttached() || !group || document().state(Part::Schedule) != State::Ready)
        return nullptr;
    const auto& shown = document().schedule();
    const auto* candidate = m_model.candidate(current);
    const std::string wanted = candidate ? candidate->name.str() : std::string();
    return shown && shown->group == group->id && m_asked == std::pair(group->id, wanted) ? shown
                                                                                         : nullptr;
}

// What the plan says of pins: while nothing is selected there is room for it.
QString ImplementationsView::pinsNotFollowed() const {
    QString out;
    if (isAttached() && document().plan() && document().state(Part::Plan) == State::Ready)
        for (const std::string& notice : document().plan()->notices)
            out += u"⚠ "_s + text(notice) + u'\n';
    return out;
}

QString ImplementationsView::scheduleState() const {
    const auto schedule = currentSchedule();
    if (schedule)
        return schedule->refused.empty() ? u"There are no loops."_s
                                         : u"There are no loops: "_s + text(schedule->refused);
    if (document().state(Part::Schedule) == State::Error)
        return text(document().error(Part::Schedule).text());
    return u"Looking at the loops …"_s;
}

void ImplementationsView::editCurrent() {
    const auto schedule = currentSchedule();
    if (!schedule)
        return;
    if (schedule->written.line > 0)
        Q_EMIT asked(OpenPlace{text(schedule->written.file), schedule->written.line,
                               schedule->written.column});
    else if (!schedule->begun.empty())
        Q_EMIT asked(WriteText{text(schedule->begun)});
    else
        return Q_EMIT asked(Say{u"nothing to edit: "_s + text(schedule->notBegun)});
    Q_EMIT asked(Appear{}); // what is typed is followed here
}

void ImplementationsView::showLoops(bool loops) {
    m_showLoops->setChecked(loops);
    m_below->setCurrentWidget(loops ? static_cast<QWidget*>(m_loops) : m_detail);
    // A drawing of three lines tells nothing: the list makes room, but for a few rows.
    const int all = m_splitter->height(), few = Theme::scaled(90);
    if (loops && all > 0 && m_below->height() < std::min(all - few, Theme::scaled(220)))
        m_splitter->setSizes({few, all - few});
}

QString ImplementationsView::detailText() const {
    return m_detail->toPlainText();
}

} // namespace fw::ui
