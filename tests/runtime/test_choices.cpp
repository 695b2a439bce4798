// Programs that take one of several ways by their sizes: which steps run, their memory, the blob,
// and every refusal.
#include "common/test.h"
#include "runtime/refused.h"
#include "runtime/sample_program.h"

using namespace fw::runtime;

namespace {

// n <= 4:    t = x * w, y = t + t
// n <= 100:  y = x + x
// else:      u = x * w, y = u + x
Program buildChoices() {
    Program p = sample::program();
    const TensorId x = p.inputs[0], w = 1, t = 2, u = 3;
    const Expression n = symbol(0);
    const ExpressionId rows = p.add(n);
    p.tensors.resize(5);
    p.tensors[4] = p.tensors[t]; // y
    p.tensors[4].name = "y";
    p.tensors[4].storage = Storage::Output;
    p.tensors[4].index = 0;
    p.outputs = {4};
    p.steps.clear();
    p.choices.push_back({{p.add(binary(Op::LessOrEqual, n, constant(4))),
                          p.add(binary(Op::LessOrEqual, n, constant(100)))}});
    const auto step = [&](const char* name, std::uint32_t branch, std::uint32_t kernel,
                          TensorId out, std::vector<TensorId> in) {
        Step entry;
        entry.name = name;
        entry.choice = 0;
        entry.branch = branch;
        entry.kernel = kernel;
        entry.buffers.push_back({out, Access::Write});
        for (const TensorId id : in)
            entry.buffers.push_back({id, Access::Read});
        entry.symbols = {rows};
        entry.flops = rows;
        entry.bytes = rows;
        p.steps.push_back(entry);
    };
    step("scale_few", 0, 0, t, {x, w});
    step("twice_few", 0, 1, 4, {t, t});
    step("twice", 1, 1, 4, {x, x});
    step("scale_many", 2, 0, u, {x, w});
    step("add_many", 2, 1, 4, {u, x});
    deriveLifetimes(p);
    return p;
}

std::unique_ptr<Executor> openedChoices(Program program) {
    std::unique_ptr<Executor> out;
    ExecutorOptions options{1};
    options.arenaFill = ArenaFill::Poison;
    const Status status = Executor::open(std::move(program), sample::kernels, 3,
                                         sample::memoryWeights(), options, out);
    if (!status.ok())
        qFatal("%s", status.message.c_str());
    return out;
}

Program broken(void (*change)(Program&)) {
    Program out = buildChoices();
    change(out);
    return out;
}

} // namespace

class TestChoices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Both sides of each break point, on one executor, back and forth.
    void takesTheFirstThatHolds() {
        const auto executor = openedChoices(buildChoices());
        for (const std::int64_t n : {1, 5, 4, 101, 100, 0, 3, 200}) {
            std::vector<std::int64_t> shape{n, 3};
            std::vector<float> x(static_cast<std::size_t>(3 * n) + 1);
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i] = static_cast<float>(i) - 7;
            QVERIFY(executor->setInput(0, sample::floats(x.data(), shape)).ok());
            std::vector<StepTime> times;
            const Status status = executor->run(times);
            QVERIFY2(status.ok(), status.message.c_str());
            fw_tensor y{};
            QVERIFY(executor->outputView(0, y).ok());
            const auto* got = static_cast<const float*>(y.data);
            for (std::int64_t i = 0; i < 3 * n; ++i) {
                const float in = x[static_cast<std::size_t>(i)];
                const float scaled = in * sample::weights[i % 3];
                QCOMPARE(got[i], n <= 4 ? 2 * scaled : n <= 100 ? 2 * in : scaled + in);
            }
            const std::size_t branch = n <= 4 ? 0 : n <= 100 ? 1 : 2;
            for (std::size_t s = 0; s < times.size(); ++s) {
                const bool ran = executor->program().steps[s].branch == branch;
                QCOMPARE(executor->runs(s), ran);
                QCOMPARE(times[s].endNs != 0, ran);
                QCOMPARE(executor->work(s).flops, ran ? n : -1);
            }
            QVERIFY(replayMemory(executor->program(), executor->memoryPlan()).ok());
        }
    }

    void roundTrip() {
        const Program program = buildChoices();
        const auto blob = writeProgram(program);
        Program back;
        const Status status = readProgram(blob.data(), blob.size(), back);
        QVERIFY2(status.ok(), status.message.c_str());
        QCOMPARE(writeProgram(back), blob);
        QCOMPARE(back.choices.size(), std::size_t(1));
        QCOMPARE(back.steps[4].branch, 2u);
    }

    void refusals() {
        const auto refuse = [](void (*change)(Program&), const char* words) {
            REFUSED(checkProgram(broken(change)), FW_BAD_PROGRAM, words);
        };
        refuse([](Program& p) { p.steps[0].choice = 1; }, "does not exist");
        refuse([](Program& p) { p.steps[2].branch = 3; }, "no branch that comes next");
        refuse([](Program& p) { p.steps[2].branch = 2; }, "no branch that comes next");
        refuse([](Program& p) { p.steps[1].choice = noChoice; }, "fewer branches");
        refuse([](Program& p) { p.choices[0].conditions.pop_back(); }, "no branch that comes next");
        refuse([](Program& p) { p.choices[0].conditions[0] = 999; }, "does not exist");
        // What one branch leaves out is not there behind the choice.
        refuse(
            [](Program& p) {
                p.steps[2].buffers[0].tensor = 2;
                deriveLifetimes(p);
            },
            "never written");
        // What another branch wrote is not there.
        refuse(
            [](Program& p) {
                p.steps[4].buffers[1].tensor = 2;
                deriveLifetimes(p);
            },
            "before it is written");
        refuse(
            [](Program& p) {
                p.steps[2].kernel = bindKernel;
                p.steps[2].binds = {0};
            },
            "binds sizes in a branch");
    }

    void conditionTooLarge() {
        const auto executor = openedChoices(broken([](Program& p) {
            Expression large = symbol(0);
            for (int i = 0; i < 5; ++i)
                large = binary(Op::Multiply, large, constant(1 << 20));
            p.choices[0].conditions[0] = p.add(binary(Op::Less, large, constant(1)));
        }));
        std::vector<std::int64_t> shape{2, 3};
        std::vector<float> x(6);
        QVERIFY(executor->setInput(0, sample::floats(x.data(), shape)).ok());
        REFUSED(executor->run(), FW_OVERFLOW, "what computes it depends on sizes");
    }
};

FW_TEST(TestChoices, QCoreApplication)
#include "test_choices.moc"
