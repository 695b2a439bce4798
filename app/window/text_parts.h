// A text and what is found by it: beside it where there is room, so that the text has all of the
// height, and else below it.
#pragma once

#include <QSplitter>

namespace fw::ui {

class TextParts : public QSplitter {
    Q_OBJECT

public:
    explicit TextParts(QWidget* parent = nullptr);

    static constexpr int roomForBoth = 740; // pixels, beside one another

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void share(Qt::Orientation direction);
};

} // namespace fw::ui
