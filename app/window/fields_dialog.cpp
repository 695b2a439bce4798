#include "app/window/fields_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace fw::ui {

FieldsDialog::FieldsDialog(const QString& title, const QString& what, QWidget* parent)
    : QDialog(parent), m_form(new QFormLayout) {
    setWindowTitle(title);
    auto* sentence = new QLabel(what, this);
    sentence->setWordWrap(true);
    m_form->setHorizontalSpacing(14);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(12);
    layout->addWidget(sentence);
    layout->addLayout(m_form);
    layout->addWidget(buttons);
}

void FieldsDialog::addField(const std::string& name, QWidget* field) {
    if (m_form->rowCount() == 0)
        field->setFocus();
    auto* label = new QLabel(QString::fromStdString(name), this);
    label->setTextFormat(Qt::PlainText);
    label->setBuddy(field);
    field->setAccessibleName(label->text());
    m_form->addRow(label, field);
}

} // namespace fw::ui
