// Targets read back from their own text, named CPUs do not depend on this machine, mistakes name
// what is known.
#include "runtime/cpu.h"
#include "runtime/library_level.h"
#include "target/target.h"

#include <QtTest>

using namespace fw;

class TestTarget : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textReadsBack();
    void partsAreOptional();
    void namedCpuIsFixed();
    void librariesFollowTheCpu();
    void hostFollowsCpuid();
    void mistakesNameWhatIsKnown_data();
    void mistakesNameWhatIsKnown();
};

void TestTarget::textReadsBack() {
    for (const char* text : {"x86-64 -mcpu=x86-64-v3 -libs= -threads=2",
                             "x86-64 -mcpu=native -libs=onednn,openblas -threads=1",
                             "x86-64 -mcpu=znver4 -threads=7"}) {
        const Target target = parseTarget(text).take();
        QCOMPARE(target.text, std::string(text));
        QVERIFY(parseTarget(target.text).take() == target);
    }
}

void TestTarget::partsAreOptional() {
    const Target target = parseTarget("-libs=mkldnn,cblas,dnnl").take();
    QCOMPARE(target.libs, (std::vector<std::string>{"onednn", "openblas"}));
    QCOMPARE(target.cpu, std::string("native"));
    QVERIFY(parseTarget("x86-64 -libs=").take().libraryChoice == LibraryChoice::Listed);
    QVERIFY(parseTarget("").take().libraryChoice == LibraryChoice::Found);
    QVERIFY(hostTarget() == parseTarget("x86-64").take());
}

void TestTarget::namedCpuIsFixed() {
    const Target v3 = parseTarget("-mcpu=haswell").take();
    QCOMPARE(v3.vectorLanesF32, 8);
    QCOMPARE(v3.vectorRegisters, 16);
    QCOMPARE(v3.l1, 32 * 1024);
    QCOMPARE(v3.llvmCpu(), std::string("x86-64-v3"));
    const Target v4 = parseTarget("-mcpu=x86-64-v4").take();
    QCOMPARE(v4.vectorLanesF32, 16);
    QCOMPARE(v4.vectorRegisters, 32);
    QVERIFY(v4.hasAvx512() && v4.hasFma());
    QVERIFY(!parseTarget("-mcpu=x86-64-v2").take().hasFma());
}

// Every name is a level that the library knows, so that holding it to that name means something.
void TestTarget::librariesFollowTheCpu() {
    QCOMPARE(hostTarget().libraryLevel("onednn"), std::string());
    QCOMPARE(hostTarget().libraryLevel("openblas"), std::string());
    QCOMPARE(parseTarget("-mcpu=sandybridge").take().libraryLevel("onednn"), std::string("avx"));
    QCOMPARE(parseTarget("-mcpu=znver3").take().libraryLevel("openblas"), std::string("Zen"));
    for (const char* cpu : {"x86-64-v2", "sandybridge", "x86-64-v3", "znver2", "x86-64-v4",
                            "icelake-server", "znver4"}) {
        const Target target = parseTarget(std::string("-mcpu=") + cpu).take();
        for (const auto library : {runtime::LibraryId::OneDnn, runtime::LibraryId::OpenBlas}) {
            const std::string wanted = target.libraryLevel(runtime::libraryText(library));
            bool known = false;
            for (const runtime::LibraryLevel& level : runtime::libraryLevels(library))
                known = known || wanted == level.name;
            QVERIFY2(known, (cpu + (": " + wanted)).c_str());
        }
    }
}

void TestTarget::hostFollowsCpuid() {
    const Target host = hostTarget();
    QVERIFY(host.isHost);
    QCOMPARE(host.hasAvx512(), (runtime::cpuLevel4 & ~runtime::cpuInfo().features) == 0);
    QVERIFY(host.l1 > 0 && host.l2 > 0 && host.threads >= 1);
}

void TestTarget::mistakesNameWhatIsKnown_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("known");
    QTest::newRow("cpu") << "x86-64 -mcpu=pentium9"
                         << "x86-64-v4";
    QTest::newRow("library") << "-libs=onednn,mkl"
                             << "openblas";
    QTest::newRow("threads") << "-threads=0"
                             << "1 to 256";
    QTest::newRow("word") << "arm64"
                          << "-mcpu";
    QTest::newRow("order") << "-threads=2 x86-64"
                           << "-threads=N";
}

void TestTarget::mistakesNameWhatIsKnown() {
    QFETCH(QString, text);
    QFETCH(QString, known);
    const Result<Target> target = parseTarget(text.toStdString());
    QVERIFY(!target.ok());
    QCOMPARE(target.diag().code, DiagCode::UnknownTarget);
    QVERIFY2(QString::fromStdString(target.diag().text()).contains(known),
             target.diag().text().c_str());
}

QTEST_GUILESS_MAIN(TestTarget)
#include "test_target.moc"
