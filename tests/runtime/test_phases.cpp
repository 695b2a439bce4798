// Programs whose sizes are computed while they run: the phases, their memory, and every refusal.
#include "common/test.h"
#include "runtime/native_step.h"
#include "runtime/refused.h"
#include "runtime/sample_program.h"

using namespace fw::runtime;

namespace {

void fillRows(const fw_kernel_context* context) {
    for (std::int64_t i = 0; i < context->symbols[0]; ++i)
        static_cast<std::int64_t*>(context->buffers[0])[i] = i;
}

void countRows(const fw_kernel_context* context) {
    *static_cast<std::int64_t*>(context->buffers[0]) =
        *static_cast<const std::int64_t*>(context->buffers[1]) + context->symbols[0];
}

constexpr fw_kernel kernels[] = {fillRows, countRows};

// input size: i64[1], x: i64[n]
//   bind       m = size                  phase 0
//   fill       a: i64[m], arena          phase 1
//   count      k: i64[1] = size + m
//   bind       p = k (2 m)
//   fill       y: i64[p], output         phase 2
//   copy       z: i64[m], output, of a
struct Built {
    Program program;
    TensorId size, x, a, k, y, z;
    std::size_t firstFill = 1, secondFill = 4;
};

Built buildPhases() {
    Built b;
    Program& p = b.program;
    p.name = "phases";
    p.kernelCount = 2;
    p.symbols = {{"n", 0, 1000}, {"m", 0, 1000}, {"p", 0, 1000}};
    const auto add = [&](const char* name, const Expression& extent, Storage storage) {
        Tensor t;
        t.name = name;
        t.type = DataType::I64;
        t.dims = {p.add(extent)};
        t.bytes = p.add(binary(Op::Multiply, extent, constant(8)));
        t.storage = storage;
        p.tensors.push_back(t);
        return static_cast<TensorId>(p.tensors.size() - 1);
    };
    b.size = add("size", constant(1), Storage::Input);
    b.x = add("x", symbol(0), Storage::Input);
    p.tensors[b.x].index = 1;
    b.a = add("a", symbol(1), Storage::Arena);
    b.k = add("k", constant(1), Storage::Arena);
    b.y = add("y", symbol(2), Storage::Output);
    b.z = add("z", symbol(1), Storage::Output);
    p.tensors[b.z].index = 1;
    p.inputs = {b.size, b.x};
    p.outputs = {b.y, b.z};
    const ExpressionId none = p.addConstant(-1);
    const auto step = [&](const char* name, std::uint32_t kernel, std::vector<BufferUse> buffers,
                          std::vector<ExpressionId> symbols, std::vector<std::uint32_t> binds) {
        Step entry;
        entry.name = name;
        entry.kernel = kernel;
        entry.buffers = std::move(buffers);
        entry.symbols = std::move(symbols);
        entry.binds = std::move(binds);
        entry.flops = entry.bytes = none;
        p.steps.push_back(entry);
    };
    step("bind_m", bindKernel, {{b.size, Access::Read}}, {}, {1});
    step("fill_a", 0, {{b.a, Access::Write}}, {p.add(symbol(1))}, {});
    step("count", 1, {{b.k, Access::Write}, {b.size, Access::Read}}, {p.add(symbol(1))}, {});
    step("bind_p", bindKernel, {{b.k, Access::Read}}, {}, {2});
    step("fill_y", 0, {{b.y, Access::Write}}, {p.add(symbol(2))}, {});
    step("copy_z", copyKernel, {{b.z, Access::Write}, {b.a, Access::Read}}, {}, {});
    p.assumptions.push_back({p.add(binary(Op::NotEqual, symbol(1), constant(13))), "m is not 13"});
    p.assumptions.push_back(
        {p.add(binary(Op::LessOrEqual, symbol(2), constant(900))), "p is at most 900"});
    deriveLifetimes(p);
    return b;
}

std::unique_ptr<Executor> openedPhases(Program program) {
    std::unique_ptr<Executor> out;
    ExecutorOptions options{1};
    options.arenaFill = ArenaFill::Poison;
    const Status status = Executor::open(std::move(program), kernels, 2, {}, options, out);
    if (!status.ok())
        qFatal("%s", status.message.c_str());
    return out;
}

fw_tensor integers(std::int64_t* data, std::vector<std::int64_t>& shape) {
    fw_tensor out{};
    out.data = data;
    out.device.device_type = 1;
    out.ndim = static_cast<std::int32_t>(shape.size());
    out.dtype = dlpackType(DataType::I64);
    out.shape = shape.data();
    return out;
}

} // namespace

