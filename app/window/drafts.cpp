#include "app/window/drafts.h"

#include "base/files.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

QString Drafts::defaultFolder() {
    QString state = qEnvironmentVariable("XDG_STATE_HOME");
    if (state.isEmpty() || !QDir::isAbsolutePath(state))
        state = QDir::home().filePath(u".local/state"_s);
    return QDir(state).filePath(u"fusewright/drafts"_s);
}

Drafts::Drafts(const QString& folder)
    : m_root(folder),
      m_own(QDir(folder).filePath(QUuid::createUuid().toString(QUuid::WithoutBraces))) {}

Drafts::~Drafts() {
    if (m_lock && QDir(m_own).entryList({u"*.json"_s}, QDir::Files).isEmpty()) {
        m_lock.reset();
        QDir(m_own).removeRecursively();
    }
}

QString Drafts::fileOf(const QString& folder, const QString& path) {
    const QByteArray hash = QCryptographicHash::hash(path.toUtf8(), QCryptographicHash::Sha256);
    return QDir(folder).filePath(QString::fromLatin1(hash.toHex().left(16)) + u".json"_s);
}

Status Drafts::keep(const Draft& draft) {
    if (!m_lock) {
        QDir().mkpath(m_own);
        m_lock = std::make_unique<QLockFile>(QDir(m_own).filePath(u"lock"_s));
        m_lock->setStaleLockTime(0);
        m_lock->tryLock(0);
    }
    const QJsonObject json{{u"version"_s, 1}, {u"path"_s, draft.path}, {u"text"_s, draft.text}};
    return writeFile(fileOf(m_own, draft.path).toStdString(),
                     QJsonDocument(json).toJson(QJsonDocument::Compact).toStdString(),
                     Durability::Cache);
}

void Drafts::forget(const QString& path) {
    QFile::remove(fileOf(m_own, path));
}

QStringList Drafts::deadFolders() const {
    QStringList out;
    for (const QString& name : QDir(m_root).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const QString folder = QDir(m_root).filePath(name);
        if (folder == m_own)
            continue;
        QLockFile lock(QDir(folder).filePath(u"lock"_s));
        lock.setStaleLockTime(0);
        if (lock.tryLock(0))
            out << folder;
    }
    return out;
}

std::vector<Draft> Drafts::leftOver() const {
    std::vector<Draft> out;
    for (const QString& folder : deadFolders())
        for (const QString& name : QDir(folder).entryList({u"*.json"_s}, QDir::Files)) {
            QFile file(QDir(folder).filePath(name));
            if (!file.open(QIODevice::ReadOnly))
                continue;
            const QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
            const QString path = json.value(u"path"_s).toString();
            if (!path.isEmpty() && json.value(u"version"_s).toInt() == 1)
                out.push_back({path, json.value(u"text"_s).toString()});
        }
    std::sort(out.begin(), out.end(),
              [](const Draft& a, const Draft& b) { return a.path < b.path; });
    return out;
}

void Drafts::forgetLeftOver() {
    for (const QString& folder : deadFolders())
        QDir(folder).removeRecursively();
}

} // namespace fw::ui
