// Ceilings of machines: a table for named CPUs, a profile as text, estimates that follow the
// roofline.
#include "common/test.h"
#include "strategy/machine.h"
#include "strategy/machine_measure.h"

#include "base/files.h"
#include "common/slowdown.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <thread>

using namespace fw;

namespace {

// Where the figures of the target are kept if `folder` is the cache.
std::string keptFile(const QTemporaryDir& folder, const Target& target) {
    QDir(folder.path()).mkdir(QStringLiteral("fusewright"));
    return fmt::format("{}/fusewright/machine-3-v{}-{}.txt", folder.path().toStdString(),
                       static_cast<int>(target.level), target.threads);
}

// Figures are read once for a number of threads.
Target targetOfItsOwn() {
    static int threads = 20;
    return parseTarget(fmt::format("x86-64 -threads={}", ++threads)).value();
}

std::int64_t secondsNow() {
    return QDateTime::currentSecsSinceEpoch();
}

} // namespace

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
    void numbersThatNoMachineReaches_data();
    void numbersThatNoMachineReaches();
    void whatOtherWorkDisturbedIsUsedForAWhile_data();
    void whatOtherWorkDisturbedIsUsedForAWhile();
    void disturbedFiguresOfferTheBest();
    void disturbedRatesAreMarked();
    void whatIsDisturbed_data();
    void whatIsDisturbed();
    void sharingAmongTooManyIsDisturbed();
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
    const std::string file = keptFile(folder, target);
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

void TestMachine::numbersThatNoMachineReaches_data() {
    QTest::addColumn<QString>("number");
    for (const char* number : {"inf", "-inf", "nan", "-1", "0", "-0", "1e300", "1e7", "1e-9",
                               "1e-320", "1e999", "0x10", "50 GFLOP/s", "50,3", ""})
        QTest::newRow(number) << QString::fromLatin1(number);
}

// In the cache the line is passed over, in a file that is given there is no plan.
void TestMachine::numbersThatNoMachineReaches() {
    QFETCH(const QString, number);
    const std::string text = "l2_gbps 77\nlaunch_us 3\ngflops " + number.toStdString() +
                             "\nown.pool 3\nown.rows " + number.toStdString() + "\n";
    QTemporaryDir folder;
    qputenv("XDG_CACHE_HOME", folder.path().toUtf8());
    const Target target = targetOfItsOwn();
    const std::string file = keptFile(folder, target);
    QVERIFY(writeFile(file, text).ok());
    const Diags told = checkMachine(target).value();
    QCOMPARE(told.size(), std::size_t(1));
    QCOMPARE(told[0].where.line, 3);
    QVERIFY2(told[0].message.find("1 more line") != std::string::npos, told[0].message.c_str());
    QCOMPARE(knownCeiling(target, &MachineProfile::l2Gbps), 77.0);
    QCOMPARE(knownCeiling(target, &MachineProfile::launchUs), 3.0);
    QCOMPARE(knownCeiling(target, &MachineProfile::gflops), 0.0);
    QVERIFY(!knownRate(target, "own.pool")); // rates are measured together
    const double gflops = ceilingOf(target, &MachineProfile::gflops);
    QVERIFY2(gflops > 0.1 && gflops < 1e5, qPrintable(QString::number(gflops)));
    Facts work;
    work.flops = work.bytesRead = 1e6;
    QVERIFY(std::isfinite(rooflineUs(work, target, 1)));
    QVERIFY(parseMachine(readFile(file, 4096).value(), file).ok());
    qunsetenv("XDG_CACHE_HOME");

    const std::string given = folder.filePath(QStringLiteral("given.txt")).toStdString();
    QVERIFY(writeFile(given, text).ok());
    qputenv("FUSEWRIGHT_MACHINE", given.c_str());
    const auto refused = checkMachine(targetOfItsOwn());
    qunsetenv("FUSEWRIGHT_MACHINE");
    QVERIFY(!refused.ok());
    QCOMPARE(refused.diag().code, DiagCode::Syntax);
    QCOMPARE(refused.diag().where.line, 3);
}

void TestMachine::whatOtherWorkDisturbedIsUsedForAWhile_data() {
    QTest::addColumn<int>("age"); // seconds
    QTest::addColumn<bool>("used");
    QTest::newRow("just measured") << 0 << true;
    QTest::newRow("nine minutes") << 540 << true;
    QTest::newRow("eleven minutes") << 660 << false;
    QTest::newRow("a day") << 86400 << false;
    QTest::newRow("of the future: the clock was put back") << -3600 << false;
}

void TestMachine::whatOtherWorkDisturbedIsUsedForAWhile() {
    QFETCH(const int, age);
    QFETCH(const bool, used);
    QTemporaryDir folder;
    qputenv("XDG_CACHE_HOME", folder.path().toUtf8());
    const Target target = targetOfItsOwn();
    const std::string mark = fmt::format(" disturbed {}", secondsNow() - age);
    QVERIFY(writeFile(keptFile(folder, target),
                      "gflops 55\nl2_gbps 1e-5" + mark + "\nown.pool 4" + mark + "\nown.rows 5\n")
                .ok());
    QVERIFY(checkMachine(target).value().empty());
    QCOMPARE(knownCeiling(target, &MachineProfile::gflops), 55.0);
    QCOMPARE(knownCeiling(target, &MachineProfile::l2Gbps), used ? 1e-5 : 0.0);
    QCOMPARE(knownRate(target, "own.pool").has_value(), used);
    QCOMPARE(knownRate(target, "own.rows").has_value(), used); // rates are measured together
    const double before = machineMeasuringMs();
    const double l2 = ceilingOf(target, &MachineProfile::l2Gbps);
    QCOMPARE(machineMeasuringMs() == before, used);
    QCOMPARE(l2 == 1e-5, used);
    QCOMPARE(ceilingSource(target).find("own.pool") != std::string::npos, used);
    qunsetenv("XDG_CACHE_HOME");
}

