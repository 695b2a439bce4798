// No class of convolution or movement is far slower than its plain relative: as many products a
// second to an eighth, as many bytes to a tenth. Best of several runs, so that other work on the
// machine hardly shows; what is measured against each other is measured in turn.
#include "codegen/harness.h"
#include "common/test.h"
#include "lower_check.h"

#include <chrono>

using namespace fw;
using namespace fw::test;

namespace {

class Kernel {
public:
    Kernel(const OpInst& inst, const Target& target, bool last)
        : Kernel(inst, target,
                 last ? StorageMaps{{"x", channelsLast(4)}, {"y", channelsLast(4)}}
                      : StorageMaps()) {}
    Kernel(const OpInst& inst, const Target& target, StorageMaps maps) {
        ScheduleContext context;
        context.vectorLanes = target.vectorLanesF32;
        context.vectorRegisters = target.vectorRegisters;
        context.constants = {"w", "b"};
        context.maps = std::move(maps);
        const ScheduleChoice choice = plannedSchedule(inst, context).take();
        const LoopNest nest = lower(inst, choice.schedule, context.maps, "t").take().nest;
        const CompiledKernel kernel = compileKernel(nest, target, {}).take();
        m_module.emplace(jit().load(std::span(&kernel.object, 1)).take());
        m_code.emplace(m_module->kernel(kernel.symbol).take());
        for (const Buffer& buffer : nest.parameters) {
            const auto bytes =
                static_cast<std::size_t>(*evalIndex(buffer.size, {})) * dtypeBytes(buffer.dtype);
            m_memory.emplace_back((bytes + sizeof(float) - 1) / sizeof(float), 0.5F);
            m_pointers.push_back(m_memory.back().data());
        }
    }

    double seconds() const {
        const fw_kernel_context context{const_cast<void**>(m_pointers.data()), nullptr, runSerially,
                                        nullptr};
        const auto start = std::chrono::steady_clock::now();
        m_code->run(&context);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

private:
    std::optional<JitModule> m_module;
    std::optional<LoadedKernel> m_code;
    std::vector<std::vector<float>> m_memory;
    std::vector<void*> m_pointers;
};

// Seconds of the first over those of the second.
double ratio(const Kernel& first, const Kernel& second) {
    double a = 1e9, b = 1e9;
    for (int i = 0; i < 20; ++i) {
        a = std::min(a, first.seconds());
        b = std::min(b, second.seconds());
    }
    return a / b;
}

} // namespace

class TestClassSpeed : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void convolutions_data();
    void convolutions();
    void shuffles();
    void transposes();
    void rowsThatShareASet_data();
    void rowsThatShareASet();
    void windowsIntoRows();
};

void TestClassSpeed::convolutions_data() {
    QTest::addColumn<std::int64_t>("inputs");
    QTest::addColumn<std::int64_t>("outputs");
    QTest::addColumn<std::int64_t>("groups");
    QTest::addColumn<std::int64_t>("window");
    QTest::addColumn<std::int64_t>("stride");
    QTest::addColumn<bool>("last");
    const auto row = [](const char* name, std::int64_t inputs, std::int64_t outputs,
                        std::int64_t groups, std::int64_t window, std::int64_t stride, bool last) {
        QTest::newRow(name) << inputs << outputs << groups << window << stride << last;
    };
    row("two groups", 96, 96, 2, 3, 1, true);
    row("three groups", 39, 39, 3, 3, 1, true);
    row("groups of eight", 64, 64, 8, 3, 1, true);
    row("groups of four", 64, 64, 16, 3, 1, true);
    row("1x1 in groups", 60, 240, 3, 1, 1, true);
    row("patches as rows", 3, 256, 1, 8, 8, false);
    row("padded rows", 32, 32, 1, 3, 1, false);
    row("prime channels", 31, 37, 1, 3, 1, true);
}

void TestClassSpeed::convolutions() {
    QFETCH(std::int64_t, inputs);
    QFETCH(std::int64_t, outputs);
    QFETCH(std::int64_t, groups);
    QFETCH(std::int64_t, window);
    QFETCH(std::int64_t, stride);
    QFETCH(bool, last);
    constexpr std::int64_t size = 56, plainChannels = 64, plainSize = 28;
    const std::int64_t pad = stride == 1 ? window / 2 : 0, side = size / stride;
    const double products =
                     static_cast<double>(inputs / groups * outputs * window * window * side * side),
                 plainProducts =
                     static_cast<double>(plainChannels * plainChannels * 9 * plainSize * plainSize);
    for (const char* cpu : {"x86-64-v3", "x86-64-v4"}) {
        const Target target = testTarget(cpu);
        if (!target.isHost)
            continue;
        const Kernel plain(convolution({.c = plainChannels,
                                        .h = plainSize,
                                        .w = plainSize,
                                        .o = plainChannels,
                                        .bias = true}),
                           target, true);
        const Kernel kernel(convolution({.c = inputs,
                                         .h = size,
                                         .w = size,
                                         .o = outputs,
                                         .kh = window,
                                         .kw = window,
                                         .stride = stride,
                                         .pad = pad,
                                         .groups = groups,
                                         .bias = true}),
                            target, last);
        const double slower = ratio(kernel, plain) * plainProducts / products;
        QVERIFY2(slower < 8, qPrintable(QStringLiteral("%1 times slower a product at %2")
                                            .arg(slower)
                                            .arg(QLatin1String(cpu))));
    }
}