class TestPhases : public QObject {
    Q_OBJECT

    std::int64_t m_size = 3;
    std::int64_t m_x[5] = {};
    std::vector<std::int64_t> m_one{1}, m_five{5};

    void give(Executor& executor) {
        QVERIFY(executor.setInput(0, integers(&m_size, m_one)).ok());
        QVERIFY(executor.setInput(1, integers(m_x, m_five)).ok());
    }

private Q_SLOTS:
    void sizesOfEveryRun() {
        const auto executor = openedPhases(buildPhases().program);
        give(*executor);
        for (const std::int64_t size : {3, 0, 1, 7, 7, 400, 2}) {
            m_size = size; // borrowed memory, read again
            const Status status = executor->run();
            QVERIFY2(status.ok(), status.message.c_str());
            for (const std::size_t output : {0u, 1u}) {
                const std::int64_t extent = output == 0 ? 2 * size : size;
                std::vector<std::int64_t> shape;
                QVERIFY(executor->outputShape(output, shape).ok());
                QCOMPARE(shape, std::vector<std::int64_t>{extent});
                fw_tensor view;
                QVERIFY(executor->outputView(output, view).ok());
                for (std::int64_t i = 0; i < extent; ++i)
                    QCOMPARE(static_cast<const std::int64_t*>(view.data)[i], i);
            }
            QCOMPARE(executor->symbolValues(), (std::vector<std::int64_t>{5, size, 2 * size}));
            QVERIFY(replayMemory(executor->program(), executor->memoryPlan()).ok());
            QCOMPARE(executor->memoryPlan().arenas.size(), std::size_t(3));
        }
    }

    void shapesAreKnownBehindTheRun() {
        const auto executor = openedPhases(buildPhases().program);
        std::vector<std::int64_t> shape;
        REFUSED(executor->outputShape(0, shape), FW_INPUT_MISSING, "input 0 (size)");
        give(*executor);
        REFUSED(executor->outputShape(0, shape), FW_SYMBOL_UNBOUND, "when the model has run");
        QVERIFY(executor->run().ok());
        QVERIFY(executor->outputShape(0, shape).ok());
        give(*executor); // other values may lie there
        REFUSED(executor->outputShape(0, shape), FW_SYMBOL_UNBOUND, "when the model has run");
        fw_tensor view;
        REFUSED(executor->outputView(0, view), FW_BAD_ARGUMENT, "has not run");
        REFUSED(executor->setSymbol("m", 3), FW_BAD_ARGUMENT, "computed while the model runs");
    }

    void sizesThatCannotBe() {
        const auto executor = openedPhases(buildPhases().program);
        give(*executor);
        m_size = -1;
        REFUSED(executor->run(), FW_BAD_SHAPE, "asks for a size of -1");
        m_size = 13;
        REFUSED(executor->run(), FW_ASSUMPTION_FAILED,
                "m is not 13; here m (element 0 of size) is 13");
        m_size = 451;
        REFUSED(executor->run(), FW_ASSUMPTION_FAILED,
                "p is at most 900; here p (element 0 of k) is 902");
        m_size = 501;
        REFUSED(executor->run(), FW_BAD_SHAPE, "asks for a size of 1002");
        m_size = 4;
        QVERIFY(executor->run().ok());
    }

    void boundMemoryHasToFit() {
        const auto executor = openedPhases(buildPhases().program);
        give(*executor);
        alignas(64) std::int64_t y[8] = {};
        std::vector<std::int64_t> shape{6};
        const fw_tensor out = integers(y, shape);
        QVERIFY(executor->bindOutput(0, &out).ok());
        m_size = 4;
        REFUSED(executor->run(), FW_BAD_SHAPE, "output y has shape 8");
        m_size = 3;
        QVERIFY(executor->run().ok());
        QCOMPARE(y[5], std::int64_t(5));
    }

    void survivesTheFile() {
        const Program program = buildPhases().program;
        const auto bytes = writeProgram(program);
        Program read;
        QVERIFY(readProgram(bytes.data(), bytes.size(), read).ok());
        QCOMPARE(writeProgram(read), bytes);
        QCOMPARE(read.steps[3].binds, std::vector<std::uint32_t>{2});
    }

