// Programs as blobs: round trip, checks, and that no damaged blob gets past the reader or harms it.
#include "common/test.h"
#include "runtime/sample_program.h"

using namespace fw::runtime;

namespace {

bool sameProgram(const Program& a, const Program& b) {
    return writeProgram(a) == writeProgram(b);
}

// Restores length and checksum, so that the reader behind them sees the damage.
std::vector<std::uint8_t> seal(std::vector<std::uint8_t> blob) {
    const std::uint64_t length = blob.size() - 32;
    const std::uint64_t sum = blobChecksum(blob.data() + 32, blob.size() - 32);
    for (std::size_t i = 0; i < 8; ++i) {
        blob[16 + i] = static_cast<std::uint8_t>(length >> (8 * i));
        blob[24 + i] = static_cast<std::uint8_t>(sum >> (8 * i));
    }
    return blob;
}

// With a second input, by which a step picks.
Program withIndices() {
    Program program = sample::program();
    Tensor tensor = program.tensors[0];
    tensor.name = "i";
    tensor.type = DataType::I64;
    tensor.index = 1;
    tensor.dims = {program.addConstant(3)};
    tensor.bytes = program.addConstant(24);
    program.tensors.push_back(tensor);
    const auto id = static_cast<TensorId>(program.tensors.size() - 1);
    program.inputs.push_back(id);
    program.steps[1].indices = {{id, program.addConstant(7), 0, 1, "pick"},
                                {id, program.addConstant(9), 1, 2, "other", -100}};
    return program;
}

// Everything short of running machine code on it.
void prepareAnyway(Program&& program) {
    std::unique_ptr<Executor> executor;
    std::vector<fw_kernel> table(program.kernelCount < 100 ? program.kernelCount : 0, nullptr);
    Weights weights = sample::memoryWeights();
    if (!Executor::open(std::move(program), table.data(), table.size(), weights, {}, executor).ok())
        return;
    std::vector<float> data(21, 1.0f);
    std::vector<std::int64_t> shape{7, 3};
    for (std::size_t i = 0; i < executor->program().inputs.size(); ++i)
        if (!executor->setInput(i, sample::floats(data.data(), shape)).ok())
            return;
    if (executor->prepare().ok() && executor->memoryPlan().arenaBytes() < (1 << 20))
        QVERIFY(replayMemory(executor->program(), executor->memoryPlan()).ok());
}

} // namespace

class TestProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void roundTrip() {
        const Program program = withIndices();
        QVERIFY2(checkProgram(program).ok(), checkProgram(program).message.c_str());
        const auto blob = writeProgram(program);
        Program back;
        const Status status = readProgram(blob.data(), blob.size(), back);
        QVERIFY2(status.ok(), status.message.c_str());
        QVERIFY(sameProgram(program, back));
        QCOMPARE(back.steps[1].indices[1].stride, 2u);
        QCOMPARE(back.steps[1].indices[1].node, std::string("other"));
        QCOMPARE(back.steps[1].indices[1].ignored, std::optional<std::int64_t>(-100));
        QCOMPARE(back.steps[4].kernel, copyKernel);
        QCOMPARE(back.steps[4].group, noGroup);
        QCOMPARE(back.steps[3].group, 3u);
        QCOMPARE(back.steps[3].part, 2u);
        QCOMPARE(back.assumptions[0].sentence, std::string("n is not 13"));
    }

    void lifetimesFollowViews() {
        const Program program = sample::program();
        QCOMPARE(program.tensors[2].firstStep, 0u); // a: written by 0, read by 1 and 2
        QCOMPARE(program.tensors[2].lastStep, 2u);
        QCOMPARE(program.tensors[4].firstStep, 2u); // c: its view is read by 3, itself by 4
        QCOMPARE(program.tensors[4].lastStep, 4u);
    }

    void truncatedAtEveryLength() {
        const auto blob = writeProgram(sample::program());
        for (std::size_t length = 0; length < blob.size(); ++length) {
            std::vector<std::uint8_t> part(blob.begin(),
                                           blob.begin() + static_cast<std::ptrdiff_t>(length));
            Program program;
            QCOMPARE(readProgram(part.data(), part.size(), program).code, FW_BAD_PROGRAM);
            if (length < 32)
                continue;
            part = seal(part);
            QCOMPARE(readProgram(part.data(), part.size(), program).code, FW_BAD_PROGRAM);
        }
    }

    void everyFlippedByteIsFound() {
        const auto blob = writeProgram(sample::program());
        for (std::size_t i = 0; i < blob.size(); ++i) {
            auto damaged = blob;
            damaged[i] ^= 0x41;
            Program program;
            QCOMPARE(readProgram(damaged.data(), damaged.size(), program).code, FW_BAD_PROGRAM);
        }
    }

    void hostileBytesAreHarmless() {
        const auto blob = writeProgram(withIndices());
        int accepted = 0;
        for (std::size_t i = 32; i < blob.size(); ++i) {
            for (const std::uint8_t value : {0x00, 0x01, 0x7f, 0x80, 0xff, blob[i] ^ 0x04}) {
                auto damaged = blob;
                damaged[i] = value;
                damaged = seal(damaged);
                Program program;
                if (!readProgram(damaged.data(), damaged.size(), program).ok())
                    continue;
                ++accepted;
                prepareAnyway(std::move(program));
            }
        }
        QVERIFY(accepted >
                0); // names and numbers may change, so the executor must have been reached
    }

    void illegalProgramsAreRefused() {
        const auto refuse = [](void (*change)(Program&), const char* words) {
            Program program = sample::program();
            change(program);
            const Status status = checkProgram(program);
            QCOMPARE(status.code, FW_BAD_PROGRAM);
            QVERIFY2(status.message.find(words) != std::string::npos, status.message.c_str());
        };
        refuse([](Program& p) { p.steps[0].kernel = 3; }, "kernel that does not exist");
        refuse([](Program& p) { p.steps[0].buffers[0].tensor = 99; }, "does not exist");
        refuse([](Program& p) { p.steps[0].buffers[0].tensor = 0; }, "read-only");
        refuse([](Program& p) { p.steps[0].buffers[1].tensor = 3; }, "outside its lifetime");
        refuse([](Program& p) { p.steps[1].buffers[1].tensor = 3; }, "before it is written");
        refuse([](Program& p) { p.tensors[5].base = 5; }, "view of a later tensor");
        refuse([](Program& p) { p.tensors[1].offset = 64; }, "outside the weights");
        refuse([](Program& p) { p.tensors[4].lastStep = 9; }, "impossible lifetime");
        refuse(
            [](Program& p) {
                p.steps.pop_back();
                p.tensors[4].lastStep = 3;
            },
            "never written");
        refuse([](Program& p) { p.expressions[0].code.push_back({Op::Add, 0}); }, "malformed");
        refuse([](Program& p) { p.symbols[0].minimum = 1000000; }, "range");
        refuse([](Program& p) { p.outputs[1] = 0; }, "signature");
        refuse([](Program& p) { p.steps[0].indices = {{99, 0, 0, 1, "n"}}; }, "does not exist");
        refuse([](Program& p) { p.steps[0].indices = {{0, 999, 0, 1, "n"}}; }, "does not exist");
        refuse([](Program& p) { p.steps[0].indices = {{0, 0, 0, 1, "n"}}; }, "holds no places");
        refuse(
            [](Program& p) {
                p = withIndices();
                p.steps[1].indices[0].stride = 0;
            },
            "holds no places");
        refuse(
            [](Program& p) {
                p.tensors[3].type = DataType::I64, p.steps[0].indices = {{3, 0, 0, 1, "n"}};
            },
            "outside its lifetime");
    }

    void expressions() {
        const std::int64_t values[] = {7, -7};
        const auto eval = [&](const Expression& e) {
            std::int64_t result = -999;
            return evaluate(e, values, result) == Evaluation::Ok ? result : -998;
        };
        const auto over = [](Op op, std::int64_t a, std::int64_t b) {
            std::int64_t result = 0;
            return evaluate(binary(op, constant(a), constant(b)), nullptr, result);
        };
        QCOMPARE(eval(binary(Op::FloorDivide, symbol(1), constant(2))), -4);
        QCOMPARE(eval(binary(Op::FloorModulo, symbol(1), constant(2))), 1);
        QCOMPARE(eval(binary(Op::FloorDivide, symbol(0), constant(-2))), -4);
        QCOMPARE(eval(binary(Op::FloorModulo, symbol(0), constant(-2))), -1);
        QCOMPARE(eval(binary(Op::Less, symbol(1), symbol(0))), 1);
        QCOMPARE(eval(binary(Op::And, symbol(1), constant(0))), 0);
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
        QCOMPARE(over(Op::Add, most, 1), Evaluation::Overflow);
        QCOMPARE(over(Op::Multiply, most, 2), Evaluation::Overflow);
        QCOMPARE(over(Op::FloorDivide, least, -1), Evaluation::Overflow);
        QCOMPARE(over(Op::FloorModulo, least, -1), Evaluation::Ok);
        QCOMPARE(over(Op::FloorDivide, 1, 0), Evaluation::DivisionByZero);
        QCOMPARE(eval(select(binary(Op::Equal, symbol(0), symbol(0)), constant(5), symbol(1))), 5);
        QCOMPARE(eval(binary(Op::Add, select(constant(0), constant(5), constant(7)), constant(1))),
                 8);
        QVERIFY(
            !wellFormed(Expression{{{Op::Constant, 1}, {Op::Constant, 2}, {Op::Select, 0}}}, 2));
        QVERIFY(!wellFormed(symbol(2), 2));
        QVERIFY(!wellFormed(Expression{}, 2));
        QVERIFY(!wellFormed(Expression{{{Op::Not, 0}}}, 2));
    }
};

FW_TEST(TestProgram, QCoreApplication)
#include "test_program.moc"
