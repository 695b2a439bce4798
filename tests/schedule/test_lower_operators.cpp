// Operators whose lowering has corners of its own: transposed convolution (conditions with %),
// local response normalisation, average pools with a divisor from indices, attention scores,
// products of a free number of rows. Random small sizes.
#include "common/test.h"
#include "loop/print.h"
#include "lower_check.h"
#include "schedule/random_loops.h"
#include "tensor/operators.h"

using namespace fw;
using namespace fw::test;

namespace {

std::vector<Axis> image(const std::string& suffix, const Shape& shape) {
    return {{Symbol("n" + suffix), shape[0]},
            {Symbol("c" + suffix), shape[1]},
            {Symbol("h" + suffix), shape[2]},
            {Symbol("w" + suffix), shape[3]}};
}

Exprs variables(const std::vector<Axis>& axes) {
    Exprs out;
    for (const Axis& axis : axes)
        out.push_back(varExpr(axis.var));
    return out;
}

OpInst transposedConvolution(Random& r) {
    const std::int64_t groups = r.pick(1, 2), cg = r.pick(1, 4), og = r.pick(1, 9),
                       h = r.pick(1, 6), w = r.pick(1, 9);
    const std::int64_t kh = r.pick(1, 4), kw = r.pick(1, 4), s = r.pick(1, 3), d = r.pick(1, 2),
                       p = r.pick(0, 2);
    const std::int64_t oh = std::max<std::int64_t>((h - 1) * s + d * (kh - 1) + 1 - 2 * p, 1);
    const std::int64_t ow = std::max<std::int64_t>((w - 1) * s + d * (kw - 1) + 1 - 2 * p, 1);
    OpInst inst;
    inst.inputs = {tensor("x", {Expr(2), cg * groups, h, w}),
                   tensor("w", {cg * groups, og, kh, kw})};
    const Shape shape{Expr(2), og * groups, oh, ow};
    const Expr channel = floorDivExpr(v("c"), Expr(og)) * Expr(cg) + v("k");
    const Expr ih = v("h") + Expr(p) - v("i") * Expr(d), iw = v("w") + Expr(p) - v("j") * Expr(d);
    const Expr meets =
        andExpr(eqExpr(modExpr(ih, Expr(s)), Expr(0)), eqExpr(modExpr(iw, Expr(s)), Expr(0)));
    const Expr x =
        at(inst, "x", {v("n"), channel, floorDivExpr(ih, Expr(s)), floorDivExpr(iw, Expr(s))});
    const Expr body = selectExpr(meets, padExpr(x, floatExpr(0)), floatExpr(0)) *
                      at(inst, "w", {channel, modExpr(v("c"), Expr(og)), v("i"), v("j")});
    inst.stages = {
        reduceStage("t", image("", shape), Reducer::Sum, {{"k", cg}, {"i", kh}, {"j", kw}}, body)};
    inst.temporaries = {tensor("t", shape)};
    const auto axes = image("2", shape);
    const Expr t = at(inst, "t", variables(axes));
    inst.stages.push_back(
        mapStage("y", axes, selectExpr(ltExpr(t, floatExpr(0)), floatExpr(0), t)));
    inst.outputs = {tensor("y", shape)};
    return inst;
}

OpInst localResponse(Random& r) {
    const Shape shape{r.pick(1, 2), r.pick(1, 20), r.pick(1, 4), r.pick(1, 9)};
    const std::int64_t size = r.pick(1, 5);
    OpInst inst;
    inst.inputs = {tensor("x", shape)};
    inst.outputs = {tensor("y", shape)};
    inst.temporaries = {tensor("q", shape)};
    const Expr near =
        padExpr(at(inst, "x", {v("n"), v("c") + v("k") - Expr((size - 1) / 2), v("h"), v("w")}),
                floatExpr(0));
    const auto axes = image("2", shape);
    inst.stages = {
        reduceStage("q", image("", shape), Reducer::Sum, {{"k", size}}, near * near),
        mapStage("y", axes,
                 at(inst, "x", variables(axes)) *
                     callExpr(MathFn::Rsqrt, {floatExpr(1) + at(inst, "q", variables(axes))}))};
    return inst;
}

OpInst averagePool(Random& r) {
    const std::int64_t k = r.pick(1, 4), s = r.pick(1, 3), p = k > 1 ? r.pick(0, 1) : 0,
                       h = r.pick(k, 8), w = r.pick(k, 19);
    const Shape shape{r.pick(1, 2), r.pick(1, 9), (h + 2 * p - k) / s + 1, (w + 2 * p - k) / s + 1};
    OpInst inst;
    inst.inputs = {tensor("x", {shape[0], shape[1], h, w})};
    inst.outputs = {tensor("y", shape)};
    inst.temporaries = {tensor("t", shape)};
    const auto counted = [&](const char* var, std::int64_t extent) {
        const Expr first = v(var) * Expr(s) - Expr(p);
        return minExpr(first + Expr(k), Expr(extent)) - maxExpr(first, Expr(0));
    };
    const Expr x = at(
        inst, "x",
        {v("n"), v("c"), v("h") * Expr(s) + v("i") - Expr(p), v("w") * Expr(s) + v("j") - Expr(p)});
    const auto axes = image("2", shape);
    inst.stages = {reduceStage("t", image("", shape), Reducer::Sum, {{"i", k}, {"j", k}},
                               padExpr(x, floatExpr(0))),
                   mapStage("y", axes,
                            divExpr(at(inst, "t", variables(axes)),
                                    castExpr(counted("h2", h) * counted("w2", w), DType::F32)))};
    return inst;
}

OpInst attentionScores(Random& r) {
    const Expr b(r.pick(1, 3)), m = r.pick(0, 1) == 1 ? v("M") : Expr(r.pick(1, 5)),
                                n = r.pick(0, 1) == 1 ? v("N") : Expr(r.pick(1, 40)),
                                d(r.pick(1, 20));
    OpInst inst;
    inst.inputs = {tensor("q", {b, m, d}), tensor("k", {b, d, n}), tensor("mask", {b, Expr(1), n})};
    inst.outputs = {tensor("y", {b, m, n})};
    inst.temporaries = {tensor("s", {b, m, n}), tensor("u", {b, m, n}), tensor("top", {b, m}),
                        tensor("e", {b, m, n}), tensor("z", {b, m})};
    const auto axes = [&](const std::string& suffix) {
        return std::vector<Axis>{
            {Symbol("b" + suffix), b}, {Symbol("i" + suffix), m}, {Symbol("j" + suffix), n}};
    };
    const auto row = [&](const std::string& suffix) {
        return std::vector<Axis>{{Symbol("b" + suffix), b}, {Symbol("i" + suffix), m}};
    };
    const auto whole = [&](const char* name, const std::string& suffix) {
        return at(inst, name, variables(axes(suffix)));
    };
    inst.stages = {
        reduceStage("s", axes(""), Reducer::Sum, {{"d", d}},
                    at(inst, "q", {v("b"), v("i"), v("d")}) *
                        at(inst, "k", {v("b"), v("d"), v("j")})),
        mapStage("u", axes("1"),
                 whole("s", "1") * floatExpr(0.125) +
                     at(inst, "mask", {v("b1"), Expr(0), v("j1")})),
        reduceStage("top", row("2"), Reducer::Max, {{"j2", n}}, whole("u", "2")),
        mapStage("e", axes("3"),
                 callExpr(MathFn::Exp, {whole("u", "3") - at(inst, "top", {v("b3"), v("i3")})})),
        reduceStage("z", row("4"), Reducer::Sum, {{"j4", n}}, whole("e", "4")),
        mapStage("y", axes("5"), divExpr(whole("e", "5"), at(inst, "z", {v("b5"), v("i5")})))};
    return inst;
}

} // namespace