void TestClassSpeed::shuffles() {
    OpInst copy;
    constexpr std::int64_t channels = 240, size = 28;
    copy.inputs = {tensor("x", {1, channels, size, size})};
    copy.outputs = {tensor("y", {1, channels, size, size})};
    copy.stages = {mapStage("y", {{"n", 1}, {"c", channels}, {"h", size}, {"w", size}},
                            at(copy, "x", {v("n"), v("c"), v("h"), v("w")}))};
    for (const char* cpu : {"x86-64-v3", "x86-64-v4"}) {
        const Target target = testTarget(cpu);
        if (!target.isHost)
            continue;
        for (const std::int64_t groups : {2, 3, 4, 8}) {
            const double slower =
                ratio(Kernel(channelShuffle(channels, groups, size), target, true),
                      Kernel(copy, target, true));
            QVERIFY2(slower < 10, qPrintable(QStringLiteral("%1 groups: %2 times a copy at %3")
                                                 .arg(groups)
                                                 .arg(slower)
                                                 .arg(QLatin1String(cpu))));
        }
    }
}

// Rows that lie a multiple of 4 KB apart share a set of the cache: row by row that is twenty times
// a copy, in tiles four to six and a half.
void TestClassSpeed::transposes() {
    for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {1024, 1024}, {1000, 1000}, {3136, 256}, {256, 3136}, {4096, 256}}) {
        OpInst across, copy;
        across.inputs = {tensor("x", {rows, columns})};
        across.outputs = {tensor("y", {columns, rows})};
        across.stages = {
            mapStage("y", {{"j", columns}, {"i", rows}}, at(across, "x", {v("i"), v("j")}))};
        copy.inputs = across.inputs;
        copy.outputs = {tensor("y", {rows, columns})};
        copy.stages = {
            mapStage("y", {{"i", rows}, {"j", columns}}, at(copy, "x", {v("i"), v("j")}))};
        for (const char* cpu : {"x86-64-v3", "x86-64-v4"}) {
            const Target target = testTarget(cpu);
            if (!target.isHost)
                continue;
            const double slower = ratio(Kernel(across, target, false), Kernel(copy, target, false));
            QVERIFY2(slower < 10, qPrintable(QStringLiteral("%1 x %2: %3 times a copy at %4")
                                                 .arg(rows)
                                                 .arg(columns)
                                                 .arg(slower)
                                                 .arg(QLatin1String(cpu))));
        }
    }
}

void TestClassSpeed::rowsThatShareASet_data() {
    QTest::addColumn<int>("dtype");
    for (const DType dtype : {DType::F32, DType::F16, DType::F64, DType::I64})
        QTest::newRow(std::string(dtypeText(dtype)).c_str()) << static_cast<int>(dtype);
}

// An element of a matrix whose rows lie a multiple of 4 KB apart takes about as long as one of
// another matrix, whatever its type.
void TestClassSpeed::rowsThatShareASet() {
    QFETCH(int, dtype);
    constexpr double most = 2.4; // 3.3 by plain loops
    const auto across = [&](std::int64_t size) {
        OpInst out;
        out.inputs = {tensor("x", {size, size}, static_cast<DType>(dtype))};
        out.outputs = {tensor("y", {size, size}, static_cast<DType>(dtype))};
        out.stages = {mapStage("y", {{"j", size}, {"i", size}}, at(out, "x", {v("i"), v("j")}))};
        return out;
    };
    for (const char* cpu : {"x86-64-v3", "x86-64-v4"}) {
        const Target target = testTarget(cpu);
        if (!target.isHost)
            continue;
        const Kernel shared(across(1024), target, false), other(across(1000), target, false);
        double slower = 1e9; // what else the machine does adds to a time
        for (int tries = 0; tries < 20 && slower >= most; ++tries)
            slower = std::min(slower, ratio(shared, other) * (1000.0 * 1000) / (1024.0 * 1024));
        QVERIFY2(slower < most, qPrintable(QStringLiteral("%1 times slower an element at %2")
                                               .arg(slower)
                                               .arg(QLatin1String(cpu))));
    }
}

// A pool that reads channels last and writes rows against one that writes channels last.
void TestClassSpeed::windowsIntoRows() {
    constexpr std::int64_t channels = 256, size = 28;
    for (const std::int64_t window : {2, 3}) {
        OpInst pool;
        pool.inputs = {tensor("x", {1, channels, size + window - 1, size + window - 1})};
        pool.outputs = {tensor("y", {1, channels, size, size})};
        pool.stages = {
            reduceStage("y", {{"n", 1}, {"c", channels}, {"h", size}, {"w", size}}, Reducer::Max,
                        {{"kh", window}, {"kw", window}},
                        at(pool, "x", {v("n"), v("c"), v("h") + v("kh"), v("w") + v("kw")}))};
        for (const char* cpu : {"x86-64-v3", "x86-64-v4"}) {
            const Target target = testTarget(cpu);
            if (!target.isHost)
                continue;
            const double slower = ratio(Kernel(pool, target, StorageMaps{{"x", channelsLast(4)}}),
                                        Kernel(pool, target, true));
            QVERIFY2(slower < 8, qPrintable(QStringLiteral("%1 x %1: %2 times at %3")
                                                .arg(window)
                                                .arg(slower)
                                                .arg(QLatin1String(cpu))));
        }
    }
}

FW_TEST(TestClassSpeed, QCoreApplication)
#include "test_class_speed.moc"
