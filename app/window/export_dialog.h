// Asks where a compiled module is to be written, and says what will lie there.
#pragma once

#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;

namespace fw::ui {

class ExportDialog : public QDialog {
    Q_OBJECT

public:
    // `target` is told, `folder` is the first suggestion.
    ExportDialog(const QString& model, const QString& target, const QString& folder,
                 QWidget* parent = nullptr);

    QString folder() const;
    void setFolder(const QString& folder);
    QString note() const; // what is said about the folder
    QPushButton* exportButton() const { return m_export; }

private:
    void check();

    QLineEdit* m_folder;
    QLabel* m_note;
    QPushButton* m_export;
};

} // namespace fw::ui
