// Every operator case, every sample and, where they are, the shared models: `fw test` must say that
// the outputs agree. What the engine refuses is listed in expected_unsupported.txt; a wrong output
// or a crash is never expected.
#include "common/source_root.h"
#include "fw_process.h"

#include "common/test.h"
#include "snapshot/documents.h"

#include <QDir>
#include <QFileInfo>

using namespace fw::conformance;
using namespace Qt::StringLiterals;

namespace {

QStringList modelFolders(const QString& parent) {
    QStringList folders;
    for (const QString& name :
         QDir(parent).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name))
        if (QFileInfo::exists(parent + u'/' + name + u"/model.onnx"_s))
            folders << parent + u'/' + name;
    return folders;
}

QMap<QString, QString> expectedUnsupported() {
    QMap<QString, QString> reasons;
    QFile file(fw::test::sourceRoot + u"/tests/conformance/expected_unsupported.txt"_s);
    if (!file.open(QIODevice::ReadOnly))
        return reasons;
    for (const QString& line : QString::fromUtf8(file.readAll()).split(u'\n'))
        if (!line.startsWith(u'#') && !line.trimmed().isEmpty())
            reasons[line.section(u' ', 0, 0)] = line.section(u' ', 1).trimmed();
    return reasons;
}

// One line per case whose verdict is not the expected one.
QStringList surprises(const QStringList& folders, const QStringList& options, int seconds) {
    const QMap<QString, QString> refused = expectedUnsupported();
    QStringList arguments{u"test"_s, u"--json"_s};
    if (!options.contains(u"--target"_s))
        arguments << u"--target"_s << u"x86-64 -libs="_s;
    const FwAnswer answer = runFw(arguments + options + folders, seconds);
    if (answer.exitCode != 0 && answer.exitCode != 1)
        return {u"fw test ended with %1: %2"_s.arg(answer.exitCode)
                    .arg(QString::fromUtf8(answer.error.right(2000)))};
    const auto document =
        fw::snapshot::fromJson<fw::snapshot::TestDocument>(answer.out.toStdString());
    if (!document)
        return {QString::fromStdString(document.diag().text())};
    QStringList wrong;
    QSet<QString> seen;
    for (const auto& record : document->cases) {
        const QString name = QFileInfo(QString::fromStdString(record.name)).fileName();
        const QString verdict = QString::fromStdString(record.verdict);
        seen.insert(name);
        if (verdict != (refused.contains(name) ? u"unsupported"_s : u"passed"_s))
            wrong << u"%1: %2 %3"_s.arg(name, verdict, QString::fromStdString(record.reason));
    }
    for (const QString& folder : folders)
        if (!seen.contains(QFileInfo(folder).fileName()))
            wrong << folder + u": no verdict"_s;
    return wrong;
}

} // namespace

class TestConformance : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void operatorsAreExact();
    void operatorsAreClose();
    void dataDecideSizes();
    void narrowFloatsAreRoundedOnce_data();
    void narrowFloatsAreRoundedOnce();
    void reportsPass();
    void samplesPass();
    void sharedModelsPass();
    void refusalsAreOfCases();
};