    void programsThatAskTooEarly() {
        const auto broken = [](auto change) {
            Built b = buildPhases();
            change(b);
            deriveLifetimes(b.program);
            return checkProgram(b.program);
        };
        QVERIFY(broken([](Built&) {}).ok());
        REFUSED(broken([](Built& b) { b.program.steps[1].symbols[0] = b.program.add(symbol(2)); }),
                FW_BAD_PROGRAM, "fill_a uses a size before it is known");
        REFUSED(broken([](Built& b) {
                    b.program.tensors[b.a].dims[0] = b.program.add(symbol(2));
                    b.program.tensors[b.a].bytes =
                        b.program.add(binary(Op::Multiply, symbol(2), constant(8)));
                }),
                FW_BAD_PROGRAM, "fill_a uses a size before it is known");
        REFUSED(broken([](Built& b) { b.program.tensors[b.x].dims[0] = b.program.add(symbol(1)); }),
                FW_BAD_PROGRAM, "input x has a size that is computed");
        REFUSED(broken([](Built& b) { b.program.steps[3].binds = {1}; }), FW_BAD_PROGRAM,
                "bind_p binds m again");
        REFUSED(broken([](Built& b) { b.program.steps[3].binds = {9}; }), FW_BAD_PROGRAM,
                "a symbol that does not exist");
        REFUSED(broken([](Built& b) { b.program.steps[3].binds.clear(); }), FW_BAD_PROGRAM,
                "wants one buffer of sizes");
        REFUSED(broken([](Built& b) { b.program.tensors[b.size].type = DataType::F64; }),
                FW_BAD_PROGRAM, "wants one buffer of sizes");
        Built two = buildPhases(); // more names than elements
        two.program.symbols.push_back({"q", 0, 9});
        two.program.steps[0].binds.push_back(3);
        const auto executor = openedPhases(two.program);
        give(*executor);
        REFUSED(executor->run(), FW_BAD_PROGRAM, "not that many sizes");
    }

    void stepsOfTheRuntimeAreChecked() {
        Program p;
        p.name = "native";
        const auto add = [&](const char* name, DataType type, std::int64_t extent,
                             Storage storage) {
            Tensor t;
            t.name = name;
            t.type = type;
            t.dims = {p.addConstant(extent)};
            t.bytes = p.addConstant(extent * elementBytes(type));
            t.storage = storage;
            p.tensors.push_back(t);
            return static_cast<TensorId>(p.tensors.size() - 1);
        };
        const TensorId keep = add("keep", DataType::Bool, 5, Storage::Input);
        const TensorId places = add("places", DataType::I64, 5, Storage::Output);
        const TensorId count = add("count", DataType::I64, 1, Storage::Output);
        p.tensors[count].index = 1;
        p.inputs = {keep};
        p.outputs = {places, count};
        Step step;
        step.name = "kept";
        step.kernel = nativeKernel;
        step.call = static_cast<std::uint32_t>(NativeOp::Compact);
        step.buffers = {{keep, Access::Read}, {places, Access::Write}, {count, Access::Write}};
        step.symbols = {p.addConstant(5)};
        step.flops = step.bytes = p.addConstant(-1);
        p.steps = {step};
        std::unique_ptr<Executor> executor;
        QVERIFY(Executor::open(p, nullptr, 0, {}, {1}, executor).ok());
        std::uint8_t given[5] = {0, 1, 0, 0, 1};
        std::vector<std::int64_t> five{5};
        fw_tensor in = integers(nullptr, five);
        in.data = given;
        in.dtype = dlpackType(DataType::Bool);
        QVERIFY(executor->setInput(0, in).ok());
        QVERIFY(executor->run().ok());
        fw_tensor view;
        QVERIFY(executor->outputView(0, view).ok());
        const auto* found = static_cast<const std::int64_t*>(view.data);
        QCOMPARE(std::vector<std::int64_t>(found, found + 5),
                 (std::vector<std::int64_t>{1, 4, 0, 0, 0}));
        QVERIFY(executor->outputView(1, view).ok());
        QCOMPARE(*static_cast<const std::int64_t*>(view.data), std::int64_t(2));

        Program larger = p; // reads past its operand
        larger.steps[0].symbols = {larger.addConstant(6)};
        QVERIFY(Executor::open(larger, nullptr, 0, {}, {1}, executor).ok());
        QVERIFY(executor->setInput(0, in).ok());
        REFUSED(executor->run(), FW_BAD_PROGRAM, "do not fit its sizes");
        Program other = p;
        other.steps[0].call = 99;
        REFUSED(checkProgram(other), FW_BAD_PROGRAM, "none that the runtime has");
        other = p;
        other.steps[0].symbols.clear();
        REFUSED(checkProgram(other), FW_BAD_PROGRAM, "not those of compact");
        other = p;
        other.tensors[places].type = DataType::F64;
        REFUSED(checkProgram(other), FW_BAD_PROGRAM, "not those of compact");
    }
};

FW_TEST(TestPhases, QCoreApplication)
#include "test_phases.moc"