class TestLowerOperators : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void random_data();
    void random();
    void stretchedOperands();
    void fewRowsAreOneTile();
};

void TestLowerOperators::random_data() {
    QTest::addColumn<int>("which");
    QTest::newRow("transposed convolution") << 0;
    QTest::newRow("local response") << 1;
    QTest::newRow("average pool") << 2;
    QTest::newRow("attention scores") << 3;
}

void TestLowerOperators::random() {
    QFETCH(int, which);
    for (unsigned seed = 1; seed <= 25; ++seed) {
        Random r(seed);
        ScheduleContext context;
        context.vectorLanes = r.pick(0, 1) == 1 ? 4 : 8;
        context.vectorRegisters = r.pick(0, 1) == 1 ? 16 : 32;
        context.threads = static_cast<int>(r.pick(1, 3));
        if (which != 3)
            for (const char* name : {"x", "y"})
                if (r.pick(0, 1) == 1)
                    context.maps[name] = channelsLast(4);
        if (r.pick(0, 1) == 1)
            context.constants = {"w"};
        const OpInst inst = which == 0   ? transposedConvolution(r)
                            : which == 1 ? localResponse(r)
                            : which == 2 ? averagePool(r)
                                         : attentionScores(r);
        const Checked checked =
            checkDefault(inst, context, {{"M", r.pick(0, 5)}, {"N", r.pick(0, 9)}}, seed,
                         which == 0 ? 0 : 1e-10);
        QVERIFY2(checked.problem.isEmpty(),
                 qPrintable(QStringLiteral("seed %1: ").arg(seed) + checked.problem));
    }
}

