// What cpuid says must agree with what Linux says, and be plausible.
#include "common/test.h"
#include "runtime/cpu.h"

#include <QFile>
#include <QSet>

using namespace fw::runtime;

class TestCpu : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithTheKernel() {
        QFile file("/proc/cpuinfo");
        if (!file.open(QIODevice::ReadOnly))
            QSKIP("no /proc/cpuinfo");
        QSet<QByteArray> flags;
        for (const QByteArray& line : file.readAll().split('\n'))
            if (line.startsWith("flags"))
                for (const QByteArray& flag : line.mid(line.indexOf(':') + 1).split(' '))
                    flags.insert(flag);
        const auto features = cpuInfo().features;
        const auto same = [&](std::uint64_t feature, const char* flag) {
            QCOMPARE((features & feature) != 0, flags.contains(flag));
        };
        same(CpuAvx2, "avx2");
        same(CpuFma, "fma");
        same(CpuBmi2, "bmi2");
        same(CpuF16c, "f16c");
        same(CpuLzcnt, "abm");
        same(CpuAvx512F, "avx512f");
        same(CpuAvx512Bw, "avx512bw");
        same(CpuAvx512Vl, "avx512vl");
        same(CpuAvx512Vnni, "avx512_vnni");
    }

    void plausible() {
        const CpuInfo& info = cpuInfo();
        QCOMPARE(&cpuInfo(), &info);
        QCOMPARE(info.vendor.size(), std::size_t{12});
        QVERIFY(!info.model.empty());
        QVERIFY(info.cores >= 1);
        QVERIFY(info.l1Bytes >= 8 * 1024 && info.l1Bytes <= info.l2Bytes);
    }

    void names() {
        QCOMPARE(featureNames(CpuAvx2 | CpuFma), std::string("avx2,fma"));
        QCOMPARE(featureNames(0), std::string());
    }
};

FW_TEST(TestCpu, QCoreApplication)
#include "test_cpu.moc"