void TestConformance::operatorsAreExact() {
    const QStringList folders = modelFolders(fw::test::sourceRoot + u"/tests/conformance/ops"_s);
    QVERIFY(folders.size() > 300);
    const QStringList wrong = surprises(folders, {u"--rtol"_s, u"0"_s, u"--atol"_s, u"0"_s}, 550);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestConformance::operatorsAreClose() {
    const QStringList folders = modelFolders(fw::test::sourceRoot + u"/tests/conformance/close"_s);
    QVERIFY(folders.size() > 30);
    const QStringList wrong = surprises(folders, {}, 300);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

// Each data set gets a model of its sizes where the model with free ones is refused.
void TestConformance::dataDecideSizes() {
    const QStringList folders = modelFolders(fw::test::sourceRoot + u"/tests/conformance/data"_s);
    QVERIFY(folders.size() >= 5);
    const QStringList wrong = surprises(folders, {u"--strict"_s}, 100);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    for (const QString& folder : folders)
        for (const QString& command : {u"run"_s, u"bench"_s, u"profile"_s, u"verify"_s}) {
            QStringList arguments{command, folder, u"--target"_s, u"x86-64 -libs="_s};
            if (command != u"run"_s && command != u"verify"_s)
                arguments << u"--seconds"_s << u"0.01"_s;
            const FwAnswer answer = runFw(arguments, 100);
            QVERIFY2(answer.exitCode == 0,
                     qPrintable(command + u' ' + folder + u": "_s + QString(answer.error)));
        }
}

void TestConformance::narrowFloatsAreRoundedOnce_data() {
    QTest::addColumn<QString>("element");
    QTest::addColumn<QString>(
        "unit"); // of the last place: where f32 meets a tie from the other side
    QTest::addColumn<QStringList>("how");
    for (const char* level : {"x86-64-v2", "native"})
        for (const auto& [element, unit] : {std::pair("f16", "0.001"), std::pair("bf16", "0.008")})
            QTest::addRow("%s %s", element, level)
                << QString::fromLatin1(element) << QString::fromLatin1(unit)
                << QStringList{u"--target"_s,
                               u"x86-64 -libs= -mcpu="_s + QString::fromLatin1(level)};
    for (const auto& [element, unit] : {std::pair("f16", "0.001"), std::pair("bf16", "0.008")})
        QTest::addRow("%s oneDNN, two threads", element)
            << QString::fromLatin1(element) << QString::fromLatin1(unit)
            << QStringList{u"--target"_s, u"x86-64 -libs=onednn -threads=2"_s};
}

void TestConformance::narrowFloatsAreRoundedOnce() {
    QFETCH(QString, element);
    QFETCH(QString, unit);
    QFETCH(QStringList, how);
    QStringList folders = modelFolders(fw::test::sourceRoot + u"/tests/conformance/narrow"_s) +
                          modelFolders(fw::test::sourceRoot + u"/tests/conformance/folded"_s);
    erase_if(folders, [&](const QString& folder) {
        return !QFileInfo(folder).fileName().startsWith(element + u'_');
    });
    QVERIFY(folders.size() > 90);
    const QStringList wrong = surprises(folders, QStringList{u"--rtol"_s, unit} + how, 550);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

// Models that users of other tools reported, built anew.
void TestConformance::reportsPass() {
    const QStringList folders = modelFolders(fw::test::sourceRoot + u"/tests/onnx/reports"_s);
    QVERIFY(folders.size() >= 59);
    for (const QString& target : {u"x86-64 -libs="_s, u"x86-64 -libs=onednn -threads=2"_s}) {
        const QStringList wrong = surprises(folders, {u"--target"_s, target}, 300);
        QVERIFY2(wrong.isEmpty(), qPrintable(target + u": "_s + wrong.join(u'\n')));
    }
}

void TestConformance::samplesPass() {
    const QStringList folders = modelFolders(fw::test::sourceRoot + u"/samples"_s) +
                                modelFolders(fw::test::sourceRoot + u"/samples/odd"_s);
    QVERIFY(folders.size() >= 24);
    for (const QString& libraries : {QString(), u"onednn"_s, u"openblas"_s}) {
        const QStringList wrong =
            surprises(folders, {u"--strict"_s, u"--target"_s, u"x86-64 -libs="_s + libraries}, 300);
        QVERIFY2(wrong.isEmpty(), qPrintable(libraries + u": "_s + wrong.join(u'\n')));
    }
}

void TestConformance::sharedModelsPass() {
    const QStringList folders = modelFolders(sharedModels());
    if (folders.isEmpty())
        QSKIP("there are no shared models beside this checkout");
    const QStringList wrong = surprises(folders, {u"--strict"_s}, 550);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestConformance::refusalsAreOfCases() {
    const QMap<QString, QString> refused = expectedUnsupported();
    for (auto it = refused.cbegin(); it != refused.cend(); ++it) {
        const bool exists =
            QFileInfo::exists(fw::test::sourceRoot + u"/tests/conformance/ops/"_s + it.key()) ||
            QFileInfo::exists(fw::test::sourceRoot + u"/tests/conformance/close/"_s + it.key());
        QVERIFY2(exists, qPrintable(it.key() + u" is no case"_s));
        QVERIFY2(it.value().size() > 10, qPrintable(it.key() + u" has no reason"_s));
    }
}

FW_TEST(TestConformance, QCoreApplication)
#include "test_conformance.moc"
