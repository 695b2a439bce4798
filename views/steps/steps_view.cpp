#include "views/steps/steps_view.h"

#include "views/common/combo_box.h"
#include "views/common/elided_label.h"
#include "views/common/numbers.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "views/common/tool_tip.h"
#include "views/steps/step_slider.h"
#include "views/steps/step_texts.h"
#include "views/steps/stop_list.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QTreeView>

#include <algorithm>
#include <set>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr const char* anotherRule = "another rule";

} // namespace

StepsView::StepsView(QWidget* parent)
    : View(parent), m_table(new QTreeView(this)), m_stops(new StopList(this)),
      m_sentence(new ElidedLabel(this)) {
    m_table->setObjectName(u"steps"_s);
    m_table->setAccessibleName(u"Applications of rules"_s);
    m_table->setModel(&m_model);
    prepare(m_table);
    m_table->setRootIsDecorated(false);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->header()->setStretchLastSection(true);
    m_table->header()->setSectionResizeMode(StepsModel::Number, QHeaderView::ResizeToContents);
    m_table->header()->resizeSection(StepsModel::Rule, 130);
    m_table->header()->resizeSection(StepsModel::At, 130);
    m_sentence->setContentsMargins(10, 2, 10, 4);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar());
    layout->addWidget(makeChoiceBar());
    auto* lists = new QHBoxLayout;
    lists->setSpacing(0);
    lists->addWidget(m_table, 1);
    lists->addWidget(m_stops);
    layout->addLayout(lists, 1);
    setOverlay(new StateOverlay(m_table));

    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (!m_filling && m_model.isApplied(current.row()))
                    show(current.row() + 1);
            });
    connect(
        &m_model, &StepsModel::wantedChanged, this,
        [this](const QString& application, bool applied) {
            const std::vector<std::string> one{application.toStdString()};
            Q_EMIT asked(
                EditInputs{applied ? snapshot::LeaveOut{{}, one} : snapshot::LeaveOut{one}});
        },
        Qt::QueuedConnection);
    addCommand(MenuPlace::Changes, u"Next &step of rewriting"_s, u"F10"_s, [this] { step(+1); });
    addCommand(MenuPlace::Changes, u"Previous ste&p of rewriting"_s, u"Shift+F11"_s,
               [this] { step(-1); });
    addCommand(MenuPlace::Changes, u"Run to the ne&xt stop"_s, u"Alt+F10"_s,
               [this] { runToStops(); });
    addCommand(MenuPlace::Changes, u"Run to another r&ule"_s, u"Alt+F11"_s,
               [this] { run({anotherRule}); });
    addCommand(MenuPlace::Changes, u"&Keep the stop in the list"_s, u"Ctrl+Alt+Shift+S"_s,
               [this] { keepStop(); });
    connect(m_stops, &StopList::changed, this, &View::keptChanged);
    connect(m_stops, &StopList::edited, this, [this](const QString& text) {
        m_until->setCurrentText(text);
        m_until->setFocus();
    });
    addCommand(MenuPlace::Changes, u"Lea&ve the application out, or apply it"_s,
               u"Ctrl+Alt+Backspace"_s, [this] { leaveOutCurrent(); });
    addCommand(MenuPlace::Changes, u"What else could be d&one there"_s, u"Alt+Shift+F10"_s,
               [this] { nextChoice(); });
    addCommand(MenuPlace::Changes, u"Do th&is instead"_s, u"Alt+Shift+F11"_s,
               [this] { doInstead(); });
    fill();
}

// The sentence, and beside it what else there was to do.
QWidget* StepsView::makeChoiceBar() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 8, 0);
    row->setSpacing(6);
    row->addWidget(m_sentence, 1);
    m_choices = new ComboBox(bar);
    m_choices->setAccessibleName(u"What competes for these operators"_s);
    m_choices->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_choices->setMinimumContentsLength(22);
    m_choices->setMinimumWidth(80);
    connect(m_choices, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (!m_filling && index >= 0)
            ask(m_wanted, index);
    });
    row->addWidget(m_choices);
    m_instead = new QPushButton(u"Do this instead"_s, bar);
    connect(m_instead, &QPushButton::clicked, this, [this] { doInstead(); });
    row->addWidget(m_instead);
    return bar;
}

