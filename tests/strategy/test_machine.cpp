// Ceilings of machines: a table for named CPUs, a profile as text, estimates that follow the
// roofline.
#include "strategy/machine.h"

#include <QtTest>

using namespace fw;

class TestMachine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void profilesReadBack();
    void mistakesHaveTheirLine();
    void namedCpusHaveATable();
    void aProfileCanBeGiven();
    void theRooflineHasTwoSides();
    void thisMachineIsMeasured();
};

void TestMachine::profilesReadBack() {
    MachineProfile profile;
    profile.gflops = 123;
    profile.forkUs = 1.5;
    QCOMPARE(parseMachine(profile.text(), "p").value(), profile);
}

void TestMachine::mistakesHaveTheirLine() {
    for (const char* text : {"gflops 1\nspeed 3\n", "gflops 1\nl2_gbps fast\n", "\nl2_gbps -1"}) {
        const auto profile = parseMachine(text, "p");
        QVERIFY(!profile.ok());
        QCOMPARE(profile.diag().where.line, 2);
    }
}

void TestMachine::namedCpusHaveATable() {
    const Target v3 = parseTarget("x86-64 -mcpu=x86-64-v3 -threads=2").value();
    const Target v4 = parseTarget("x86-64 -mcpu=x86-64-v4 -threads=2").value();
    QCOMPARE(machineOf(v3), tabulatedMachine(v3));
    QCOMPARE(tabulatedMachine(v4).gflops, 2 * tabulatedMachine(v3).gflops);
}

void TestMachine::aProfileCanBeGiven() {
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("machine.txt")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("gflops 77\nmemory_gbps 5\n");
    file.close();
    qputenv("FUSEWRIGHT_MACHINE", file.fileName().toUtf8());
    QCOMPARE(machineOf(parseTarget("x86-64 -threads=1").value()).gflops, 77.0);
    qunsetenv("FUSEWRIGHT_MACHINE");
}

void TestMachine::theRooflineHasTwoSides() {
    Target target = parseTarget("x86-64 -mcpu=x86-64-v3 -threads=1").value();
    const MachineProfile& machine = machineOf(target);
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
    QCOMPARE(rooflineUs(small, target, 1), machineOf(target).launchUs);
}

void TestMachine::thisMachineIsMeasured() {
    const MachineProfile machine = measureMachine(parseTarget("x86-64 -threads=1").value());
    // Anything from an old laptop to a large server; a chain of dependent adds would be far below.
    QVERIFY2(machine.gflops > 4 && machine.gflops < 2000, machine.text().c_str());
    QVERIFY2(machine.l2Gbps > 2 && machine.memoryGbps > 0.5, machine.text().c_str());
    QVERIFY2(machine.launchUs > 0 && machine.launchUs < 1000, machine.text().c_str());
    qInfo("%s", machine.text().c_str());
}

QTEST_GUILESS_MAIN(TestMachine)
#include "test_machine.moc"
