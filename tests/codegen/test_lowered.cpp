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

constexpr DType everyType[] = {DType::Bool, DType::I8,  DType::U8,  DType::I16, DType::U16,
                               DType::I32,  DType::U32, DType::I64, DType::U64, DType::F16,
                               DType::BF16, DType::F32, DType::F64};

// y is what `body` makes of x, one by one.
OpInst mapOf(DType from, DType to, Expr length, const std::function<Expr(Expr)>& body) {
    OpInst inst;
    inst.inputs = {tensor("x", {length}, from)};
    inst.outputs = {tensor("y", {length}, to)};
    inst.stages = {mapStage("y", {{"i", length}}, body(test::at(inst, "x", {v("i")})))};
    return inst;
}

// Rows that are reduced, of values that are cast before.
OpInst rowsOf(DType from, DType to, Reducer reducer, std::int64_t columns) {
    OpInst inst;
    inst.inputs = {tensor("x", {3, columns}, from)};
    inst.outputs = {tensor("y", {3}, to)};
    inst.stages = {reduceStage("y", {{"i", 3}}, reducer, {{"k", columns}},
                               castExpr(test::at(inst, "x", {v("i"), v("k")}), to))};
    return inst;
}

OpInst productOf(DType from, DType to, std::int64_t columns, bool transposed) {
    OpInst inst;
    inst.inputs = {tensor("a", {7, 19}, from),
                   tensor("b", transposed ? Shape{columns, 19} : Shape{19, columns}, from)};
    inst.outputs = {tensor("y", {7, columns}, to)};
    const Expr b = test::at(inst, "b", transposed ? Exprs{v("j"), v("k")} : Exprs{v("k"), v("j")});
    inst.stages = {
        reduceStage("y", {{"i", 7}, {"j", columns}}, Reducer::Sum, {{"k", 19}},
                    castExpr(test::at(inst, "a", {v("i"), v("k")}), to) * castExpr(b, to))};
    return inst;
}

OpInst windowOf(DType dtype, std::int64_t width, std::int64_t stride) {
    OpInst inst;
    inst.inputs = {tensor("x", {5, (width - 1) * stride + 3}, dtype)};
    inst.outputs = {tensor("y", {5, width}, dtype)};
    inst.stages = {reduceStage("y", {{"c", 5}, {"j", width}}, Reducer::Max, {{"k", 3}},
                               test::at(inst, "x", {v("c"), v("j") * Expr(stride) + v("k")}))};
    return inst;
}

} // namespace

class TestLowered : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void convolutions();
    void matmuls();
    void rows();
    void elementTypes_data();
    void elementTypes();
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

void TestLowered::elementTypes_data() {
    QTest::addColumn<int>("type");
    for (const DType dtype : everyType)
        QTest::newRow(std::string(dtypeText(dtype)).c_str()) << static_cast<int>(dtype);
}

void TestLowered::elementTypes() {
    QFETCH(int, type);
    const auto dtype = static_cast<DType>(type);
    const bool isNumber = dtype != DType::Bool;
    for (std::int64_t n : {3, 67}) {
        FW_SAME(compareLowered(mapOf(dtype, dtype, v("N"), [](Expr x) { return x; }), {{"N", n}}, 0,
                               {}));
        for (const DType to : everyType)
            FW_SAME(compareLowered(
                mapOf(dtype, to, Expr(n), [&](const Expr& x) { return castExpr(x, to); }), {}, 0,
                {}));
        if (!isNumber || n < 16)
            continue;
        FW_SAME(compareLowered(
            mapOf(dtype, dtype, Expr(n),
                  [](const Expr& x) { return selectExpr(ltExpr(x, x * x), x + x, x * x); }),
            {}, 0, {}));
        FW_SAME(compareLowered(
            mapOf(dtype, DType::Bool, Expr(n), [](const Expr& x) { return ltExpr(x, x * x); }), {},
            0, {}));
        for (const Reducer reducer : {Reducer::Sum, Reducer::Max, Reducer::Min})
            for (const DType to : {dtype, DType::F64})
                FW_SAME(compareLowered(rowsOf(dtype, to, reducer, n), {}, 0, {}));
        for (std::int64_t stride : {1, 2})
            FW_SAME(compareLowered(windowOf(dtype, n, stride), {}, 0, {}));
        for (const bool transposed : {false, true})
            for (const DType to : {dtype, DType::F64})
                FW_SAME(compareLowered(productOf(dtype, to, n, transposed), {}, 0,
                                       transposed ? std::set<Symbol>{"b"} : std::set<Symbol>{}));
    }
}

FW_TEST(TestLowered, QCoreApplication)
#include "test_lowered.moc"
