// A process takes the instruction set of a library once: what is planned at one level is not
// planned at another in the same worker.
#include "asked.h"

#include "common/test.h"
#include "extern/extern.h"
#include "runtime/library_level.h"

using namespace fw;
using namespace fw::snapshot;
using fw::test::Asked;

class TestLevels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        qunsetenv("ONEDNN_MAX_CPU_ISA");
        qunsetenv("DNNL_MAX_CPU_ISA");
    }

    // Told before anything was opened: the environment is a bound, and the plan says so.
    void oneLevelPerProcess() {
        qputenv("ONEDNN_MAX_CPU_ISA", "SSE41");
        Asked asked;
        Arguments v3 = test::on("lenet");
        v3.target = "x86-64 -mcpu=x86-64-v3 -libs=onednn";
        const Result<std::string> first = asked.ask("fuse", v3);
        if (!first.ok() && first.diag().code == DiagCode::LibraryMissing)
            QSKIP("oneDNN is not installed");
        const FuseDocument plan = fromJson<FuseDocument>(*first).value();
        QCOMPARE(externLibrary("onednn")->status().core, std::string("sse41"));
        bool told = false;
        for (const std::string& notice : plan.notices)
            told = told || (notice.starts_with(codeText(ReasonCode::LibraryLevelLower)) &&
                            notice.find("sse41") != std::string::npos);
        QVERIFY(told);

        qunsetenv("ONEDNN_MAX_CPU_ISA");
        Asked again;
        const Result<std::string> other = again.ask("fuse", v3);
        if (runtime::levelFor(runtime::LibraryId::OneDnn, "avx2") == "sse41")
            QSKIP("this CPU plays one level only");
        QVERIFY(!other.ok());
        QCOMPARE(other.diag().code, DiagCode::LibraryLevel);
        QVERIFY2(other.diag().message.find("opened at sse41") != std::string::npos,
                 other.diag().message.c_str());
        // What asks no library does not mind.
        Arguments plain = v3;
        plain.target = "x86-64 -mcpu=x86-64-v3 -libs=";
        QVERIFY(again.ask("fuse", plain).ok());
        // `explain` asks what the libraries would do instead.
        plain.nodes = {plan.groups.at(0).anchor};
        QCOMPARE(again.ask("explain", plain).diag().code, DiagCode::LibraryLevel);
    }

    void doctorListsLevels() {
        Asked asked;
        const auto doctor = asked.get<DoctorDocument>("doctor", {});
        QCOMPARE(doctor.levels.at(0).of, std::string("generated"));
        QCOMPARE(doctor.levels[0].plays.size() + doctor.levels[0].lacks.size(), std::size_t(3));
        std::size_t ready = 0;
        for (const LibraryRecord& library : doctor.libraries)
            ready += library.status == "ready";
        QCOMPARE(doctor.levels.size(), 1 + ready);
        for (const LevelsRecord& levels : doctor.levels)
            QVERIFY(!levels.plays.empty());
    }
};

FW_TEST(TestLevels, QCoreApplication)
#include "test_levels.moc"
