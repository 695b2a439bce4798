#include "source_tree.h"

#include <QDir>
#include <QDirIterator>
#include <QRegularExpression>

using namespace Qt::StringLiterals;

namespace fw::policy {

namespace {

const QString root = QStringLiteral(FW_SOURCE_DIR);
const QString anyView = u"views/*"_s;

QStringList filesBelow(const QString& folder) {
    QStringList found;
    QDirIterator walk(root + u'/' + folder, QDir::Files | QDir::Hidden,
                      QDirIterator::Subdirectories);
    while (walk.hasNext()) {
        const QString path = QDir(root).relativeFilePath(walk.next());
        if (!path.contains(u"/__pycache__/"_s))
            found << path;
    }
    return found;
}

} // namespace

QStringList projectFiles() {
    QStringList files;
    for (const QString& folder : {u"app"_s, u"cmake"_s, u"core"_s, u"resources"_s, u"samples"_s,
                                  u"tests"_s, u"views"_s, u".ci"_s})
        files << filesBelow(folder);
    for (const QString& name : QDir(root).entryList(QDir::Files | QDir::Hidden))
        if (name != u".git"_s && !name.endsWith(u".user"_s)) // .git is a file in a linked worktree
            files << name;
    files.sort();
    return files;
}

QStringList projectFiles(const QString& folder, const QStringList& suffixes) {
    QStringList files;
    for (const QString& path : filesBelow(folder))
        for (const QString& suffix : suffixes)
            if (path.endsWith(suffix))
                files << path;
    files.sort();
    return files;
}

QString readText(const QString& path) {
    QFile file(root + u'/' + path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray bytes = file.readAll();
    return bytes.contains('\0') ? QString() : QString::fromUtf8(bytes);
}

QList<Include> includesOf(const QString& path) {
    static const QRegularExpression form(uR"(^\s*#\s*include\s*(?:"([^"]+)\"|<([^>]+)>))"_s);
    QList<Include> found;
    int number = 0;
    for (const QString& line : readText(path).split(u'\n')) {
        ++number;
        const auto match = form.match(line);
        if (!match.hasMatch())
            continue;
        const bool angled = !match.captured(2).isEmpty();
        found << Include{number, match.captured(angled ? 2 : 1), angled};
    }
    return found;
}

Folders::Folders() {
    QMap<QString, QStringList> rows;
    for (const QString& line : readText(u"tests/policy/folders.txt"_s).split(u'\n')) {
        if (line.startsWith(u'#') || !line.contains(u':'))
            continue;
        rows[line.section(u':', 0, 0).trimmed()] =
            line.section(u':', 1).split(u' ', Qt::SkipEmptyParts);
    }
    for (auto it = rows.cbegin(); it != rows.cend(); ++it) {
        QStringList open{it.value()};
        QSet<QString>& reach = m_reach[it.key()];
        while (!open.isEmpty()) {
            const QString next = open.takeLast();
            if (reach.contains(next))
                continue;
            reach.insert(next);
            open << rows.value(next);
        }
    }
}

QString Folders::row(const QString& folder) const {
    if (!m_reach.contains(folder) && folder.startsWith(u"views/"_s))
        return anyView;
    return folder;
}

bool Folders::known(const QString& folder) const {
    return m_reach.contains(row(folder));
}

bool Folders::mayKnow(const QString& folder, const QString& other) const {
    const QSet<QString> reach = m_reach.value(row(folder));
    return folder == other || reach.contains(other) ||
           (reach.contains(anyView) && row(other) == anyView);
}

namespace {

// By the parts of a path below core/. The rooms of onnx have rows of their own; of each library two
// folders have rows for all.
QString coreFolder(const QStringList& parts) {
    if (parts[0] == u"libraries"_s && parts.size() == 4)
        return u"libraries/*/"_s + parts[2];
    return parts[0] == u"onnx"_s && parts.size() == 3 ? u"onnx/"_s + parts[1] : parts[0];
}

} // namespace

QString Folders::folderOf(const QString& file) const {
    const QStringList parts = file.split(u'/');
    if (parts.size() < 3)
        return {};
    return parts[0] == u"core"_s ? coreFolder(parts.mid(1)) : parts[0] + u'/' + parts[1];
}

QString Folders::folderOfInclude(const QString& file, const QString& included) const {
    if (!included.contains(u'/'))
        return folderOf(file);
    const QStringList parts = included.split(u'/');
    const bool tower = parts[0] == u"views"_s || parts[0] == u"app"_s;
    return tower ? parts[0] + u'/' + parts[1] : coreFolder(parts);
}

} // namespace fw::policy
