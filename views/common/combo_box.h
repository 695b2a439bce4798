// A combo box that draws its own arrow: a style sheet can only name image files for it.
#pragma once

#include <QComboBox>

namespace fw::ui {

class ComboBox : public QComboBox {
    Q_OBJECT

public:
    using QComboBox::QComboBox;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace fw::ui
