// What the status bar says of the document, the selection, the worker and what runs, and for a
// while what was done.
//
// Owns its labels, and one for each view that has something to say.
#pragma once

#include "app/window/document.h"
#include "views/common/selection.h"

#include <map>

class QLabel;
class QProgressBar;
class QStatusBar;
class QToolButton;

namespace fw::ui {

class ElidedLabel;

class StatusLine : public QObject {
    Q_OBJECT

public:
    // All live longer.
    StatusLine(QStatusBar* bar, Document& document, const WorkerClient& worker,
               const Selection& selection);

    void update();
    void showProgress(const snapshot::Progress& progress);
    void say(const QString& text); // for a while
    enum class Place : std::uint8_t { Left, Right };
    void setText(const QObject* of, Place place, const QString& text);

Q_SIGNALS:
    void stopWanted();

private:
    QLabel* label(const QString& name = {});
    void showWorker();

    QStatusBar* m_bar;
    Document& m_document;
    const WorkerClient& m_worker;
    const Selection& m_selection;
    QLabel *m_file, *m_counts, *m_selected;
    ElidedLabel* m_note;
    QLabel *m_task, *m_target, *m_workerState;
    QProgressBar* m_progress;
    QToolButton* m_cancel;
    std::map<const QObject*, QLabel*> m_others;
    int m_items = 9;
};

} // namespace fw::ui
