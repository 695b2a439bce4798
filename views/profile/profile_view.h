// "Op times": the table of a profile with a bar per share, sorted by any column, and a footer that
// keeps the sum of the groups and the end-to-end time apart.
#pragma once

#include "views/profile/profile_model.h"

#include <QSortFilterProxyModel>
#include <QWidget>

class QLabel;
class QTreeView;

namespace fw::ui {

class StateOverlay;

class ProfileView : public QWidget {
    Q_OBJECT

public:
    explicit ProfileView(QWidget* parent = nullptr);

    void setProfile(std::shared_ptr<const snapshot::ProfileDocument> profile);
    void selectGroup(int group); // -1: none; emits nothing
    StateOverlay* overlay() const { return m_overlay; }
    QTreeView* table() const { return m_table; }
    QString footerText() const;
    QString asText() const; // tab-separated, for the clipboard

Q_SIGNALS:
    void activated(int group, qint64 node); // node -1: the group

private:
    ProfileModel m_model;
    QSortFilterProxyModel m_sorted;
    QTreeView* m_table;
    StateOverlay* m_overlay;
    QLabel* m_footer;
    QLabel* m_footerRight;
    bool m_selecting = false;
};

} // namespace fw::ui
