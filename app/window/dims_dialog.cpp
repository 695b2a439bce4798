#include "app/window/dims_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

DimsDialog::DimsDialog(const std::vector<std::string>& names,
                       const std::map<std::string, std::int64_t>& bound, QWidget* parent)
    : QDialog(parent) {
    setWindowTitle(u"Free dimensions"_s);
    auto* what = new QLabel(u"A size makes the plan for exactly this shape. Left free, the plan "
                            "holds for every shape, and conditions that depend on it are not "
                            "decided."_s,
                            this);
    what->setWordWrap(true);
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(14);
    for (const std::string& name : names) {
        auto* box = new QSpinBox(this);
        box->setRange(0, 1 << 30);
        box->setSpecialValueText(u"free"_s);
        if (const auto found = bound.find(name); found != bound.end())
            box->setValue(int(std::min<std::int64_t>(found->second, box->maximum())));
        box->setMinimumWidth(140);
        box->setButtonSymbols(QAbstractSpinBox::NoButtons);
        if (m_boxes.empty())
            box->setFocus();
        box->selectAll();
        auto* label = new QLabel(QString::fromStdString(name), this);
        label->setTextFormat(Qt::PlainText);
        label->setBuddy(box);
        box->setAccessibleName(label->text());
        form->addRow(label, box);
        m_boxes.emplace(name, box);
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

std::map<std::string, std::int64_t> DimsDialog::dims() const {
    std::map<std::string, std::int64_t> out;
    for (const auto& [name, box] : m_boxes)
        if (box->value() > 0)
            out[name] = box->value();
    return out;
}

} // namespace fw::ui
