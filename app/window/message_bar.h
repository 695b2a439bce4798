// One line above the graphs: what went wrong last, until it is dismissed or the next model is open.
// The text is never read as markup.
#pragma once

#include <QFrame>

class QLabel;

namespace fw::ui {

class MessageBar : public QFrame {
    Q_OBJECT

public:
    explicit MessageBar(QWidget* parent = nullptr);

    void tell(const QString& text);
    void clear();
    QString text() const; // empty when nothing is told

private:
    QLabel* m_label;
};

} // namespace fw::ui
