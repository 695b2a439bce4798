// One window for a document: who starts the program with what another window of the same user has
// open raises that one.
//
// The window listens on a socket in the user's folder for such files, named by what is open, and
// takes no word but "raise".
#pragma once

#include <QObject>

class QLocalServer;

namespace fw::ui {

class MainWindow;

class OneWindow : public QObject {
    Q_OBJECT

public:
    explicit OneWindow(MainWindow& window); // lives longer

    // True: there is a window that has the model or document open, and it comes forward.
    static bool raise(const QString& path);
    // Where its window listens. Empty: there is no such file, or no folder that is the user's
    // alone.
    static QString socketOf(const QString& path);

private:
    void listen();

    MainWindow& m_window;
    QLocalServer* m_server;
};

} // namespace fw::ui
