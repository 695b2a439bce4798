#include "app/window/file_watch.h"

#include <QFileInfo>

namespace fw::ui {

FileWatch::FileWatch(QObject* parent) : QObject(parent) {
    m_settle.setSingleShot(true);
    m_settle.setInterval(80); // a file may be written bit by bit
    const auto later = [this] { m_settle.start(); };
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, later);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, later);
    connect(&m_settle, &QTimer::timeout, this, &FileWatch::check);
}

FileWatch::Stamp FileWatch::stampOf(const QString& path) {
    const QFileInfo info(path);
    return info.exists() ? Stamp{info.size(), info.lastModified()} : Stamp{};
}

void FileWatch::setPaths(const QStringList& paths) {
    std::erase_if(m_stamps, [&](const auto& entry) { return !paths.contains(entry.first); });
    const QStringList before = m_watcher.files() + m_watcher.directories();
    if (!before.isEmpty())
        m_watcher.removePaths(before);
    QStringList wanted;
    for (const QString& path : paths) {
        if (!m_stamps.contains(path))
            m_stamps[path] = stampOf(path);
        // The folder tells of a file that is replaced, which ends the watch of the file itself.
        const QString folder = QFileInfo(path).absolutePath();
        if (QFileInfo::exists(path))
            wanted << path;
        if (QFileInfo::exists(folder) && !wanted.contains(folder))
            wanted << folder;
    }
    if (!wanted.isEmpty())
        m_watcher.addPaths(wanted);
}

void FileWatch::known(const QString& path) {
    if (const auto found = m_stamps.find(path); found != m_stamps.end())
        found->second = stampOf(path);
}

void FileWatch::check() {
    QStringList paths, news;
    for (auto& [path, stamp] : m_stamps) {
        paths << path;
        const Stamp now = stampOf(path);
        if (now == stamp)
            continue;
        stamp = now;
        news << path;
    }
    setPaths(paths); // a replaced file is watched again
    for (const QString& path : news)
        Q_EMIT changed(path);
}

} // namespace fw::ui
