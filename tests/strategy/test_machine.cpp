// Ceilings of machines: a table for named CPUs, a profile as text, estimates that follow the
// roofline.
#include "strategy/machine.h"

#include "base/files.h"
#include "common/slowdown.h"

#include <QtTest>

#include <fmt/format.h>

using namespace fw;

class TestMachine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qunsetenv("FUSEWRIGHT_MACHINE"); }
    void profilesReadBack();
    void mistakesHaveTheirLine();
    void namedCpusHaveATable();
    void aProfileCanBeGiven();
    void aGivenProfileThatIsBrokenIsRefused();
    void damagedFiguresAreToldAndMeasuredAnew();
    void theRooflineHasTwoSides();
    void thisMachineIsMeasured();
    void onlyWhatIsAskedForIsMeasured();
    void everyFigureHasARowAndASource();
};

void TestMachine::profilesReadBack() {
    MachineProfile profile;
    profile.gflops = 123;
    profile.forkUs = 1.5;
    profile.rates = {{"own.few_rows", 17}, {"onednn.call_us", 0.5}};
    QCOMPARE(parseMachine(profile.text(), "p").value(), profile);
}

void TestMachine::mistakesHaveTheirLine() {
    for (const char* text : {"gflops 1\nspeed 3\n", "gflops 1\nl2_gbps fast\n", "\nl2_gbps -1",
                             "gflops 1\nown.speed 3\n", "gflops 1\n.pool 3\n"}) {
        const auto profile = parseMachine(text, "p");
        QVERIFY(!profile.ok());
        QCOMPARE(profile.diag().where.line, 2);
    }
}

void TestMachine::namedCpusHaveATable() {
    const Target v3 = parseTarget("x86-64 -mcpu=x86-64-v3 -threads=2").value();
    const Target v4 = parseTarget("x86-64 -mcpu=x86-64-v4 -threads=2").value();
    QCOMPARE(ceilingOf(v3, &MachineProfile::l3Gbps), tabulatedMachine(v3).l3Gbps);
    QCOMPARE(tabulatedMachine(v4).gflops, 2 * tabulatedMachine(v3).gflops);
}

void TestMachine::aProfileCanBeGiven() {
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("machine.txt")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("gflops 77\nmemory_gbps 5\n");
    file.close();
    qputenv("FUSEWRIGHT_MACHINE", file.fileName().toUtf8());
    const Target target = parseTarget("x86-64 -threads=1").value();
    QCOMPARE(ceilingOf(target, &MachineProfile::gflops), 77.0);
    QCOMPARE(ceilingOf(target, &MachineProfile::l2Gbps), MachineProfile().l2Gbps);
    qunsetenv("FUSEWRIGHT_MACHINE");
}

void TestMachine::aGivenProfileThatIsBrokenIsRefused() {
    QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("machine.txt")).toStdString();
    qputenv("FUSEWRIGHT_MACHINE", file.c_str());
    QCOMPARE(checkMachine(parseTarget("x86-64 -threads=6").value()).diag().code,
             DiagCode::FileMissing);
    QVERIFY(writeFile(file, "gflops 77\nl2_gbps many\n").ok());
    const auto broken = checkMachine(parseTarget("x86-64 -threads=4").value());
    qunsetenv("FUSEWRIGHT_MACHINE");
    QVERIFY(!broken.ok());
    QCOMPARE(broken.diag().code, DiagCode::Syntax);
    QCOMPARE(broken.diag().where.file, file);
    QCOMPARE(broken.diag().where.line, 2);
    // A CPU that is named has a table, whatever the file says.
    QVERIFY(checkMachine(parseTarget("x86-64 -mcpu=x86-64-v3").value()).ok());
}

void TestMachine::damagedFiguresAreToldAndMeasuredAnew() {
    QTemporaryDir folder;
    qputenv("XDG_CACHE_HOME", folder.path().toUtf8());
    const Target target = parseTarget("x86-64 -threads=5").value();
    const std::string file =
        fmt::format("{}/fusewright/machine-2-v{}-5.txt", folder.path().toStdString(),
                    static_cast<int>(target.level));
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("fusewright")));
    QVERIFY(writeFile(file, std::string("gflops 7") + '\0' + "7\nl2").ok());
    const Diags told = checkMachine(target).value();
    QCOMPARE(told.size(), std::size_t(1));
    QCOMPARE(told[0].severity, Severity::Warning);
    QCOMPARE(told[0].where.file, file);
    QCOMPARE(told[0].where.line, 1);
    QVERIFY(ceilingOf(target, &MachineProfile::launchUs) > 0);
    qunsetenv("XDG_CACHE_HOME");
    // What was measured stands in its place.
    const auto mended = parseMachine(readFile(file, 4096).value(), file);
    QVERIFY(mended.ok());
}

