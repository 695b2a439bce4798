// "Op times": the table of a profile with a bar per share, sorted by any column, and a footer that
// keeps the sum of the groups and the end-to-end time apart.
#pragma once

#include "views/common/view.h"
#include "views/profile/profile_model.h"

#include <QSortFilterProxyModel>

class QLabel;
class QTreeView;

namespace fw::ui {

class ElidedLabel;
class FittedColumns;

class ProfileView : public View {
    Q_OBJECT

public:
    explicit ProfileView(QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;
    void selectionChanged(const QObject* origin) override;

    QTreeView* table() const { return m_table; }
    QString footerText() const;
    QString baselineText() const; // empty: there is none
    QString asText() const;       // tab-separated, for the clipboard

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitColumns();
    void setProfile(const Shared<snapshot::ProfileDocument>& profile);
    void showBaseline();
    QString staleReason() const;

    ProfileModel m_model;
    QSortFilterProxyModel m_sorted;
    QTreeView* m_table;
    FittedColumns* m_columns;
    ElidedLabel* m_footer;
    QLabel* m_footerRight;
    ElidedLabel* m_baseline;
    bool m_selecting = false;
};

} // namespace fw::ui
