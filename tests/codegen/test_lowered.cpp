// Operators as they are lowered by default, compiled: the same bytes of result as the loop
// interpreter.
#include "codegen/harness.h"
#include "common/test.h"
#include "schedule/lower_check.h"

using namespace fw;
using namespace fw::test;

namespace {

ScheduleContext contextFor(const Target& target) {
    ScheduleContext context;
    context.vectorLanes = target.vectorLanesF32;
    context.vectorRegisters = target.vectorRegisters;
    context.threads = 2;
    context.l1Bytes = target.l1;
    context.l2Bytes = target.l2;
    return context;
}

std::string compareLowered(const OpInst& inst, const Bindings& symbols, double tolerance,
                           std::set<Symbol> constants) {
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
        const Target target = testTarget(cpu);
        if (!target.isHost)
            continue;
        ScheduleContext context = contextFor(target);
        context.constants = constants;
        const Result<ScheduleChoice> choice = plannedSchedule(inst, context);
        if (!choice.ok())
            return choice.diag().text();
        StorageMaps maps = context.maps;
        for (const auto& [name, map] : choice->packs)
            maps[name] = map;
        const Result<Lowered> lowered = lower(inst, choice->schedule, maps, "lowered");
        if (!lowered.ok())
            return lowered.diag().text();
        std::string problem = compareOnRandom(lowered->nest, symbols, target, tolerance);
        if (!problem.empty())
            return std::string(cpu) + ", " + choice->main() + ": " + problem;
    }
    return {};
}

} // namespace

class TestLowered : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void convolutions();
    void matmuls();
    void rows();
};

void TestLowered::convolutions() {
    for (const ConvShape& shape : std::vector<ConvShape>{
             {.bias = true, .relu = true},
             {.c = 3,
             .h = 15,
             .w = 17,
             .o = 20,
             .kh = 7,
             .kw = 7,
             .stride = 2,
             .pad = 3,
             .relu = true},
             {.c = 8, .h = 9, .w = 9, .o = 8, .groups = 8, .bias = true},
             {.c = 5, .h = 7, .w = 7, .o = 33, .kh = 1, .kw = 1, .pad = 0, .residual = true},
             {.c = 4, .h = 11, .w = 10, .o = 6, .pad = 2, .dilation = 2}})
        FW_SAME(compareLowered(convolution(shape), {}, 0, {"w"}));
    ConvShape batched{.bias = true, .relu = true};
    batched.n = v("N");
    for (std::int64_t n : {0, 1, 3})
        FW_SAME(compareLowered(convolution(batched), {{"N", n}}, 0, {"w"}));
}

void TestLowered::matmuls() {
    for (std::int64_t m : {0, 1, 5, 29})
        for (const bool transposed : {false, true}) {
            FW_SAME(compareLowered(matmul(v("M"), Expr(40), Expr(19), transposed, true), {{"M", m}},
                                   0, {"b"}));
            FW_SAME(
                compareLowered(matmul(Expr(m), Expr(7), Expr(64), transposed, false), {}, 0, {}));
        }
}

void TestLowered::rows() {
    for (std::int64_t n : {0, 1, 4})
        for (std::int64_t columns : {1, 9, 16, 100})
            FW_SAME(compareLowered(softmax(v("N"), Expr(columns)), {{"N", n}}, 1e-6, {}));
}

FW_TEST(TestLowered, QCoreApplication)
#include "test_lowered.moc"
