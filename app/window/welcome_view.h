// What the centre shows before a model is open: how to open one, and the recent ones.
#pragma once

#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace fw::ui {

class WelcomeView : public QWidget {
    Q_OBJECT

public:
    explicit WelcomeView(QWidget* parent = nullptr);
    void setRecent(const QStringList& paths);
    void setBusy(const QString& text); // empty: not busy

Q_SIGNALS:
    void openRequested();
    void recentRequested(const QString& path);

private:
    QLabel* m_text;
    QVBoxLayout* m_recent;
};

} // namespace fw::ui
