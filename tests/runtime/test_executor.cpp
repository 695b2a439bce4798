// Programs run: shapes 0, 1 and odd, reuse, views, strided and unaligned memory, refusals in words.
#include "common/test.h"
#include "runtime/refused.h"
#include "runtime/sample_program.h"

#include "runtime/cpu.h"

#include <QFile>
#include <QTemporaryDir>

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <thread>

using namespace fw::runtime;

namespace {

struct Session {
    std::unique_ptr<Executor> executor;
    std::vector<std::int64_t> shape;
    std::vector<float> x;

    explicit Session(Program program = sample::program(), ExecutorOptions options = {2}) {
        options.arenaFill = ArenaFill::Poison;
        const Status status = Executor::open(std::move(program), sample::kernels, 3,
                                             sample::memoryWeights(), options, executor);
        if (!status.ok())
            qFatal("%s", status.message.c_str());
    }

    void give(std::int64_t n) {
        shape = {n, 3};
        x.resize(std::size_t(3 * n));
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = float(i % 17);
        QVERIFY(executor->setInput(0, sample::floats(x.data(), shape)).ok());
    }

    float expected(std::size_t i) const { return 3 * x[i] * sample::weights[i % 3]; }

    void check(std::int64_t n) {
        give(n);
        const Status status = executor->run();
        QVERIFY2(status.ok(), status.message.c_str());
        fw_tensor sum, y;
        QVERIFY(executor->outputView(0, sum).ok());
        QVERIFY(executor->outputView(1, y).ok());
        QCOMPARE(y.ndim, 2);
        QCOMPARE(y.shape[0], n);
        float total = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            QCOMPARE(static_cast<const float*>(y.data)[i], expected(i));
            total += i >= 3 ? expected(i) : 0;
        }
        QCOMPARE(*static_cast<const float*>(sum.data), total);
    }
};

// Kernels of which every second call is quick; they note when they were called.
struct Called {
    int kernel = 0;
    std::int64_t beginNs = 0, endNs = 0; // of the clock
};
std::vector<Called> calls;
std::int64_t clockNs() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}
template <int kernel>
void noted(const fw_kernel_context* context) {
    const std::int64_t begin = clockNs();
    if (calls.size() % 2 == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    sample::kernels[kernel](context);
    calls.push_back({kernel, begin, clockNs()});
}
constexpr fw_kernel notedKernels[] = {noted<0>, noted<1>, noted<2>};

} // namespace

