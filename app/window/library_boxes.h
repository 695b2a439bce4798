// The check boxes of the libraries in the tool bar, and the same as actions for the menu. A library
// that is absent is greyed; its tool tip says why and what to install. One that a book declares has
// a box while it does.
#pragma once

#include "snapshot/inputs.h"
#include "snapshot/records.h"

#include <QWidget>

#include <functional>
#include <vector>

class QAction;
class QCheckBox;
class QHBoxLayout;

namespace fw::ui {

class LibraryBoxes : public QWidget {
    Q_OBJECT

public:
    explicit LibraryBoxes(QWidget* parent = nullptr);

    // `machine` is null until `fw doctor` has answered; `found` are the libraries that the target
    // takes without -libs=; `agreed` says whether one that a book declares may be loaded.
    void show(const snapshot::DoctorDocument* machine, const snapshot::Inputs& inputs,
              const std::vector<std::string>& found,
              const std::function<bool(const snapshot::LibraryRecord&)>& agreed = {});
    const std::vector<QAction*>& actions() const { return m_actions; }
    QCheckBox* box(const QString& name) const; // "onednn"; null: unknown

Q_SIGNALS:
    void switched(const QString& name, bool on); // by people only
    void added(QAction* library);

private:
    struct Row {
        std::string name;
        QCheckBox* box = nullptr;
        QAction* action = nullptr;
    };
    Row& rowOf(const std::string& name);

    QHBoxLayout* m_layout;
    std::vector<Row> m_rows;
    std::vector<QAction*> m_actions;
};

QString libraryTitle(const std::string& name); // "oneDNN"

} // namespace fw::ui
