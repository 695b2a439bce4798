// Asks where and how a compiled module is to be written, and says what will lie there.
#pragma once

#include <QDialog>

class QCheckBox;
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
    bool embeds() const;   // --embed
    bool isStatic() const; // --static
    QString what() const;  // is written
    QString note() const;  // what is said about the folder
    QPushButton* exportButton() const { return m_export; }
    QCheckBox* embedBox() const { return m_embed; }
    QCheckBox* staticBox() const { return m_static; }

private:
    void check();
    void say();

    QLineEdit* m_folder;
    QCheckBox* m_embed;
    QCheckBox* m_static;
    QLabel* m_what;
    QLabel* m_note;
    QPushButton* m_export;
};

} // namespace fw::ui
