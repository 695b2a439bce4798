// Tells when files change on disk, also when they are replaced by another file of that name, as
// editors and version control do, and when they go or come.
#pragma once

#include <QDateTime>
#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include <map>

namespace fw::ui {

class FileWatch : public QObject {
    Q_OBJECT

public:
    explicit FileWatch(QObject* parent = nullptr);

    void setPaths(const QStringList& paths);
    void known(const QString& path); // it is as it should be: our own write
    void check();                    // now

Q_SIGNALS:
    void changed(const QString& path);

private:
    struct Stamp {
        qint64 size = -1; // -1: there is none
        QDateTime time;

        bool operator==(const Stamp&) const = default;
    };
    static Stamp stampOf(const QString& path);

    QFileSystemWatcher m_watcher;
    QTimer m_settle;
    std::map<QString, Stamp> m_stamps;
};

} // namespace fw::ui
