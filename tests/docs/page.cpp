#include "docs/page.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>

using namespace Qt::StringLiterals;

namespace fw::docs {

namespace {

constexpr QStringView fence = u"```";
const QString indent = u"    "_s;

QString fileBefore(const QString& paragraph) {
    static const QRegularExpression name(uR"(`([\w.-]+\.\w+)`:$)"_s);
    return name.match(paragraph.trimmed()).captured(1);
}

QStringList alternativesOf(const QString& path) {
    static const QRegularExpression group(uR"(\{([^}]+)\})"_s);
    const auto match = group.match(path);
    if (!match.hasMatch())
        return {path};
    QStringList out;
    for (const QString& one : match.captured(1).split(u','))
        out << path.left(match.capturedStart()) + one.trimmed() + path.mid(match.capturedEnd());
    return out;
}

} // namespace

bool isGrammar(const Block& block) {
    static const QRegularExpression rule(u"^\\w+ += "_s);
    return rule.match(block.lines.value(0)).hasMatch();
}

QList<Block> blocksOf(const QString& page) {
    QList<Block> out;
    QString paragraph; // the last line of text
    bool inside = false, fenced = false;
    int number = 0;
    const auto begin = [&](int line) {
        out << Block{line, fileBefore(paragraph), {}};
        paragraph.clear();
        inside = true;
    };
    for (const QString& line : page.split(u'\n')) {
        ++number;
        if (line.startsWith(fence)) {
            fenced = !fenced;
            if (fenced)
                begin(number + 1);
            else
                inside = false;
        } else if (fenced) {
            out.back().lines << line;
        } else if (line.startsWith(indent)) {
            // Commands may follow a file at once.
            const bool commands = line.startsWith(indent + u"$ "_s);
            if (!inside || (commands && !out.back().transcript()))
                begin(number);
            out.back().lines << line.mid(indent.size());
        } else if (line.trimmed().isEmpty()) {
            if (inside)
                out.back().lines << QString();
        } else {
            inside = false;
            paragraph = line;
        }
    }
    for (Block& block : out)
        while (!block.lines.isEmpty() && block.lines.back().isEmpty())
            block.lines.removeLast();
    return out;
}

QList<CodePlace> placesOf(const QString& page) {
    static const QRegularExpression place(
        uR"((?:`([^`\n]+)` in )?`((?:core|app|views|tests|resources|samples|cmake)/[\w./*{},-]+)`)"_s);
    QList<CodePlace> out;
    int number = 0;
    for (const QString& line : page.split(u'\n')) {
        ++number;
        auto all = place.globalMatch(line);
        while (all.hasNext()) {
            const auto match = all.next();
            out << CodePlace{number, match.captured(2), match.captured(1)};
        }
    }
    return out;
}

QString problemOf(const CodePlace& place) {
    for (const QString& path : alternativesOf(place.path)) {
        const QFileInfo info(sourceFile(path));
        const QDir folder(info.path());
        if (path.contains(u'*') ? folder.entryList({info.fileName()}).isEmpty() : !info.exists())
            return path + u" is not there"_s;
        if (place.symbol.isEmpty())
            continue;
        QFile file(info.filePath());
        if (!file.open(QIODevice::ReadOnly) ||
            !QString::fromUtf8(file.readAll()).contains(place.symbol.section(u"::"_s, -1)))
            return path + u" has no "_s + place.symbol;
    }
    return {};
}

QString sourceFile(const QString& at) {
    return u"" FW_SOURCE_DIR "/"_s + at;
}

QStringList pages() {
    const QDir folder(sourceFile(u"resources/docs"_s));
    QStringList out{u"README.md"_s, u"CONTRIBUTING.md"_s, u"SECURITY.md"_s};
    for (const QString& name : folder.entryList({u"*.md"_s}, QDir::Files, QDir::Name))
        out << u"resources/docs/"_s + name;
    return out;
}

QString textOf(const QString& page) {
    QFile file(sourceFile(page));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace fw::docs
