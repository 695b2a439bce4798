// Asks what a small edit of a graph needs to know beside its operator.
#pragma once

#include "app/window/fields_dialog.h"
#include "snapshot/records.h"

#include <vector>

class QComboBox;
class QLineEdit;

namespace fw::snapshot {
struct Arguments;
}

namespace fw::ui {

// Which there are: the words of `fw sketch --edit`.
struct GraphEdit {
    const char* word;
    const char* title;
    const char* what; // a sentence; empty: nothing is asked
};
extern const GraphEdit graphEdits[5];

class EditDialog : public FieldsDialog {
    Q_OBJECT

public:
    using Attributes = snapshot::ByName<std::string>;
    // `attributes` as it has them now.
    EditDialog(const GraphEdit& edit, const snapshot::NodeRecord& node,
               const Attributes& attributes, const snapshot::GraphDocument& graph,
               QWidget* parent = nullptr);

    void tell(snapshot::Arguments& about) const; // what was written

private:
    QLineEdit* addLine(const std::string& name, const QString& example);

    QComboBox* m_operand = nullptr;
    QLineEdit* m_to = nullptr;
    QLineEdit* m_other = nullptr; // an attribute that the operator does not write
    struct Attribute {
        std::string name, before;
        QLineEdit* field;
    };
    std::vector<Attribute> m_attributes;
};

} // namespace fw::ui
