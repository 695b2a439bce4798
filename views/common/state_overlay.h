// StateOverlay: the one way in which a view says that it has nothing to show, is at work, shows
// something old, or failed. It lies over its view, follows its size, and is hidden while the view
// is ready.
//
//   Empty, Error   a card in the middle, with a button when there is something to do
//   Busy           after 300 ms a card with progress and Cancel; what was there stays visible,
//   dimmed Stale          a ribbon along the top; the view below stays usable
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <cstdint>

class QFrame;
class QHeaderView;
class QLabel;
class QProgressBar;
class QPushButton;

namespace fw::ui {

class ElidedLabel;

enum class ViewState : std::uint8_t { Ready, Empty, Busy, Stale, Error };

class StateOverlay : public QWidget {
    Q_OBJECT

public:
    explicit StateOverlay(QWidget* view); // its parent; no splitter

    ViewState state() const { return m_state; }
    QString text() const; // what is said now; empty when ready

    // An empty `action` shows no button. All texts are plain: they may come from a model.
    void setReady();
    void setEmpty(const QString& title, const QString& text, const QString& action = {});
    void setBusy(const QString& title, int percent = -1); // -1: unknown
    void setStale(const QString& text, const QString& action = {});
    void setError(const QString& message, const QString& details = {}, const QString& action = {});

    // While there is nothing that the view could be about, an empty one says nothing.
    void setQuiet(bool quiet);

    static constexpr int busyDelay = 300; // ms

Q_SIGNALS:
    void actionRequested(); // the button of Empty, Stale or Error
    void cancelRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void show(ViewState state, const QString& title, const QString& text, const QString& action);
    void place();
    void showCard();
    void coverParent();
    void shiftParent(int by);

    ViewState m_state = ViewState::Ready;
    QFrame* m_card = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_text = nullptr;
    QProgressBar* m_progress = nullptr;
    QPushButton* m_button = nullptr;
    QFrame* m_ribbon = nullptr;
    ElidedLabel* m_ribbonText = nullptr;
    QPushButton* m_ribbonButton = nullptr;
    QTimer m_delay;
    bool m_quiet = false;
    QMargins m_margins; // of the view, without a ribbon
    bool m_covers = false;
    QHeaderView* m_header = nullptr; // of a view that is covered; null: it shows none
    Qt::ScrollBarPolicy m_across{}, m_down{};
};

} // namespace fw::ui
