// Asks for something about each of several names: a row of a form for each, below a sentence that
// says what it is about.
#pragma once

#include <QDialog>

#include <string>

class QFormLayout;

namespace fw::ui {

class FieldsDialog : public QDialog {
    Q_OBJECT

protected:
    FieldsDialog(const QString& title, const QString& what, QWidget* parent);

    void addField(const std::string& name, QWidget* field); // the first one has the keys

private:
    QFormLayout* m_form;
};

} // namespace fw::ui
