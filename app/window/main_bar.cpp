#include "app/window/main_bar.h"

#include "app/window/find_box.h"
#include "app/window/library_boxes.h"
#include "app/window/view_docks.h"
#include "views/common/combo_box.h"
#include "views/common/text.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QThread>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

QStringList MainBar::targetPresets() {
    const int threads = std::max(1, QThread::idealThreadCount());
    QStringList out = {u"x86-64 -mcpu=native -threads=%1"_s.arg(threads)};
    if (threads != 1)
        out << u"x86-64 -mcpu=native -threads=1"_s;
    out << u"x86-64 -mcpu=x86-64-v3 -threads=%1"_s.arg(threads)
        << u"x86-64 -mcpu=x86-64-v4 -threads=%1"_s.arg(threads);
    return out;
}

MainBar::MainBar(Document& document, const ViewDocks& views, NodeFinder& finder, Settings* settings)
    : QToolBar(u"Main bar"_s), m_document(document), m_libraries(new LibraryBoxes(this)),
      m_find(new FindBox(finder, document, settings, this)) {
    setObjectName(u"mainBar"_s);
    setMovable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);
    button(u"Open"_s, u"Open a model (Ctrl+O)"_s, [this] { Q_EMIT openWanted(); });
    button(u"◀"_s, u"Back (Alt+Left)"_s, Request::Back);
    button(u"▶"_s, u"Forward (Alt+Right)"_s, Request::Forward);
    for (const ViewDocks::Shown& shown : views)
        for (const Command& command : shown.view->commands())
            if (command.place == MenuPlace::Bar)
                button(command.action->text(), command.action->toolTip(),
                       [action = command.action] { action->trigger(); });
    addSeparator();
    addTarget();
    addWidget(m_libraries);
    addSeparator();
    m_profile = button(u"Compile && profile"_s, u"Compile and profile (Ctrl+F10)"_s,
                       [this] { m_document.tasks().profile(); });
    m_profile->setProperty("primary", true);
    m_profile->setObjectName(u"profileButton"_s);
    m_stop = button(u"Stop"_s, u"Stop (Shift+F9)"_s, Request::Stop);
    auto* gap = new QWidget(this);
    gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    addWidget(gap);
    addWidget(m_find);
}

QPushButton* MainBar::button(const QString& text, const QString& tip,
                             const std::function<void()>& press) {
    auto* out = new QPushButton(text, this);
    out->setToolTip(tip);
    out->setAccessibleName(tip);
    out->setFocusPolicy(Qt::TabFocus); // a click leaves the keys where they are
    addWidget(out);
    connect(out, &QPushButton::clicked, this, press);
    return out;
}

QPushButton* MainBar::button(const QString& text, const QString& tip, Request request) {
    return button(text, tip, [this, request] { Q_EMIT requested(request); });
}

void MainBar::addTarget() {
    auto* label = new QLabel(u"Target"_s, this);
    label->setProperty("muted", true);
    addWidget(label);
    m_target = new ComboBox(this);
    m_target->setObjectName(u"target"_s);
    m_target->setAccessibleName(u"Target"_s);
    m_target->setEditable(true);
    m_target->setInsertPolicy(QComboBox::NoInsert);
    m_target->lineEdit()->setPlaceholderText(u"x86-64 -mcpu=native"_s);
    m_target->addItems(targetPresets());
    m_target->setMinimumWidth(270);
    m_target->setToolTip(u"What the plan is made for; Enter plans again (Ctrl+L)"_s);
    label->setBuddy(m_target);
    addWidget(m_target);
    connect(m_target, &QComboBox::activated, this,
            [this](int index) { Q_EMIT targetChosen(m_target->itemText(index)); });
    connect(m_target->lineEdit(), &QLineEdit::returnPressed, this,
            [this] { Q_EMIT targetChosen(m_target->currentText()); });
}

void MainBar::setTarget(const QString& target) {
    m_target->setCurrentText(target);
}

void MainBar::editTarget() {
    m_target->setFocus(Qt::ShortcutFocusReason);
    m_target->lineEdit()->selectAll();
}

void MainBar::showInputs() {
    const auto& inputs = m_document.inputs();
    if (m_target->currentText().simplified() != text(inputs.target) &&
        m_target->currentText().simplified() != text(inputs.fullTarget()))
        m_target->setCurrentText(text(inputs.target));
    if (!m_target->lineEdit()->hasFocus())
        m_target->setCurrentText(text(inputs.target));
    showLibraries();
}

void MainBar::showLibraries() {
    m_libraries->show(m_document.doctor().get(), m_document.inputs(),
                      m_document.libraries().found(),
                      [this](const snapshot::LibraryRecord& library) {
                          return m_document.libraries().isAgreed(library);
                      });
}

void MainBar::showTargets() {
    const QStringList declared = m_document.books().declaredTargets();
    const int presets = int(targetPresets().size());
    QStringList listed;
    for (int i = presets; i < m_target->count(); ++i)
        listed += m_target->itemText(i);
    if (listed == declared)
        return;
    const QString written = m_target->currentText();
    while (m_target->count() > presets)
        m_target->removeItem(m_target->count() - 1);
    m_target->addItems(declared);
    m_target->setCurrentText(written);
}

void MainBar::updateButtons(Working working) {
    m_profile->setEnabled(m_document.isOpen() && !m_document.tasks().running());
    m_stop->setEnabled(working == Working::Yes);
}

} // namespace fw::ui
