// Asks what the type of each value is that comes out of an operator that is not known.
#pragma once

#include "app/window/fields_dialog.h"

#include <map>
#include <string>
#include <vector>

class QLineEdit;

namespace fw::ui {

class TypesDialog : public FieldsDialog {
    Q_OBJECT

public:
    // `names` in the order in which they are shown, with those of `given` that have a type now.
    TypesDialog(const std::vector<std::string>& names,
                const std::map<std::string, std::string>& given, QWidget* parent = nullptr);

    std::map<std::string, std::string> types() const; // as they are written: "f32[N, 4]"
    QLineEdit* field(const std::string& name) const { return m_fields.at(name); }

private:
    std::map<std::string, QLineEdit*> m_fields; // empty: not known
};

} // namespace fw::ui
