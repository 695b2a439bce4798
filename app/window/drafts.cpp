#include "app/window/drafts.h"

#include "app/window/lock_file.h"
#include "base/files.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>

#include <algorithm>
#include <optional>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

const QString document = u"document"_s;
constexpr std::uint64_t largestDraft = 64u << 20; // bytes

QStringList filesIn(const QString& folder) {
    QStringList out;
    for (const QString& name : QDir(folder).entryList({u"*.json"_s}, QDir::Files))
        out << QDir(folder).filePath(name);
    return out;
}

std::optional<Draft> readDraft(const QString& path) {
    const Result<std::string> bytes = readFile(path.toStdString(), largestDraft);
    if (!bytes)
        return std::nullopt;
    const QJsonObject json =
        QJsonDocument::fromJson(QByteArray(bytes->data(), qsizetype(bytes->size()))).object();
    const QString book = json.value(u"path"_s).toString();
    if (book.isEmpty() || json.value(u"version"_s).toInt() != 1)
        return std::nullopt;
    return Draft{book, json.value(u"text"_s).toString(),
                 json.value(u"kind"_s).toString() == document ? Draft::Kind::Document
                                                              : Draft::Kind::Book};
}

} // namespace

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
    if (m_lock)
        QDir().rmdir(m_own); // if nothing is in it
}

QString Drafts::lockOf(const QString& folder) {
    return folder + u".lock"_s;
}

QString Drafts::fileOf(const QString& folder, const Draft& draft) {
    // A document may go by the path of a model that is a text, too.
    const QString name = (draft.kind == Draft::Kind::Document ? document : QString()) + draft.path;
    const QByteArray hash = QCryptographicHash::hash(name.toUtf8(), QCryptographicHash::Sha256);
    return QDir(folder).filePath(QString::fromLatin1(hash.toHex().left(16)) + u".json"_s);
}

Status Drafts::keep(const Draft& draft) {
    if (!m_lock) {
        QDir().mkpath(m_root);
        m_lock = std::make_unique<QLockFile>(lockOf(m_own));
        m_lock->setStaleLockTime(0);
        m_lock->tryLock(0);
        QDir().mkpath(m_own); // if it cannot be made, writing says why
    }
    QJsonObject json{{u"version"_s, 1}, {u"path"_s, draft.path}, {u"text"_s, draft.text}};
    if (draft.kind == Draft::Kind::Document)
        json[u"kind"_s] = document;
    return writeFile(fileOf(m_own, draft).toStdString(),
                     QJsonDocument(json).toJson(QJsonDocument::Compact).toStdString(),
                     Durability::Cache);
}

void Drafts::forget(const Draft& draft) {
    QFile::remove(fileOf(m_own, draft));
}

QStringList Drafts::deadFolders() const {
    QStringList out;
    for (const QString& name : QDir(m_root).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const QString folder = QDir(m_root).filePath(name);
        if (folder == m_own)
            continue;
        QLockFile lock(lockOf(folder));
        lock.setStaleLockTime(0);
        // What is no lock, no living window has made.
        if (!whyNoLock(lockOf(folder)).isEmpty() || lock.tryLock(0))
            out << folder;
    }
    return out;
}

std::vector<Draft> Drafts::leftOver() const {
    std::vector<Draft> out;
    for (const QString& folder : deadFolders())
        for (const QString& file : filesIn(folder))
            if (const auto draft = readDraft(file))
                out.push_back(*draft);
    std::sort(out.begin(), out.end(),
              [](const Draft& a, const Draft& b) { return a.path < b.path; });
    return out;
}

void Drafts::forgetLeftOver(const std::vector<Draft>& offered) {
    for (const QString& folder : deadFolders()) {
        for (const QString& file : filesIn(folder))
            if (const auto draft = readDraft(file);
                draft && std::find(offered.begin(), offered.end(), *draft) != offered.end())
                QFile::remove(file);
        QDir().rmdir(folder); // if nothing is left in it
    }
}

} // namespace fw::ui
