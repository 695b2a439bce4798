// Of three words the lowest counts: what a library is held to, the environment's, this CPU's. Once
// opened a library stays where it is.
#include "common/test.h"
#include "runtime/cpu.h"
#include "runtime/libraries.h"
#include "runtime/library_level.h"

using namespace fw::runtime;

namespace {

constexpr LibraryId both[] = {LibraryId::OneDnn, LibraryId::OpenBlas};

void clear() {
    for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "OPENBLAS_CORETYPE"})
        qunsetenv(name);
}

bool plays(LibraryId library, const std::string& name) {
    for (const LibraryLevel& level : libraryLevels(library))
        if (name == level.name)
            return playsHere(level);
    return false;
}

} // namespace

class TestLibraryLevel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { clear(); }

    void nothingIsHeldUnlessAsked() {
        for (const LibraryId library : both)
            QCOMPARE(levelFor(library, {}), std::string());
    }

    void lowerThanTheCpu() {
        if (!plays(LibraryId::OneDnn, "avx512_core"))
            QSKIP("this CPU plays no level above avx2");
        QCOMPARE(levelFor(LibraryId::OneDnn, "sse41"), std::string("sse41"));
        QCOMPARE(levelFor(LibraryId::OneDnn, "avx2"), std::string("avx2"));
        QCOMPARE(levelFor(LibraryId::OpenBlas, "Haswell"), std::string("Haswell"));
        QCOMPARE(levelFor(LibraryId::OpenBlas, "Zen"), std::string("Zen"));
        QCOMPARE(levelFor(LibraryId::OpenBlas, "SkylakeX"), std::string()); // as unasked
    }

    // What the CPU cannot do is not held to: the library would die of an illegal instruction.
    void notHigherThanTheCpu() {
        for (const LibraryId library : both)
            for (const LibraryLevel& level : libraryLevels(library))
                if (!playsHere(level))
                    QCOMPARE(levelFor(library, level.name), std::string());
    }

    void theEnvironmentIsABound() {
        qputenv("ONEDNN_MAX_CPU_ISA", "AVX");
        QCOMPARE(levelFor(LibraryId::OneDnn, {}), std::string("avx"));
        QCOMPARE(levelFor(LibraryId::OneDnn, "avx2"), std::string("avx"));
        QCOMPARE(levelFor(LibraryId::OneDnn, "sse41"), std::string("sse41"));
        qunsetenv("ONEDNN_MAX_CPU_ISA");
        qputenv("DNNL_MAX_CPU_ISA", "sse41");
        QCOMPARE(levelFor(LibraryId::OneDnn, "avx2"), std::string("sse41"));
        qputenv("DNNL_MAX_CPU_ISA", "ALL");
        QCOMPARE(levelFor(LibraryId::OneDnn, {}), std::string());
        qputenv("OPENBLAS_CORETYPE", "sandybridge");
        QCOMPARE(levelFor(LibraryId::OpenBlas, {}), std::string("Sandybridge"));
        QCOMPARE(levelFor(LibraryId::OpenBlas, "Haswell"), std::string("Sandybridge"));
        QCOMPARE(levelFor(LibraryId::OpenBlas, "Nehalem"), std::string("Nehalem"));
        qputenv("OPENBLAS_CORETYPE", "Barcelona"); // one that we do not know is the user's business
        QCOMPARE(levelFor(LibraryId::OpenBlas, "Nehalem"), std::string("Barcelona"));
    }

    void below() {
        QVERIFY(isBelow(LibraryId::OneDnn, "avx2", "avx512_core"));
        QVERIFY(!isBelow(LibraryId::OneDnn, "avx512_core_bf16", "avx512_core"));
        QVERIFY(!isBelow(LibraryId::OpenBlas, "Zen", "Haswell"));
        QVERIFY(!isBelow(LibraryId::OpenBlas, "Barcelona", "Haswell"));
    }

    // In this process: held, opened, and held elsewhere in vain.
    void aLevelIsTakenOnce() {
        qputenv("OPENBLAS_CORETYPE", "SkylakeX");
        const std::pair<LibraryId, std::string> levels[] = {{LibraryId::OneDnn, "sse41"},
                                                            {LibraryId::OpenBlas, "Nehalem"}};
        for (const auto& [library, level] : levels) {
            QVERIFY(holdLibrary(library, {}).ok());
            QVERIFY(holdLibrary(library, level).ok()); // the last word before it is opened
            if (libraryInfo(library).presence != LibraryPresence::Ready)
                continue;
            QCOMPARE(libraryInfo(library).core, level);
            QVERIFY(holdLibrary(library, level).ok());
            if (levelFor(library, {}) == level)
                continue; // nothing else can be had on this CPU
            const Status other = holdLibrary(library, {});
            QCOMPARE(other.code, FW_LIBRARY_FAILED);
            QVERIFY2(other.message.find("opened at " + level) != std::string::npos,
                     other.message.c_str());
        }
        // The environment is the user's: it was changed only while OpenBLAS was opened.
        QCOMPARE(qgetenv("OPENBLAS_CORETYPE"), QByteArray("SkylakeX"));
    }
};

FW_TEST(TestLibraryLevel, QCoreApplication)
#include "test_library_level.moc"
