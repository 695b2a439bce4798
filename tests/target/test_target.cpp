// Targets read back from their own text, named CPUs do not depend on this machine, mistakes name
// what is known.
#include "common/test.h"
#include "runtime/cpu.h"
#include "runtime/library_level.h"
#include "target/target.h"

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
    void declaredTargetsSayWhatIsDifferent();
    void declaredTargetsStandOnEachOther();
    void narrowVectorsAreOtherCode();
    void declaredNamesAreKnown_data();
    void declaredNamesAreKnown();
    void featuresHaveLevels();
};

namespace {

DeclaredTarget standing(const std::string& name, const std::string& on,
                        std::vector<std::string> keys = {}) {
    DeclaredTarget out;
    out.name = name;
    out.on = on;
    out.keys = std::move(keys);
    return out;
}

DeclaredTargets declared() {
    DeclaredTarget chip = standing("mychip", "x86-64-v3", {"family", "cpu"});
    chip.libs = {"dnnl"};
    chip.threads = 3;
    DeclaredTarget next = standing("next-chip", "mychip", {"fast", "family"});
    next.features = runtime::CpuFma;
    next.vectorBits = 128;
    return {{"mychip", chip}, {"next-chip", next}, {"here", standing("here", "cpu")}};
}

} // namespace

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
    const std::tuple<const char*, const char*, const char*> levels[] = {
        {"x86-64-v2", "sse41", "Nehalem"},
        {"nehalem", "sse41", "Nehalem"},
        {"sandybridge", "avx", "Sandybridge"},
        {"x86-64-v3", "avx2", "Haswell"},
        {"haswell", "avx2", "Haswell"},
        {"alderlake", "avx2", "Haswell"},
        {"znver1", "avx2", "Zen"},
        {"znver3", "avx2", "Zen"},
        {"x86-64-v4", "avx512_core", "SkylakeX"},
        {"skylake-avx512", "avx512_core", "SkylakeX"},
        {"cascadelake", "avx512_core_vnni", "SkylakeX"},
        {"icelake-server", "avx512_core_vnni", "SkylakeX"},
        {"sapphirerapids", "avx512_core_bf16", "SkylakeX"},
        {"znver4", "avx512_core_bf16", "SkylakeX"},
    };
    for (const auto& [cpu, oneDnn, openBlas] : levels) {
        const Target target = parseTarget(std::string("-mcpu=") + cpu).take();
        QCOMPARE(target.libraryLevel("onednn"), std::string(oneDnn));
        QCOMPARE(target.libraryLevel("openblas"), std::string(openBlas));
        for (const runtime::LibraryId library : runtime::builtInLibraryIds) {
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

void TestTarget::declaredTargetsSayWhatIsDifferent() {
    const Target chip = parseTarget("mychip", declared()).take();
    QCOMPARE(chip.text, std::string("mychip -libs=onednn -threads=3"));
    QCOMPARE(chip.name, std::string("mychip"));
    QCOMPARE(chip.cpu, std::string("x86-64-v3"));
    QCOMPARE(chip.libs, std::vector<std::string>{"onednn"});
    QCOMPARE(chip.vectorLanesF32, 8);
    QVERIFY(parseTarget(chip.text, declared()).take() == chip);
    QCOMPARE(targetKeys(chip), (std::vector<std::string>{"mychip", "family", "x86-64-v3",
                                                         "x86-64-v2", "x86-64", "cpu", "any"}));
    const Target other = parseTarget("mychip -libs= -threads=1", declared()).take();
    QCOMPARE(other.text, std::string("mychip -libs= -threads=1"));
    QVERIFY(other.libs.empty());
    const Target here = parseTarget("here", declared()).take();
    QCOMPARE(here.level, hostTarget().level);
    QCOMPARE(here.threads, hostTarget().threads);
    QVERIFY(here.isHost && here.libraryChoice == LibraryChoice::Found);
}

void TestTarget::declaredTargetsStandOnEachOther() {
    const Target next = parseTarget("next-chip -threads=1", declared()).take();
    QCOMPARE(next.ownKeys,
             (std::vector<std::string>{"next-chip", "fast", "family", "mychip", "cpu"}));
    QCOMPARE(targetKeys(next)[3], std::string("mychip"));
    QCOMPARE(targetKeys(next).back(), std::string("any"));
    QCOMPARE(next.libs, std::vector<std::string>{"onednn"});
    QCOMPARE(next.cpu, std::string("x86-64-v3"));
    QVERIFY(!parseTarget("a", {{"a", standing("a", "b")}, {"b", standing("b", "a")}}));
}

void TestTarget::narrowVectorsAreOtherCode() {
    const Target narrow = parseTarget("next-chip", declared()).take();
    QCOMPARE(narrow.vectorLanesF32, 4);
    QCOMPARE(narrow.llvmCpu(), std::string("x86-64-v3"));
    QVERIFY(narrow.codeKey() != parseTarget("mychip", declared()).take().codeKey());
    QCOMPARE(parseTarget("mychip", declared()).take().codeKey(), std::string("x86-64-v3"));
    // Two targets of one text, made of something else.
    DeclaredTargets changed = declared();
    changed["mychip"].on = "x86-64-v2";
    QVERIFY(parseTarget("mychip", changed).take().madeOf() !=
            parseTarget("mychip", declared()).take().madeOf());
    changed["mychip"].on = "x86-64";
    changed["mychip"].vectorBits = 1024;
    QCOMPARE(parseTarget("mychip", changed).diag().code, DiagCode::UnknownTarget);
}

void TestTarget::declaredNamesAreKnown_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("told");
    QTest::newRow("near") << "mychp"
                          << "did you mean mychip?";
    QTest::newRow("cpu") << "haswell"
                         << "x86-64 -mcpu=haswell";
    QTest::newRow("its cpu") << "mychip -mcpu=haswell"
                             << "says which CPU";
    QTest::newRow("two") << "mychip here"
                         << "not part of a target";
}

void TestTarget::declaredNamesAreKnown() {
    QFETCH(QString, text);
    QFETCH(QString, told);
    const Result<Target> target = parseTarget(text.toStdString(), declared());
    QVERIFY(!target.ok());
    QCOMPARE(target.diag().code, DiagCode::UnknownTarget);
    QVERIFY2(QString::fromStdString(target.diag().text()).contains(told),
             target.diag().text().c_str());
}

void TestTarget::featuresHaveLevels() {
    QCOMPARE(levelOfFeature(*cpuFeature("avx2")), CpuLevel::V3);
    QCOMPARE(levelOfFeature(*cpuFeature("avx512vnni")), CpuLevel::V4);
    QCOMPARE(levelOfFeature(*cpuFeature("popcnt")), CpuLevel::V2);
    QVERIFY(!cpuFeature("avx3"));
    for (const std::string& name : knownCpuFeatures())
        QVERIFY2(cpuFeature(name), name.c_str());
}

FW_TEST(TestTarget, QCoreApplication)
#include "test_target.moc"