QWidget* StepsView::makeBar() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 6, 8, 4);
    row->setSpacing(6);
    const auto button = [&](const QString& text, const QString& tip) {
        auto* made = new QPushButton(text, bar);
        made->setToolTip(tip);
        row->addWidget(made);
        return made;
    };
    m_back = button(u"◀"_s, u"Previous step (Shift+F11)"_s);
    m_back->setAccessibleName(u"Previous step"_s);
    connect(m_back, &QPushButton::clicked, this, [this] { step(-1); });
    const QString names[] = {u"Match"_s, u"Change"_s, u"Result"_s};
    const QString tips[] = {u"What the rule found"_s, u"What it takes out and puts in"_s,
                            u"What stands there behind it"_s};
    for (int i = 0; i < 3; ++i) {
        m_phases[i] = button(names[i], tips[i]);
        m_phases[i]->setCheckable(true);
        connect(m_phases[i], &QPushButton::clicked, this, [this, i] { setPhase(StepPhase(i)); });
    }
    m_forward = button(u"▶"_s, u"Next step (F10)"_s);
    m_forward->setAccessibleName(u"Next step"_s);
    connect(m_forward, &QPushButton::clicked, this, [this] { step(+1); });
    m_slider = new StepSlider(bar);
    m_slider->setAccessibleName(u"Application"_s);
    connect(m_slider, &StepSlider::valueChanged, this, [this](int value) {
        if (!m_filling)
            show(value);
    });
    m_slider->setMinimumWidth(24);
    row->addWidget(m_slider, 1);
    m_until = new ComboBox(bar);
    m_until->setEditable(true);
    m_until->setInsertPolicy(QComboBox::NoInsert);
    m_until->setAccessibleName(u"Stop at"_s);
    m_until->setToolTip(u"rule R, creates OP, erases OP, at OPERATOR, another rule, shape 1x128, "
                        "dtype f16, or when with what Find takes: when op:conv2d groups>1. "
                        "Ctrl+Alt+Shift+S keeps it in a list of stops"_s);
    m_until->lineEdit()->setPlaceholderText(u"stop at: creates OP, shape 1x128 …"_s);
    m_until->setMinimumContentsLength(18);
    m_until->setMinimumWidth(50); // gives way in a narrow dock
    connect(m_until->lineEdit(), &QLineEdit::returnPressed, this, [this] { runToStops(); });
    row->addWidget(m_until);
    m_go = button(u"Run"_s, u"Run to the next stop (Alt+F10)"_s);
    connect(m_go, &QPushButton::clicked, this, [this] { runToStops(); });
    return bar;
}

std::vector<QWidget*> StepsView::stops() {
    return {m_table, m_stops};
}

int StepsView::number() const {
    return hasAnswer() ? int(document().step()->application->number) : 0;
}

QString StepsView::sentence() const {
    return m_sentence->fullText();
}

bool StepsView::hasAnswer() const {
    return isAttached() && document().step() && document().step()->application;
}

int StepsView::last() const {
    const int listed = m_model.applications();
    return listed > 0 && hasAnswer() && document().state(Part::Step) == State::Ready
               ? int(document().step()->total)
               : listed;
}

void StepsView::documentChanged(Parts parts) {
    if (parts.hasAny({Part::Rewrite, Part::Inputs, Part::Info})) {
        if (!document().rewrite())
            m_wanted = 0;
        fill();
    }
    if (parts.has(Part::Step))
        showStep();
    // Of a model that was rewritten anew the same place is shown.
    if (parts.has(Part::Rewrite) && (m_wanted > 0 || inFront()) && m_model.applications() > 0)
        ask(std::clamp(m_wanted, 1, last()));
}

