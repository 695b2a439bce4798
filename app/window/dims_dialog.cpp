#include "app/window/dims_dialog.h"

#include <QSpinBox>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

DimsDialog::DimsDialog(const std::vector<std::string>& names,
                       const std::map<std::string, std::int64_t>& bound, QWidget* parent)
    : FieldsDialog(u"Free dimensions"_s,
                   u"A size makes the plan for exactly this shape. Left free, the plan holds for "
                   "every shape, and conditions that depend on it are not decided."_s,
                   parent) {
    for (const std::string& name : names) {
        auto* box = new QSpinBox(this);
        box->setRange(0, 1 << 30);
        box->setSpecialValueText(u"free"_s);
        if (const auto found = bound.find(name); found != bound.end())
            box->setValue(int(std::min<std::int64_t>(found->second, box->maximum())));
        box->setMinimumWidth(140);
        box->setButtonSymbols(QAbstractSpinBox::NoButtons);
        box->selectAll();
        addField(name, box);
        m_boxes.emplace(name, box);
    }
}

std::map<std::string, std::int64_t> DimsDialog::dims() const {
    std::map<std::string, std::int64_t> out;
    for (const auto& [name, box] : m_boxes)
        if (box->value() > 0)
            out[name] = box->value();
    return out;
}

} // namespace fw::ui
