#include "views/implementations/implementations_view.h"

#include "base/decision.h"

#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "views/common/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QResizeEvent>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

const std::string_view avoidedCode = codeText(ReasonCode::PinAvoids);

QString text(const std::string& value) {
    return QString::fromStdString(value);
}

QString number(const std::optional<double>& value) {
    return value ? QString::number(*value, 'g', 3) : u"–"_s;
}

// What was found of an implementation beside the reference.
QString verifiedText(const snapshot::VerifyRow* row) {
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
                 const snapshot::VerifyRow* verified) {
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
        return out + verifiedText(verified);
    }
    out = text(group.name) + u": "_s + text(group.implementation);
    if (!group.source.empty())
        out += u", chosen by "_s + text(group.source);
    out += u'\n';
    for (const std::string& warning : group.warnings)
        out += u"⚠ "_s + text(warning) + u'\n';
    out += verifiedText(verified);
    if (!group.schedule.empty())
        out += u"\nschedule\n"_s + text(group.schedule);
    return out;
}

} // namespace

ImplementationsView::ImplementationsView(QWidget* parent)
    : QWidget(parent), m_table(new QTreeView(this)), m_overlay(new StateOverlay(m_table)),
      m_detail(new QPlainTextEdit(this)), m_pin(new QPushButton(u"Pin"_s, this)),
      m_avoid(new QPushButton(u"Avoid"_s, this)), m_unpin(new QPushButton(u"Clear pins"_s, this)) {
    m_table->setObjectName(u"implementations"_s);
    m_table->setAccessibleName(u"Implementations"_s);
    m_table->setModel(&m_model);
    prepare(m_table);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->header()->setStretchLastSection(false);
    m_table->header()->setSectionResizeMode(ImplementationsModel::Verdict, QHeaderView::Stretch);
    m_table->setTextElideMode(Qt::ElideRight); // the reason begins with what matters
    m_table->setIndentation(14);
    const int widths[] = {176, 0, 62, 62, 72, 48};
    for (int column = 0; column < ImplementationsModel::ColumnCount; ++column)
        if (widths[column] > 0)
            m_table->header()->resizeSection(column, widths[column]);
    m_detail->setReadOnly(true);
    m_detail->setProperty("code", true);
    m_detail->setAccessibleName(u"Details of the implementation"_s);
    m_pin->setToolTip(u"Compute this group by this candidate, whatever the priorities say"_s);
    m_avoid->setToolTip(u"Compute this group by any candidate but this one"_s);
    m_unpin->setToolTip(u"Let the books decide about this group again"_s);
    auto* buttons = new QVBoxLayout;
    buttons->setContentsMargins(6, 6, 8, 6);
    buttons->addWidget(m_pin);
    buttons->addWidget(m_avoid);
    buttons->addWidget(m_unpin);
    buttons->addStretch(1);
    auto* below = new QWidget(this);
    auto* row = new QHBoxLayout(below);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_detail, 1);
    row->addLayout(buttons);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setObjectName(u"implementationsSplitter"_s);
    splitter->addWidget(m_table);
    splitter->addWidget(below);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({260, 110});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                showCurrent();
                if (!m_selecting && current.isValid())
                    Q_EMIT activated(current.data(ImplementationsModel::GroupRole).toInt());
            });
    connect(m_pin, &QPushButton::clicked, this, &ImplementationsView::pinCurrent);
    connect(m_avoid, &QPushButton::clicked, this, &ImplementationsView::avoidCurrent);
    connect(m_unpin, &QPushButton::clicked, this, &ImplementationsView::unpinCurrent);
    setPlan(nullptr);
}

// The priority is in the reason as well: in a narrow view its room is the reason's.
void ImplementationsView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    hideColumns();
}

void ImplementationsView::hideColumns() {
    m_table->setColumnHidden(ImplementationsModel::Verified, !m_model.isVerified());
    m_table->setColumnHidden(ImplementationsModel::Priority,
                             width() < (m_model.isVerified() ? 540 : 460));
}

void ImplementationsView::setPlan(std::shared_ptr<const snapshot::FuseDocument> plan) {
    m_selecting = true;
    m_opened = QPersistentModelIndex();
    m_model.setPlan(std::move(plan));
    m_selecting = false;
    setVerified(nullptr);
}

void ImplementationsView::setVerified(std::shared_ptr<const snapshot::VerifyDocument> verified) {
    m_model.setVerified(std::move(verified));
    hideColumns();
    showCurrent();
}

void ImplementationsView::selectGroup(int id) {
    const QModelIndex index = m_model.indexOfGroup(id);
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
    m_detail->setPlainText(group ? detailOf(*group, candidate, verified) : QString());
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

void ImplementationsView::pinCurrent() {
    const QModelIndex current = m_table->currentIndex();
    const auto* candidate = m_model.candidate(current);
    if (candidate && candidate->verdict != "refused")
        Q_EMIT pinRequested(m_model.group(current)->id, text(candidate->name));
}

void ImplementationsView::avoidCurrent() {
    const QModelIndex current = m_table->currentIndex();
    if (const auto* candidate = m_model.candidate(current); candidate && m_avoid->isEnabled())
        Q_EMIT avoidRequested(m_model.group(current)->id, text(candidate->name));
}

void ImplementationsView::unpinCurrent() {
    if (const auto* group = m_model.group(m_table->currentIndex()))
        Q_EMIT unpinRequested(group->id);
}

QString ImplementationsView::detailText() const {
    return m_detail->toPlainText();
}

} // namespace fw::ui
