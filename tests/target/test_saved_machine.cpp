// Machines as files: read back, refused with the line, and what a target is with one.
#include "base/files.h"
#include "common/test.h"
#include "target/saved_machine.h"

#include <QTemporaryDir>

using namespace fw;

namespace {

const std::string text = "machine Some CPU @ 2 GHz\n"
                         "level x86-64-v3\n"
                         "threads 3\n"
                         "l1_bytes 32768\n"
                         "l2_bytes 262144\n"
                         "l3_bytes 0\n"
                         "library onednn 2.6.3 avx2\n"
                         "held openblas=Haswell\n"
                         "gflops 44\n"
                         "own.pool 3\n";

} // namespace

class TestSavedMachine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsBack();
    void mistakesHaveTheirLine_data();
    void mistakesHaveTheirLine();
    void isTheCpuOfATarget();
    void missingFile();

private:
    QTemporaryDir m_folder;
};

void TestSavedMachine::readsBack() {
    const SavedMachine machine = parseSavedMachine(text, "m").value();
    QCOMPARE(machine.cpu, std::string("Some CPU @ 2 GHz"));
    QCOMPARE(machine.held, std::string("openblas=Haswell"));
    QCOMPARE(machine.library("onednn")->level, std::string("avx2"));
    QVERIFY(machine.library("openblas") == nullptr);
    QCOMPARE(machine.figures, std::string(8, '\n') + "gflops 44\nown.pool 3\n");
    SavedMachine saved = machine;
    saved.figures = "gflops 44\nown.pool 3\n";
    QCOMPARE(saved.text(), text);
    QVERIFY(parseSavedMachine("machine M\r\nlevel x86-64-v4\r\n", "m").ok());
}

void TestSavedMachine::mistakesHaveTheirLine_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("line");
    const auto row = [](const char* name, const char* text, int line) {
        QTest::newRow(name) << QString::fromLatin1(text) << line;
    };
    row("empty", "", 1);
    row("figures alone", "gflops 3\n", 1);
    row("no CPU", "machine\nlevel x86-64-v3\n", 1);
    row("no level", "machine M\nthreads 2\n", 3);
    row("no such level", "machine M\nlevel x86-64-v9\n", 2);
    row("threads", "machine M\nlevel x86-64-v3\nthreads 0\n", 3);
    row("too many threads", "machine M\nlevel x86-64-v3\nthreads 257\n", 3);
    row("cache", "machine M\nl1_bytes -1\n", 2);
    row("a cache that is none", "machine M\nl1_bytes 1e9\n", 2);
    row("library", "machine M\nlibrary onednn 2\n", 2);
    row("no such library", "machine M\nlibrary mkl 2 avx2\n", 2);
}

void TestSavedMachine::mistakesHaveTheirLine() {
    QFETCH(const QString, text);
    QFETCH(const int, line);
    const auto machine = parseSavedMachine(text.toStdString(), "m");
    QVERIFY(!machine.ok());
    QCOMPARE(machine.diag().code, DiagCode::Syntax);
    QCOMPARE(machine.diag().where.file, std::string("m"));
    QCOMPARE(machine.diag().where.line, line);
}

void TestSavedMachine::isTheCpuOfATarget() {
    const std::string file = m_folder.filePath(QStringLiteral("some.machine")).toStdString();
    QVERIFY(writeFile(file, text).ok());
    const Target target = parseTarget("x86-64 -mcpu=" + file).value();
    QCOMPARE(target.text, "x86-64 -mcpu=" + file + " -threads=3");
    QCOMPARE(parseTarget(target.text).value(), target);
    QCOMPARE(target.level, CpuLevel::V3);
    QCOMPARE(target.vectorLanesF32, 8);
    QCOMPARE(target.l1, std::int64_t(32768));
    QCOMPARE(target.l2, std::int64_t(262144));
    QCOMPARE(target.l3, parseTarget("x86-64 -mcpu=x86-64-v3").value().l3);
    QCOMPARE(target.libraryLevel("onednn"), std::string("avx2"));
    QCOMPARE(target.libraryLevel("openblas"), std::string());
    QCOMPARE(targetKeys(target), targetKeys(parseTarget("x86-64 -mcpu=x86-64-v3").value()));
    QCOMPARE(parseTarget("x86-64 -threads=1 -mcpu=" + file).value().threads, 1);
    QCOMPARE(parseTarget("x86-64 -mcpu=" + file + " -threads=1").value().threads, 1);
    QCOMPARE(machineOf(target)->cpu, std::string("Some CPU @ 2 GHz"));
    QVERIFY(machineOf(hostTarget()) == nullptr);
}

void TestSavedMachine::missingFile() {
    const auto target = parseTarget("x86-64 -mcpu=./nowhere.machine");
    QVERIFY(!target.ok());
    QCOMPARE(target.diag().code, DiagCode::FileMissing);
}

FW_TEST(TestSavedMachine, QCoreApplication)
#include "test_saved_machine.moc"
