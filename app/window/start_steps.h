// What the command line asks of a window, step by step: each begins when nothing is pending. With a
// user the window stays usable meanwhile.
#pragma once

#include "app/window/main_window.h"

#include <deque>
#include <functional>

namespace fw::ui {

struct StartOptions;

class StartSteps : public QObject {
    Q_OBJECT

public:
    StartSteps(MainWindow& window, const StartOptions& options); // its parent

    void start();

Q_SIGNALS:
    void ended(const fw::Status& how); // with the first that failed, or all were done

private:
    void next();
    Status opened() const;

    MainWindow& m_window;
    std::deque<std::function<Status()>> m_steps;
    bool m_ended = false;
};

} // namespace fw::ui