void TestMachine::theRooflineHasTwoSides() {
    Target target = parseTarget("x86-64 -mcpu=x86-64-v3 -threads=1").value();
    const MachineProfile machine = tabulatedMachine(target);
    Facts work;
    work.flops = 1e9;
    QCOMPARE(qRound(rooflineUs(work, target, 1)), qRound(1e6 / machine.gflops + machine.launchUs));
    work.bytesRead = 1e9; // far beyond the caches
    QCOMPARE(qRound(rooflineUs(work, target, 1)),
             qRound(1e6 / machine.memoryGbps + machine.launchUs));
    target.threads = 2;
    QVERIFY(rooflineUs(work, target, 1) < 0.51e6 / machine.memoryGbps + machine.forkUs + 1);
    // Too little to share.
    const Facts small;
    QCOMPARE(rooflineUs(small, target, 1), machine.launchUs);
}

void TestMachine::thisMachineIsMeasured() {
    const Target target = parseTarget("x86-64 -threads=1").value();
    const double gflops = measureCeiling(target, &MachineProfile::gflops);
    const double l2 = measureCeiling(target, &MachineProfile::l2Gbps);
    const double memory = measureCeiling(target, &MachineProfile::memoryGbps);
    const double launch = measureCeiling(target, &MachineProfile::launchUs);
    qInfo("%g GFLOP/s, %g and %g GB/s, %g us", gflops, l2, memory, launch);
    // Anything from an old laptop to a large server; a chain of dependent adds would be far below.
    QVERIFY(gflops > 4.0 / test::slowdown && gflops < 2000);
    QVERIFY(l2 > 2 && memory > 0.5);
    QVERIFY(launch > 0 && launch < 1000);
}

// Work that lies in the L2 cache asks nothing of the memory, whose figure is the dear one.
void TestMachine::onlyWhatIsAskedForIsMeasured() {
    const QTemporaryDir folder;
    qputenv("XDG_CACHE_HOME", folder.path().toUtf8());
    const Target target = parseTarget("x86-64 -threads=3").value();
    const auto kept = [&] {
        const QStringList files =
            QDir(folder.filePath(QStringLiteral("fusewright"))).entryList(QDir::Files);
        QFile file(folder.filePath(QStringLiteral("fusewright/") + files.value(0)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    Facts work;
    work.flops = work.bytesRead = 1000;
    const double before = machineMeasuringMs();
    const double first = rooflineUs(work, target, 1);
    QVERIFY(machineMeasuringMs() > before);
    QVERIFY2(kept().contains("gflops") && kept().contains("l2_gbps"), kept().constData());
    QVERIFY2(!kept().contains("memory_gbps") && !kept().contains("fork"), kept().constData());
    const double spent = machineMeasuringMs();
    QCOMPARE(rooflineUs(work, target, 1), first);
    QCOMPARE(machineMeasuringMs(), spent);
    work.bytesRead = 1e12;
    QVERIFY(rooflineUs(work, target, 1) > first);
    QVERIFY2(kept().contains("memory_gbps") && kept().contains("fork_us"), kept().constData());
    qunsetenv("XDG_CACHE_HOME");
}

void TestMachine::everyFigureHasARowAndASource() {
    QTemporaryDir folder;
    qputenv("XDG_CACHE_HOME", folder.path().toUtf8());
    const Target host = parseTarget("x86-64 -threads=9").value();
    const Target v3 = parseTarget("x86-64 -mcpu=x86-64-v3 -threads=2").value();
    MachineProfile all;
    for (const CeilingRow& row : ceilings()) {
        QVERIFY(!row.unit.empty() && !row.sentence.empty());
        QCOMPARE(knownCeiling(host, row.value), 0.0); // nothing is measured by asking
        QCOMPARE(knownCeiling(v3, row.value), tabulatedMachine(v3).*row.value);
        QCOMPARE(ceilingAgain(v3, row.value), tabulatedMachine(v3).*row.value);
        QVERIFY(ceilingAgain(host, row.value) > 0);
        QVERIFY(knownCeiling(host, row.value) > 0);
        all.*row.value = 1000;
    }
    QCOMPARE(all, parseMachine("gflops 1000\nl2_gbps 1000\nl3_gbps 1000\nmemory_gbps "
                               "1000\nlaunch_us 1000\nfork_us 1000\n",
                               "p")
                      .value());
    QCOMPARE(ceilingSource(v3), std::string("a table for x86-64-v3"));
    QCOMPARE(ceilingSource(host), std::string("measured on this machine"));
}

QTEST_GUILESS_MAIN(TestMachine)
#include "test_machine.moc"
