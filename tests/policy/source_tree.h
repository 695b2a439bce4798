// What the policy tests read: the files of the repository as text, and the table of folders.
#pragma once

#include <QMap>
#include <QSet>
#include <QString>
#include <QStringList>

namespace fw::policy {

// Paths relative to the root of the repository, sorted, of the files that people write: the folders
// of the project and the files beside them; no build results.
QStringList projectFiles();
QStringList projectFiles(const QString& folder, const QStringList& suffixes);

QString readText(const QString& path); // path relative to the root; empty for a binary file

struct Include {
    int line = 0;
    QString path;
    bool angled = false; // <...>
};

QList<Include> includesOf(const QString& path);

// folders.txt, with the transitive closure taken. A folder is named as there: "base",
// "views/graph".
class Folders {
public:
    Folders();

    QString folderOf(const QString& file) const; // empty: the file is in no folder of the table
    QString folderOfInclude(const QString& file, const QString& included) const;
    bool known(const QString& folder) const;
    bool mayKnow(const QString& folder, const QString& other) const;

private:
    QString row(const QString& folder) const;

    QMap<QString, QSet<QString>> m_reach;
};

} // namespace fw::policy
