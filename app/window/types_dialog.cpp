#include "app/window/types_dialog.h"

#include <QLineEdit>

namespace fw::ui {

using namespace Qt::StringLiterals;

TypesDialog::TypesDialog(const std::vector<std::string>& names,
                         const std::map<std::string, std::string>& given, QWidget* parent)
    : FieldsDialog(u"Types of values"_s,
                   u"Nothing infers what comes out of an operator that is not known. With a type, "
                   "what reads it is planned and timed; left empty, it is opaque, too."_s,
                   parent) {
    for (const std::string& name : names) {
        auto* field = new QLineEdit(this);
        field->setPlaceholderText(u"f32[N, 4]"_s);
        if (const auto found = given.find(name); found != given.end())
            field->setText(QString::fromStdString(found->second));
        field->setMinimumWidth(200);
        addField(name, field);
        m_fields.emplace(name, field);
    }
}

std::map<std::string, std::string> TypesDialog::types() const {
    std::map<std::string, std::string> out;
    for (const auto& [name, field] : m_fields)
        if (const QString text = field->text().trimmed(); !text.isEmpty())
            out[name] = text.toStdString();
    return out;
}

} // namespace fw::ui