// Operands that are equal in extent or 1, which is known when the nest runs.
void TestLowerOperators::stretchedOperands() {
    const std::vector<std::pair<const char*, std::vector<std::string>>> calls = {
        {"add", {"f32[N, 5]", "f32[M, 5]"}},    {"sub", {"f32[3, N]", "f32[3, M]"}},
        {"mul", {"f32[2, N, 4]", "f32[M, 1]"}}, {"div", {"f32[8]", "f32[N]"}},
        {"prelu", {"f32[N, 6]", "f32[M, 6]"}},  {"batch_matmul", {"f32[N, 3, 4]", "f32[M, 4, 5]"}},
    };
    const std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {
        {0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 7}, {7, 1}, {8, 8}, {8, 1}, {37, 37}};
    for (const auto& [op, types] : calls) {
        const OpInst inst =
            testing::libraryTexts().find(op)->instantiate(testing::callOf(types)).value();
        for (const auto& [n, m] : sizes) {
            const bool slope = std::string_view(op) == "prelu",
                       known = std::string_view(op) == "div";
            if ((slope && m != n && m != 1) || (known && n != 8 && n != 1))
                continue;
            for (const std::int64_t lanes : {4, 16}) {
                ScheduleContext context;
                context.vectorLanes = lanes;
                const Checked checked = checkDefault(inst, context, {{"N", n}, {"M", m}}, 1, 1e-10);
                QVERIFY2(checked.problem.isEmpty(),
                         qPrintable(QStringLiteral("%1 of %2 and %3: %4\n%5")
                                        .arg(op)
                                        .arg(n)
                                        .arg(m)
                                        .arg(checked.problem, checked.text.c_str())));
            }
        }
    }
}

// What is left of a tile of a free number of rows is one tile of as many rows, or eight and one.
void TestLowerOperators::fewRowsAreOneTile() {
    ScheduleContext context;
    context.vectorLanes = 16;
    context.vectorRegisters = 32;
    const OpInst inst = matmul(v("M"), Expr(64), Expr(8), false, true);
    const auto choice = plannedSchedule(inst, context);
    QVERIFY(choice.ok());
    const auto lowered = lower(inst, choice->schedule, context.maps, "rows");
    QVERIFY(lowered.ok());
    const QString loops = QString::fromStdString(text(lowered->nest));
    for (int rows = 1; rows < 8; ++rows)
        QVERIFY2(loops.contains(QStringLiteral("== %1").arg(rows)), qPrintable(loops));
    for (const std::int64_t m : {0, 1, 3, 7, 8, 9, 13, 14, 15, 22, 27, 28, 37})
        VERIFY_LOWERED(checkDefault(inst, context, {{"M", m}}, 1));
}

FW_TEST(TestLowerOperators, QCoreApplication)
#include "test_lower_operators.moc"
