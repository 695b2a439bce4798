// One line above a view that says in which state it is: busy, stale, failed with the reason, or
// empty with what to do. Hidden when the view is ready. Busy appears only after 300 ms, so that
// quick answers do not flicker. Text is never interpreted as markup.
#pragma once

#include <QFrame>
#include <QTimer>

class QLabel;
class QPushButton;

namespace fw::ui {

class StateStrip : public QFrame {
    Q_OBJECT

public:
    enum class Tone { Plain, Warning, Error };

    explicit StateStrip(QWidget* parent = nullptr);

    void ready(); // hides
    void busy(const QString& text);
    void show(Tone tone, const QString& text, const QString& action = {});
    QString text() const;

Q_SIGNALS:
    void actionTriggered();

private:
    void present(Tone tone, const QString& text, const QString& action);

    QLabel* m_label;
    QPushButton* m_button;
    QTimer m_delay;
    QString m_busyText;
};

} // namespace fw::ui
