// Asks for the sizes of a model's free dimensions; one that is left free stays symbolic.
#pragma once

#include "app/window/fields_dialog.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

class QSpinBox;

namespace fw::ui {

class DimsDialog : public FieldsDialog {
    Q_OBJECT

public:
    // `names` in the order in which they are shown, with those of `bound` that have a size now.
    DimsDialog(const std::vector<std::string>& names,
               const std::map<std::string, std::int64_t>& bound, QWidget* parent = nullptr);

    std::map<std::string, std::int64_t> dims() const;
    QSpinBox* box(const std::string& name) const { return m_boxes.at(name); }

private:
    std::map<std::string, QSpinBox*> m_boxes; // 0: free
};

} // namespace fw::ui
