// Named layouts of the window: to look, to write, to profile, to compare, and those that people
// save. Each has a key, and each is found again as it was left.
//
// Owns which one the window has, and how the others were left.
#pragma once

#include "app/window/document_files.h"
#include "app/window/view_docks.h"

namespace fw::ui {

class Layouts : public QObject {
    Q_OBJECT

public:
    struct Named {
        QString title, keys;
        bool isOwn = false; // of people
    };

    // All live longer.
    Layouts(QMainWindow& window, ViewDocks& views, Settings& settings, Memory memory, int version);

    std::vector<Named> all() const;
    const QString& current() const { return m_current; } // its title
    void choose(const QString& title);
    void saveAs(const QString& title); // as it is now
    void reset();                      // the current one, as it was at first
    void begin();                      // as the last window was left, if it is remembered
    void end();                        // it is remembered

    static constexpr std::size_t mostOwn = 3;

Q_SIGNALS:
    void changed(); // all() or current()
    void said(const QString& text);

private:
    void keep(); // how the current one is left
    QByteArray state() const;
    bool restore(const QByteArray& state);

    QMainWindow& m_window;
    ViewDocks& m_views;
    Settings& m_settings;
    const Memory m_memory;
    const int m_version;
    QString m_current;
    QStringList m_own;
    std::map<QString, QByteArray> m_left; // by title
};

} // namespace fw::ui