void StepsView::frontChanged() {
    if (inFront() && m_wanted == 0 && m_model.applications() > 0)
        show(1);
    else
        showPhase();
}

void StepsView::fill() {
    const QScopedValueRollback filling(m_filling, true);
    const auto rewrite = isAttached() ? document().rewrite() : nullptr;
    m_model.setContent(rewrite, rewrite ? document().inputs().leftOut : std::vector<std::string>());
    const int count = m_model.applications();
    m_slider->setRange(count > 0 ? 1 : 0, count);
    const QString typed = m_until->currentText();
    m_until->clear();
    if (rewrite) {
        m_until->addItem(QString::fromLatin1(anotherRule));
        for (const snapshot::AppliedRecord& rule : rewrite->applied)
            m_until->addItem(u"rule "_s + QString::fromStdString(rule.rule));
    }
    m_until->setCurrentText(typed);
    for (QWidget* part : {static_cast<QWidget*>(m_back), static_cast<QWidget*>(m_forward),
                          static_cast<QWidget*>(m_slider), static_cast<QWidget*>(m_until),
                          static_cast<QWidget*>(m_go)})
        part->setEnabled(count > 0);
    if (m_model.rowCount() > 0) {
        overlay()->setReady();
    } else {
        m_sentence->setFullText({});
        showChoices();
        if (rewrite)
            overlay()->setEmpty(u"No rule was applied"_s,
                                u"The model stands as it was imported."_s);
        else
            overlay()->setEmpty(u"Nothing to step through"_s,
                                u"Open a model: every application of a rule stands here."_s);
    }
    showPhase();
}

void StepsView::ask(int number, std::int64_t choice) {
    m_wanted = number;
    snapshot::Arguments about;
    about.application = number;
    if (choice > 0)
        about.choice = choice;
    Q_EMIT asked(WantPart{Part::Step, about});
}

void StepsView::show(int number, StepPhase phase) {
    if (number < 1 || number > last())
        return;
    m_phase = phase;
    if (hasAnswer() && document().state(Part::Step) == State::Ready && this->number() == number &&
        !document().step()->choice) {
        m_wanted = number;
        return showStep();
    }
    ask(number);
}

void StepsView::run(std::vector<std::string> until) {
    Q_EMIT asked(Appear{});
    snapshot::Arguments about;
    about.application = m_wanted;
    about.until = std::move(until);
    m_phase = StepPhase::Match;
    Q_EMIT asked(WantPart{Part::Step, about});
}

void StepsView::runToStops() {
    std::vector<std::string> until = m_stops->on();
    if (const QString typed = m_until->currentText().trimmed(); !typed.isEmpty())
        until.push_back(typed.toStdString());
    if (!until.empty())
        return run(std::move(until));
    Q_EMIT asked(Appear{});
    m_until->setFocus();
}

void StepsView::keepStop() {
    Q_EMIT asked(Appear{});
    const QString typed = m_until->currentText().trimmed();
    if (typed.isEmpty())
        return m_until->setFocus();
    m_stops->add(typed);
    m_until->setCurrentText({});
}

void StepsView::keep(snapshot::KeptView& kept) const {
    kept.stops = m_stops->stops();
}

void StepsView::showKept(const snapshot::KeptView& kept) {
    m_stops->show(kept.stops);
}

void StepsView::step(int by) {
    Q_EMIT asked(Appear{});
    if (m_wanted == 0)
        return show(1);
    const int next = int(m_phase) + by;
    if (next >= 0 && next <= int(StepPhase::Result))
        return setPhase(StepPhase(next));
    show(m_wanted + by, by > 0 ? StepPhase::Match : StepPhase::Result);
}

void StepsView::setPhase(StepPhase phase) {
    m_phase = phase;
    showPhase();
}

void StepsView::leaveOutCurrent() {
    Q_EMIT asked(Appear{});
    const QModelIndex row = m_model.index(m_table->currentIndex().row(), StepsModel::Number);
    if (row.isValid())
        m_model.setData(row, m_model.isApplied(row.row()) ? Qt::Unchecked : Qt::Checked,
                        Qt::CheckStateRole);
}

