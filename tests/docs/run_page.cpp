#include "docs/page.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>

using namespace Qt::StringLiterals;

namespace fw::docs {

namespace {

QRegularExpression patternOf(const QString& line) {
    static const QRegularExpression blanks(uR"(\s+)"_s),
        time(uR"(\b\d+(\\\.\d+)?(?= (us|ms|s)\b))"_s);
    QString pattern = QRegularExpression::escape(line.simplified());
    pattern.replace(uR"(\ )"_s, u" "_s).replace(uR"(\.\.\.)"_s, u".*"_s);
    pattern.replace(time, uR"([\d.e+-]+)"_s).replace(blanks, uR"(\s+)"_s);
    return QRegularExpression(u"^"_s + pattern + u"$"_s);
}

// A command with what is written below it.
struct Command {
    int line = 0;
    QStringList words;
    QStringList written;
    int exitCode = 0;
};

QList<Command> commandsOf(const Block& block) {
    static const QRegularExpression ends(uR"(^exit code (\d+)$)"_s);
    QList<Command> out;
    int number = block.line;
    for (const QString& line : block.lines) {
        if (line.startsWith(u"$ "))
            out << Command{number, QProcess::splitCommand(line.mid(2)), {}, 0};
        else if (const auto match = ends.match(line); match.hasMatch())
            out.back().exitCode = match.captured(1).toInt();
        else
            out.back().written << line;
        ++number;
    }
    return out;
}

QString failureOf(const Command& command, const PageFolder& folder) {
    if (command.words.size() < 2 || command.words[0] != u"fw")
        return u"only commands of fw can be run"_s;
    const Said said = folder.run(command.words);
    if (said.exitCode != command.exitCode)
        return u"exit code %1 instead of %2, with\n%3"_s.arg(said.exitCode)
            .arg(command.exitCode)
            .arg(said.text);
    if (const QString missing = missingIn(command.written, said.text); !missing.isEmpty())
        return missing + u"\nin\n"_s + said.text;
    return {};
}

} // namespace

QString missingIn(const QStringList& written, const QString& said) {
    QStringList lines;
    for (const QString& line : said.split(u'\n'))
        if (!line.trimmed().isEmpty())
            lines << line.simplified();
    qsizetype next = 0;
    bool anywhere = false;
    for (const QString& line : written) {
        if (line.trimmed().isEmpty())
            continue;
        if (line.trimmed() == u"...") {
            anywhere = true;
            continue;
        }
        const QRegularExpression pattern = patternOf(line);
        while (anywhere && next < lines.size() && !pattern.match(lines[next]).hasMatch())
            ++next;
        if (next == lines.size() || !pattern.match(lines[next]).hasMatch())
            return u"it does not say \"%1\""_s.arg(line);
        ++next;
        anywhere = false;
    }
    // A command without anything below it may print what it likes.
    if (next < lines.size() && !anywhere && !written.isEmpty())
        return u"the page leaves out \"%1\""_s.arg(lines[next]);
    return {};
}

PageFolder::PageFolder(const QString& page) {
    for (const QString& shared : {u"samples"_s, u"resources"_s})
        QFile::link(sourceFile(shared), m_folder.filePath(shared));
    for (const Block& block : blocksOf(page)) {
        QFile file(m_folder.filePath(block.file));
        if (!block.file.isEmpty() && file.open(QIODevice::WriteOnly))
            file.write((block.lines.join(u'\n') + u'\n').toUtf8());
    }
}

Said PageFolder::run(const QStringList& words) const {
    QProcess process;
    process.setWorkingDirectory(m_folder.path());
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(qEnvironmentVariable("FW_BIN") + u'/' + words.value(0), words.mid(1));
    if (!process.waitForStarted() || !process.waitForFinished(60000))
        return {-1, process.errorString()};
    const bool ended = process.exitStatus() == QProcess::NormalExit;
    return {ended ? process.exitCode() : -1, QString::fromUtf8(process.readAll())};
}

QStringList failuresOf(const QString& name, const QString& page) {
    const PageFolder folder(page);
    QStringList out;
    for (const Block& block : blocksOf(page))
        if (block.transcript())
            for (const Command& command : commandsOf(block))
                if (const QString failure = failureOf(command, folder); !failure.isEmpty())
                    out << u"%1:%2: %3"_s.arg(name).arg(command.line).arg(failure);
    return out;
}

} // namespace fw::docs
