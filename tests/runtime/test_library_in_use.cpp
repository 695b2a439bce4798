// A program may use oneDNN before it loads an exported module: the module takes it as it is.
#include "common/test.h"
#include "runtime/libraries.h"
#include "runtime/library_level.h"

#include <dlfcn.h>

using namespace fw::runtime;

class TestLibraryInUse : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void takenAsItIs() {
        for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
            qunsetenv(name);
        void* library = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr)
            QSKIP("oneDNN is not installed");
        const auto level =
            reinterpret_cast<int (*)()>(dlsym(library, "dnnl_get_effective_cpu_isa"));
        QVERIFY(level != nullptr);
        const int before = level(); // its level is fixed with its first answer
        qputenv("ONEDNN_MAX_CPU_ISA", "SSE41");
        const LibraryInfo& info = libraryInfo(LibraryId::OneDnn);
        QVERIFY2(info.presence == LibraryPresence::Ready, info.reason.c_str());
        QCOMPARE(level(), before);
        if (before != 1)
            QVERIFY(info.core != "sse41"); // what it plays is told, not what was wished
    }
};

FW_TEST(TestLibraryInUse, QCoreApplication)
#include "test_library_in_use.moc"
