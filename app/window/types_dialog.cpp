#include "app/window/types_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

TypesDialog::TypesDialog(const std::vector<std::string>& names,
                         const std::map<std::string, std::string>& given, QWidget* parent)
    : QDialog(parent) {
    setWindowTitle(u"Types of values"_s);
    auto* what = new QLabel(u"Nothing infers what comes out of an operator that is not known. With "
                            "a type, what reads it is planned and timed; left empty, it is opaque, "
                            "too."_s,
                            this);
    what->setWordWrap(true);
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(14);
    for (const std::string& name : names) {
        auto* field = new QLineEdit(this);
        field->setPlaceholderText(u"f32[N, 4]"_s);
        if (const auto found = given.find(name); found != given.end())
            field->setText(QString::fromStdString(found->second));
        field->setMinimumWidth(200);
        if (m_fields.empty())
            field->setFocus();
        auto* label = new QLabel(QString::fromStdString(name), this);
        label->setTextFormat(Qt::PlainText);
        label->setBuddy(field);
        field->setAccessibleName(label->text());
        form->addRow(label, field);
        m_fields.emplace(name, field);
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(12);
    layout->addWidget(what);
    layout->addLayout(form);
    layout->addWidget(buttons);
}

std::map<std::string, std::string> TypesDialog::types() const {
    std::map<std::string, std::string> out;
    for (const auto& [name, field] : m_fields)
        if (const QString text = field->text().trimmed(); !text.isEmpty())
            out[name] = text.toStdString();
    return out;
}

} // namespace fw::ui