// What is disturbed again is held against what was seen before: other work takes, it never gives.
void TestMachine::disturbedFiguresOfferTheBest() {
    QTemporaryDir folder;
    qputenv("XDG_CACHE_HOME", folder.path().toUtf8());
    const Target target = targetOfItsOwn();
    const std::string old = fmt::format(" disturbed {}\n", secondsNow() - 10000);
    QVERIFY(writeFile(keptFile(folder, target),
                      "own.pool 40" + old + "own.rows 4" + old + "onednn.call_us 9" + old)
                .ok());
    QVERIFY(!knownRate(target, "own.pool"));
    setRates(target, {{"own.pool", 20}, {"own.rows", 8}, {"onednn.call_us", 3}}, false, 0);
    QCOMPARE(knownRate(target, "own.pool").value(), 40.0);
    QCOMPARE(knownRate(target, "own.rows").value(), 8.0);
    QCOMPARE(knownRate(target, "onednn.call_us").value(), 3.0);
    // A measurement that nothing disturbed counts as it is.
    setRates(target, {{"own.pool", 20}}, true, 0);
    QCOMPARE(knownRate(target, "own.pool").value(), 20.0);
    qunsetenv("XDG_CACHE_HOME");
}

void TestMachine::disturbedRatesAreMarked() {
    QTemporaryDir folder;
    qputenv("XDG_CACHE_HOME", folder.path().toUtf8());
    const Target target = targetOfItsOwn();
    const double none = std::numeric_limits<double>::quiet_NaN();
    setRates(target, {{"own.pool", 20}, {"own.rows", none}, {"own.few_rows", HUGE_VAL}}, false, 0);
    QVERIFY(!knownRate(target, "own.rows") && !knownRate(target, "own.few_rows"));
    const QString text = QString::fromStdString(readFile(keptFile(folder, target), 4096).value());
    const auto marked =
        QRegularExpression(QStringLiteral("^own.pool 20 disturbed (\\d+)\n$")).match(text);
    QVERIFY2(marked.hasMatch(), qPrintable(text));
    QVERIFY(std::abs(marked.captured(1).toLongLong() - secondsNow()) < 60);
    setRates(target, {{"own.pool", 20}}, true, 0);
    QCOMPARE(readFile(keptFile(folder, target), 4096).value(), std::string("own.pool 20\n"));
    qunsetenv("XDG_CACHE_HOME");
}

void TestMachine::whatIsDisturbed_data() {
    QTest::addColumn<double>("best");
    QTest::addColumn<double>("median");
    QTest::addColumn<double>("took");
    QTest::addColumn<double>("waited");
    QTest::addColumn<bool>("disturbed");
    QTest::newRow("quiet") << 1e-3 << 1.1e-3 << 4e-3 << 1e-5 << false;
    QTest::newRow("waited a little") << 1e-3 << 1.1e-3 << 4e-3 << 0.79e-3 << false;
    QTest::newRow("waited for a core") << 1e-3 << 1.1e-3 << 4e-3 << 0.81e-3 << true;
    QTest::newRow("spread a little") << 1e-3 << 1.5e-3 << 4e-3 << 0.0 << false;
    QTest::newRow("unlike times") << 1e-3 << 1.51e-3 << 4e-3 << 0.0 << true;
    QTest::newRow("within the grain of the clock") << 1e-6 << 3e-6 << 4e-3 << 0.0 << false;
}

void TestMachine::whatIsDisturbed() {
    QFETCH(const double, best);
    QFETCH(const double, median);
    QFETCH(const double, took);
    QFETCH(const double, waited);
    QTEST(MeasuredRuns({best, median, took, waited}).disturbed(), "disturbed");
}

// A loop of more threads than cores takes them as long as the cores are taken.
void TestMachine::sharingAmongTooManyIsDisturbed() {
    const int threads = static_cast<int>(std::thread::hardware_concurrency()) * 16;
    const Target target =
        parseTarget("x86-64 -threads=" + std::to_string(std::min(threads, 256))).value();
    const MeasuredCeiling fork = measuredCeiling(target, &MachineProfile::forkUs);
    QVERIFY2(fork.value > mostForkUs && fork.disturbed, qPrintable(QString::number(fork.value)));
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
    const double gflops = measuredCeiling(target, &MachineProfile::gflops).value;
    const double l2 = measuredCeiling(target, &MachineProfile::l2Gbps).value;
    const double memory = measuredCeiling(target, &MachineProfile::memoryGbps).value;
    const double launch = measuredCeiling(target, &MachineProfile::launchUs).value;
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
    QVERIFY(ceilingSource(host).starts_with("measured on this machine"));
}

FW_TEST(TestMachine, QCoreApplication)
#include "test_machine.moc"
