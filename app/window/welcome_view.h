// What the centre shows before a model is open: how to open one, the samples that are there, and
// the recent ones.
#pragma once

#include "app/window/samples.h"

#include <QScrollArea>

class QGridLayout;
class QLabel;
class QPushButton;

namespace fw::ui {

class WelcomeView : public QScrollArea {
    Q_OBJECT

public:
    explicit WelcomeView(QWidget* parent = nullptr);
    void setSamples(const QList<Sample>& samples);
    void setRecent(const QStringList& paths);
    void setBusy(const QString& text); // empty: not busy

    const QList<QPushButton*>& sampleButtons() const { return m_sampleButtons; }

Q_SIGNALS:
    void openRequested();
    void modelRequested(const QString& path);

private:
    QPushButton* addModel(const QString& name, const QString& path);

    QLabel* m_text;
    QLabel* m_samplesTitle;
    QGridLayout* m_samples;
    QLabel* m_recentTitle;
    QGridLayout* m_recent;
    QList<QPushButton*> m_sampleButtons;
};

} // namespace fw::ui