class TestExecutor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shapesFromNothingToMany() {
        Session session;
        for (std::int64_t n : {1, 0, 2, 7, 1000, 3, 0, 1})
            session.check(n);
    }

    // What is measured alone; the second time counts, on warm caches.
    void everyStepTwiceInARow() {
        std::unique_ptr<Executor> executor;
        QVERIFY(Executor::open(sample::program(), notedKernels, 3, sample::memoryWeights(), {1},
                               executor)
                    .ok());
        std::vector<float> x(9, 1.0f);
        std::vector<std::int64_t> shape{3, 3};
        QVERIFY(executor->setInput(0, sample::floats(x.data(), shape)).ok());
        std::vector<StepTime> times;
        calls.clear();
        const std::int64_t before = clockNs();
        QVERIFY(executor->runEach(times).ok());
        QCOMPARE(times.size(), std::size_t(5));
        QCOMPARE(calls.size(), std::size_t(8)); // one step has no kernel
        // Two times in a row, not the whole twice. Every time begins behind its first call and in
        // front of its second one: there is a begin of the run that fits all of them.
        std::int64_t least = before, most = calls[0].beginNs;
        std::size_t call = 0;
        for (std::size_t step = 0; step < times.size(); ++step) {
            if (executor->program().steps[step].kernel >= executor->program().kernelCount)
                continue;
            const Called &first = calls[call], &second = calls[call + 1];
            QCOMPARE(first.kernel, second.kernel);
            QVERIFY(times[step].endNs - times[step].startNs >= second.endNs - second.beginNs);
            least = std::max(least, first.endNs - times[step].startNs);
            most = std::min(most, second.beginNs - times[step].startNs);
            call += 2;
        }
        QCOMPARE(call, calls.size());
        QVERIFY(least <= most);
        calls.clear();
        QVERIFY(executor->run(times).ok());
        QVERIFY(times[0].endNs - times[0].startNs >= calls[0].endNs - calls[0].beginNs);
    }

    void memoryIsShared() {
        Session session;
        session.check(1000);
        QCOMPARE(session.executor->memoryPlan().unsharedBytes(), 3 * 12032);
        QCOMPARE(session.executor->memoryPlan().arenaBytes(),
                 3 * 12032); // a, b, c are alive in step 2
        QVERIFY(replayMemory(session.executor->program(), session.executor->memoryPlan()).ok());
        QCOMPARE(session.executor->work(0).flops, 1000);
        QCOMPARE(session.executor->work(0).bytes, -1);
        QCOMPARE(session.executor->symbolValues(), std::vector<std::int64_t>{1000});
    }

    void alignedInputsAndOutputsAreUsedInPlace() {
        Session session;
        alignas(64) float x[6] = {1, 2, 3, 4, 5, 6};
        alignas(64) float y[6] = {};
        std::vector<std::int64_t> shape{2, 3};
        QVERIFY(session.executor->setInput(0, sample::floats(x, shape)).ok());
        const fw_tensor out = sample::floats(y, shape);
        QVERIFY(session.executor->bindOutput(1, &out).ok());
        QVERIFY(session.executor->run().ok());
        fw_tensor view;
        QVERIFY(session.executor->outputView(1, view).ok());
        QCOMPARE(view.data, static_cast<void*>(y));
        QCOMPARE(y[5], 54.0f);
        x[5] = 7; // borrowed memory is read again
        QVERIFY(session.executor->run().ok());
        QCOMPARE(y[5], 63.0f);
    }

    void stridedAndUnalignedMemory() {
        Session session;
        float x[13] = {0, 1, 4, 2, 5, 3, 6}; // transposed, one element in
        float y[20] = {};
        std::vector<std::int64_t> shape{2, 3};
        std::int64_t inStrides[] = {1, 2};
        std::int64_t outStrides[] = {-10, 2};
        fw_tensor in = sample::floats(x, shape);
        in.byte_offset = 4;
        in.strides = inStrides;
        fw_tensor out = sample::floats(y + 10, shape);
        out.strides = outStrides;
        QVERIFY(session.executor->setInput(0, in).ok());
        QVERIFY(session.executor->bindOutput(1, &out).ok());
        QVERIFY(session.executor->run().ok());
        const float wanted[6] = {3, 12, 27, 12, 30, 54};
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(y[10 + 2 * i], wanted[i]);
            QCOMPARE(y[2 * i], wanted[3 + i]);
        }
        QCOMPARE(y[1], 0.0f);
    }

    void outputOverTheInput() {
        Session session;
        alignas(64) float x[3] = {1, 1, 1};
        std::vector<std::int64_t> shape{1, 3};
        const fw_tensor both = sample::floats(x, shape);
        QVERIFY(session.executor->setInput(0, both).ok());
        QVERIFY(session.executor->bindOutput(1, &both).ok());
        QVERIFY(session.executor->run().ok());
        QCOMPARE(x[2], 9.0f);
    }

    void profile() {
        Session session;
        session.give(50);
        std::vector<StepTime> times;
        QVERIFY(session.executor->run(times).ok());
        QCOMPARE(times.size(), std::size_t{5});
        for (std::size_t i = 0; i < times.size(); ++i) {
            QVERIFY(times[i].endNs >= times[i].startNs);
            QVERIFY(i == 0 || times[i].startNs >= times[i - 1].endNs);
        }
    }

    void refusals() {
        Session session;
        Executor& e = *session.executor;
        std::vector<float> data(60);
        std::vector<std::int64_t> shape{4, 3}, wide{4, 4}, flat{12}, negative{-1, 3};
        REFUSED(e.run(), FW_INPUT_MISSING, "x");
        REFUSED(e.setInput(1, sample::floats(data.data(), shape)), FW_BAD_ARGUMENT, "1 inputs");
        REFUSED(e.setInput(0, sample::floats(data.data(), wide)), FW_BAD_SHAPE,
                "dimension 1 must be 3, got shape 4x4");
        REFUSED(e.setInput(0, sample::floats(data.data(), flat)), FW_BAD_SHAPE, "rank must be 2");
        REFUSED(e.setInput(0, sample::floats(data.data(), negative)), FW_BAD_SHAPE, "negative");
        REFUSED(e.setInput(0, sample::floats(nullptr, shape)), FW_BAD_ARGUMENT, "null");
        fw_tensor integers = sample::floats(data.data(), shape);
        integers.dtype.code = FW_INT;
        REFUSED(e.setInput(0, integers), FW_BAD_DTYPE, "must be f32, got i32");
        integers.dtype.bits = 24;
        REFUSED(e.setInput(0, integers), FW_BAD_DTYPE, "got DLPack type code 0 with 24 bits");
        std::vector<std::int64_t> enormous{std::int64_t{1} << 60, 3}, many{100001, 3};
        REFUSED(e.setInput(0, sample::floats(data.data(), enormous)), FW_OVERFLOW, "large");
        QVERIFY(e.setInput(0, sample::floats(data.data(), many)).ok());
        REFUSED(e.run(), FW_BAD_SHAPE, "between 0 and 100000");
        session.give(13);
        REFUSED(e.run(), FW_ASSUMPTION_FAILED, "n is not 13; here n is 13");
        REFUSED(e.setSymbol("m", 1), FW_BAD_ARGUMENT, "no free dimension m");
        fw_tensor view;
        REFUSED(e.outputView(0, view), FW_BAD_ARGUMENT, "has not run");
        session.check(5); // still usable
        const fw_tensor wrong = sample::floats(data.data(), shape);
        QVERIFY(e.bindOutput(1, &wrong).ok());
        REFUSED(e.run(), FW_BAD_SHAPE, "has shape 5x3 for these inputs, the bound memory has 4x3");
        QVERIFY(e.bindOutput(1, nullptr).ok());
        std::vector<std::int64_t> dims;
        REFUSED(e.inputShape(0, dims), FW_SYMBOL_UNBOUND, "n has not been set");
        QVERIFY(e.setSymbol("n", 6).ok());
        QVERIFY(e.inputShape(0, dims).ok());
        QCOMPARE(dims, (std::vector<std::int64_t>{6, 3}));
        REFUSED(e.run(), FW_BAD_SHAPE,
                "n is 6 from fw_set_symbol but 5 from dimension 0 of input x");
    }

    void sizesThatOverflow() {
        Program program = sample::program();
        const ExpressionId huge = program.add(
            binary(Op::Multiply, binary(Op::Multiply, symbol(0), constant(std::int64_t{1} << 62)),
                   constant(4)));
        program.tensors[3].bytes = huge;
        Session session(program);
        session.give(2);
        REFUSED(session.executor->run(), FW_OVERFLOW, "b is too large");
        session.check(0);
    }

    void missingInstructions() {
        Program program = sample::program();
        program.requiredFeatures = std::uint64_t{1} << 60;
        std::unique_ptr<Executor> executor;
        REFUSED(Executor::open(program, sample::kernels, 3, sample::memoryWeights(), {}, executor),
                FW_CPU_UNSUPPORTED, "was compiled for x86-64");
        QVERIFY(!executor);
        const std::uint64_t lacking = cpuLevel4 & ~cpuInfo().features;
        if (lacking != 0) {
            program.requiredFeatures = cpuLevel4;
            REFUSED(
                Executor::open(program, sample::kernels, 3, sample::memoryWeights(), {}, executor),
                FW_CPU_UNSUPPORTED, featureNames(lacking));
        }
    }

    void onlyConstantsWithBytesNeedData() {
        Program program = sample::program();
        Tensor empty = program.tensors[1];
        empty.name = "empty";
        empty.dims = {program.addConstant(0)};
        empty.bytes = empty.dims[0];
        program.tensors.push_back(empty);
        Weights weights;
        std::unique_ptr<Executor> executor;
        REFUSED(Executor::open(program, sample::kernels, 3, weights, {}, executor), FW_BAD_WEIGHTS,
                "the constant w has no data");
        weights.pieces = {nullptr, sample::weights};
        const Status status = Executor::open(program, sample::kernels, 3, weights, {}, executor);
        QVERIFY2(status.ok(), status.message.c_str());
    }

    void weightsFiles() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("sample.weights").toStdString();
        const Program program = sample::program();
        const auto write = [&](const QByteArray& bytes) {
            QFile file(QString::fromStdString(path));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(bytes);
        };
        const auto header = weightsHeader(program.weightsBytes, program.weightsHash);
        QByteArray good(reinterpret_cast<const char*>(header.data()), qsizetype(header.size()));
        good.append(reinterpret_cast<const char*>(sample::weights), sizeof sample::weights);
        write(good);
        FileMapping mapping;
        Weights weights;
        QVERIFY(openWeights(path.c_str(), program, Verify::Contents, mapping, weights).ok());
        QCOMPARE(reinterpret_cast<std::uintptr_t>(weights.payload) % 64, std::uintptr_t{0});
        QCOMPARE(std::memcmp(weights.payload, sample::weights, sizeof sample::weights), 0);

        for (qsizetype length = 0; length < good.size(); ++length) {
            write(good.left(length));
            FileMapping other;
            QVERIFY(!openWeights(path.c_str(), program, Verify::Header, other, weights).ok());
        }
        QByteArray damaged = good;
        damaged[70] = char(damaged[70] ^ 1);
        write(damaged);
        const std::string pipe = folder.filePath("pipe").toStdString();
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        FileMapping none;
        QCOMPARE(none.open(pipe.c_str()).code, FW_BAD_FILE); // nobody writes to it
        FileMapping other;
        QVERIFY(openWeights(path.c_str(), program, Verify::Header, other, weights).ok());
        REFUSED(openWeights(path.c_str(), program, Verify::Contents, other, weights),
                FW_BAD_WEIGHTS, "damaged");
        damaged = good;
        damaged[24] = char(damaged[24] ^ 1);
        write(damaged);
        REFUSED(openWeights(path.c_str(), program, Verify::Header, other, weights), FW_BAD_WEIGHTS,
                "another model");
        REFUSED(openWeights("/nowhere/at/all", program, Verify::Header, other, weights),
                FW_BAD_FILE, "No such file");
    }
};

FW_TEST(TestExecutor, QCoreApplication)
#include "test_executor.moc"
