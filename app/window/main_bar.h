// The tool bar: what is done most, the target with its libraries, and finding.
//
// Owns its boxes and buttons; what is typed into them is told.
#pragma once

#include "app/window/document.h"
#include "views/common/selection.h"

#include <QToolBar>

class QComboBox;
class QPushButton;

namespace fw::ui {

class FindBox;
class LibraryBoxes;
class NodeFinder;
class Settings;
class ViewDocks;

class MainBar : public QToolBar {
    Q_OBJECT

public:
    // All live longer.
    MainBar(Document& document, const ViewDocks& views, NodeFinder& finder, Settings* settings);

    static QStringList targetPresets(); // that every machine knows
    LibraryBoxes* libraries() const { return m_libraries; }
    void setTarget(const QString& target);
    void editTarget();
    void showInputs(); // whoever changed them
    void showLibraries();
    void showTargets(); // those of the books behind the others
    enum class Working : std::uint8_t { No, Yes };
    void updateButtons(Working working); // what can be done now
    FindBox* find() const { return m_find; }

Q_SIGNALS:
    void openWanted();
    void requested(fw::ui::Request request);
    void targetChosen(const QString& target);

private:
    QPushButton* button(const QString& text, const QString& tip,
                        const std::function<void()>& press);
    QPushButton* button(const QString& text, const QString& tip, Request request);
    void addTarget();

    Document& m_document;
    QComboBox* m_target;
    LibraryBoxes* m_libraries;
    QPushButton* m_profile;
    QPushButton* m_stop;
    FindBox* m_find;
};

} // namespace fw::ui