void StepsView::showChoices() {
    const QScopedValueRollback filling(m_filling, true);
    m_choices->clear();
    const snapshot::StepDocument* step = hasAnswer() ? document().step().get() : nullptr;
    const bool any = step && !step->choices.empty();
    m_choices->setVisible(any);
    m_instead->setVisible(any);
    if (!any)
        return;
    m_choices->addItem(
        u"done; %1 instead"_s.arg(countOf(std::int64_t(step->choices.size()), u"other"_s)));
    for (const snapshot::StepChoice& choice : step->choices) {
        m_choices->addItem(choiceText(choice));
        m_choices->setItemData(m_choices->count() - 1, toolTipOf(choiceTip(choice)),
                               Qt::ToolTipRole);
    }
    const auto shown = std::size_t(step->choice.value_or(0));
    m_choices->setCurrentIndex(int(shown));
    m_choices->setToolTip(toolTipOf(
        shown > 0 ? choiceTip(step->choices.at(shown - 1))
                  : u"Other matches that this application took operators of (Alt+Shift+F10)"_s +
                        (step->choicesStopped.empty()
                             ? QString()
                             : u"; there may be more: "_s +
                                   QString::fromStdString(step->choicesStopped))));
    m_instead->setEnabled(step->instead && step->instead->number > 0);
    m_instead->setToolTip(m_instead->isEnabled()
                              ? u"Leaves out what takes its operators (Alt+Shift+F11)"_s
                              : toolTipOf(step->instead
                                              ? QString::fromStdString(step->instead->refused)
                                              : u"Choose another match first"_s));
}

void StepsView::nextChoice() {
    Q_EMIT asked(Appear{});
    if (m_choices->count() > 0)
        m_choices->setCurrentIndex((m_choices->currentIndex() + 1) % m_choices->count());
}

void StepsView::doInstead() {
    Q_EMIT asked(Appear{});
    if (!m_instead->isEnabled() || !hasAnswer() || !document().step()->instead)
        return;
    const snapshot::StepInstead instead = *document().step()->instead;
    m_wanted = int(instead.number);
    m_phase = StepPhase::Match;
    Q_EMIT asked(EditInputs{snapshot::LeaveOut{instead.leaveOut, instead.again}});
}

void StepsView::showStep() {
    if (document().state(Part::Step) == State::Error) {
        m_sentence->setFullText(QString::fromStdString(document().error(Part::Step).message) +
                                u": "_s +
                                QString::fromStdString(document().error(Part::Step).hint));
        return;
    }
    if (document().state(Part::Step) != State::Ready || !hasAnswer())
        return;
    const Shared<snapshot::StepDocument>& step = document().step();
    const auto& one = *step->application;
    m_wanted = int(one.number);
    m_sentence->setFullText(sentenceOf(*step));
    showChoices();
    {
        const QScopedValueRollback filling(m_filling, true);
        m_slider->setRange(1, int(step->total));
        m_slider->setValue(m_wanted);
        const QModelIndex row = m_model.index(m_wanted - 1, StepsModel::Rule);
        m_table->setCurrentIndex(row);
        m_table->scrollTo(row);
    }
    if (step != m_shown) {
        m_shown = step;
        m_slider->setRuns(step->runs);
        if (inFront() && !one.origins.empty())
            selection().pick(selection().ofImported({one.origins.begin(), one.origins.end()}),
                             this);
    }
    showPhase();
}

void StepsView::showPhase() {
    const bool shown = m_shown && hasAnswer() && m_model.applications() > 0;
    for (int i = 0; i < 3; ++i) {
        m_phases[i]->setChecked(shown && i == int(m_phase));
        m_phases[i]->setEnabled(shown);
    }
    if (isAttached())
        selection().pickStep(shown && inFront() ? std::optional(m_phase) : std::nullopt);
}

} // namespace fw::ui
