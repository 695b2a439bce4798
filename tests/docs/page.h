// The pages of resources/docs as tests read them: blocks of code with their lines, and the places
// in the code that they name.
//
// A block is indented by four blanks, or fenced. It is an example if the page marks it:
//
//     `mine.fw`:               a paragraph that ends so: the block behind it is that file
//
//     $ fw check mine.fw       a block that begins so: commands, what each of them prints, and
//     ...                      `exit code 2` where it is not 0
//
// Every other block that begins with a declaration of the language has to parse.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

namespace fw::docs {

struct Block {
    int line = 0;      // of its first line, from 1
    QString file;      // that the block is; empty: none
    QStringList lines; // without their indent
    bool transcript() const { return !lines.isEmpty() && lines[0].startsWith(u"$ "); }
};
QList<Block> blocksOf(const QString& page);
bool isGrammar(const Block& block); // `rule = ...`

// `core/base/diag.h`, or `makeDiag` in `core/base/diag.h`.
struct CodePlace {
    int line = 0;
    QString path;   // may have * and {a,b}
    QString symbol; // may be empty
};
QList<CodePlace> placesOf(const QString& page);
QString problemOf(const CodePlace& place); // empty: it is there

// By their paths in the repository.
QStringList pages(); // README.md, CONTRIBUTING.md, SECURITY.md, those of resources/docs
QString textOf(const QString& page);
QString sourceFile(const QString& at);

struct Said {
    int exitCode = -1; // -1: it did not end by itself
    QString text;      // standard output and standard error
};

// A folder with the files of a page, and the `samples` and `resources` of the repository.
class PageFolder {
public:
    explicit PageFolder(const QString& page);
    Said run(const QStringList& words) const; // "fw", and what follows

private:
    QTemporaryDir m_folder;
};

// Runs the examples. What is not as the page says: "page:line: ..." each.
QStringList failuresOf(const QString& name, const QString& page);

// Whether `said` is what is written: `...` stands for anything, alone on a line for any number of
// lines; blanks and blank lines do not count, and a number before us, ms or s is any.
// Empty, or what is missing.
QString missingIn(const QStringList& written, const QString& said);

} // namespace fw::docs
