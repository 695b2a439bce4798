#include "app/window/library_boxes.h"

#include "base/library_names.h"
#include "picture/diagram.h"
#include "views/common/tool_tip.h"

#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

QString whyNot(const snapshot::LibraryRecord& library) {
    if (!library.path.empty())
        return u"a book declares it, but there is no file "_s +
               QString::fromStdString(library.path);
    QString out = library.reason.empty() ? u"not found on this machine"_s
                                         : QString::fromStdString(library.reason);
    if (!library.package.empty())
        out += u"; install it with: apt-get install "_s + QString::fromStdString(library.package);
    return out;
}

QString about(const snapshot::LibraryRecord& library) {
    if (!library.path.empty())
        return u"%1 of a book. It is loaded where this is ticked."_s.arg(
            QString::fromStdString(library.path));
    QString out = libraryTitle(library.name) + u' ' + QString::fromStdString(library.version);
    if (!library.core.empty())
        out += u", kernels for "_s + QString::fromStdString(library.core);
    return out + u". Groups may be computed by it."_s;
}

} // namespace

QString libraryTitle(const std::string& name) {
    return QString::fromStdString(picture::makerText({picture::Maker::Library, name}));
}

LibraryBoxes::LibraryBoxes(QWidget* parent) : QWidget(parent), m_layout(new QHBoxLayout(this)) {
    m_layout->setContentsMargins(4, 0, 4, 0);
    m_layout->setSpacing(10);
    for (const LibraryNames& library : builtInLibraries()) // before the worker says which there are
        rowOf(std::string(library.name));
    show(nullptr, {}, {});
}

LibraryBoxes::Row& LibraryBoxes::rowOf(const std::string& name) {
    for (Row& row : m_rows)
        if (row.name == name)
            return row;
    Row row{name, new QCheckBox(libraryTitle(name), this), new QAction(libraryTitle(name), this)};
    row.box->setAccessibleName(u"Use "_s + libraryTitle(name));
    row.box->setObjectName(u"library_"_s + QString::fromStdString(name));
    row.action->setCheckable(true);
    row.action->setShortcut(QKeySequence(u"Ctrl+Alt+%1"_s.arg(m_rows.size() + 1)));
    m_layout->addWidget(row.box);
    m_actions.push_back(row.action);
    const QString id = QString::fromStdString(name);
    connect(row.box, &QCheckBox::clicked, this, [this, id](bool on) { Q_EMIT switched(id, on); });
    connect(row.action, &QAction::triggered, this,
            [this, id](bool on) { Q_EMIT switched(id, on); });
    m_rows.push_back(row);
    Q_EMIT added(row.action);
    return m_rows.back();
}

void LibraryBoxes::show(const snapshot::DoctorDocument* machine, const snapshot::Inputs& inputs,
                        const std::vector<std::string>& found,
                        const std::function<bool(const snapshot::LibraryRecord&)>& agreed) {
    const std::vector<std::string>& taken = inputs.libraries ? *inputs.libraries : found;
    if (machine)
        for (const auto& library : machine->libraries)
            rowOf(library.name);
    for (const Row& row : m_rows) {
        const snapshot::LibraryRecord* record = nullptr;
        if (machine)
            for (const auto& library : machine->libraries)
                if (library.name == row.name)
                    record = &library;
        const bool declared = record && !record->path.empty();
        const bool ready =
            record && (declared ? !record->content.empty() : record->status == "ready");
        // To tick one that is listed, but that nobody agreed to, is to agree.
        const bool listed = std::find(taken.begin(), taken.end(), row.name) != taken.end() &&
                            (!declared || !ready || (agreed && agreed(*record)));
        row.box->setVisible(record || builtInLibrary(row.name));
        row.action->setVisible(record || builtInLibrary(row.name));
        // A library that the target lists although it is absent can be unticked.
        const bool enabled = ready || (listed && machine);
        const QString tip = !machine  ? u"asking the machine …"_s
                            : !record ? u"the engine does not know it on this machine"_s
                            : ready   ? about(*record)
                                      : whyNot(*record);
        row.box->setChecked(listed);
        row.box->setEnabled(enabled);
        row.box->setToolTip(toolTipOf(tip));
        row.box->setAccessibleDescription(tip);
        row.action->setChecked(listed);
        row.action->setEnabled(enabled);
        row.action->setText(ready || !machine ? libraryTitle(row.name)
                                              : libraryTitle(row.name) + u" (absent)"_s);
    }
}

QCheckBox* LibraryBoxes::box(const QString& name) const {
    for (const Row& row : m_rows)
        if (QString::fromStdString(row.name) == name)
            return row.box;
    return nullptr;
}

} // namespace fw::ui
