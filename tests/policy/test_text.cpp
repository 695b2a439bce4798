// Rules about the text of the repository: sizes, headers, excuses, paths of one machine, and that
// the build lists name what exists.
#include "common/test.h"
#include "source_tree.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

using namespace fw::policy;
using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestFile = 600;

bool isCode(const QString& path) {
    for (const QString& suffix : {u".h"_s, u".cpp"_s, u".c"_s, u".S"_s, u".py"_s, u".fw"_s,
                                  u".cmake"_s, u"CMakeLists.txt"_s})
        if (path.endsWith(suffix))
            return true;
    return path == u"run"_s || path == u".ci/run"_s;
}

} // namespace

class TestText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void filesAreShort();
    void headersHavePragmaOnce();
    void postponedWorkSaysWhy();
    void noPathsOfOneMachine();
    void testListsAreComplete();
    void readmeShowsTheTwoCommands();
    void scriptsAreExecutable();
};

void TestText::filesAreShort() {
    QStringList wrong;
    for (const QString& file : projectFiles())
        if (isCode(file))
            if (const auto lines = readText(file).count(u'\n'); lines > longestFile)
                wrong << u"%1 has %2 lines"_s.arg(file).arg(lines);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestText::headersHavePragmaOnce() {
    QStringList wrong;
    for (const QString& file : projectFiles()) {
        if (!file.endsWith(u".h"_s))
            continue;
        // A header that C programs get beside an exported module may use the older spelling.
        const QString text = readText(file);
        if (!text.contains(u"#pragma once"_s) && !text.contains(u"#ifndef FUSEWRIGHT_"_s))
            wrong << file;
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

// "TODO(#12): ..." names an issue; anything else needs a sentence of at least four words.
void TestText::postponedWorkSaysWhy() {
    static const QRegularExpression mark(uR"(\b(TO)(DO)\b|\b(FIX)(ME)\b)"_s);
    static const QRegularExpression reason(uR"(^(\(#\d+\)|:?\s*(\S+\s+){3,}\S+))"_s);
    QStringList wrong;
    for (const QString& file : projectFiles()) {
        if (!isCode(file) || file == u"tests/policy/test_text.cpp"_s)
            continue;
        int number = 0;
        for (const QString& line : readText(file).split(u'\n')) {
            ++number;
            const auto match = mark.match(line);
            if (match.hasMatch() && !reason.match(line.mid(match.capturedEnd())).hasMatch())
                wrong << u"%1:%2: %3"_s.arg(file).arg(number).arg(line.trimmed());
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestText::noPathsOfOneMachine() {
    static const QRegularExpression path(uR"((?<![\w./$}])/(work|root|home)/\w)"_s);
    QStringList wrong;
    for (const QString& file : projectFiles()) {
        int number = 0;
        for (const QString& line : readText(file).split(u'\n')) {
            ++number;
            if (path.match(line).hasMatch())
                wrong << u"%1:%2: %3"_s.arg(file).arg(number).arg(line.trimmed());
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestText::testListsAreComplete() {
    static const QRegularExpression call(uR"(fw_tests\((\w+))"_s);
    QStringList wrong;
    for (const QString& file : projectFiles(u"tests"_s, {u".cpp"_s})) {
        const QString folder = file.section(u'/', 1, 1);
        if (file.section(u'/', -1).startsWith(u"test_"_s) &&
            call.match(readText(u"tests/%1/CMakeLists.txt"_s.arg(folder))).captured(1) != folder)
            wrong << u"%1: tests/%2 has no fw_tests(%2)"_s.arg(file, folder);
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestText::readmeShowsTheTwoCommands() {
    const QStringList lines = readText(u"README.md"_s).split(u'\n');
    const auto shows = [&](const QString& command) {
        return std::any_of(lines.begin(), lines.end(),
                           [&](const QString& line) { return line.trimmed().startsWith(command); });
    };
    QVERIFY(shows(u"./run"_s));
    QVERIFY(shows(u"./run test"_s));
}

void TestText::scriptsAreExecutable() {
    for (const QString& name : {u"/run"_s, u"/.ci/run"_s})
        QVERIFY2(QFileInfo(QStringLiteral(FW_SOURCE_DIR) + name).isExecutable(), qPrintable(name));
}

FW_TEST(TestText, QCoreApplication)
#include "test_text.moc"
