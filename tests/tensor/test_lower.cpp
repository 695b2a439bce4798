// Lowering under hand-written and default schedules computes what the stages say.
#include "lower_check.h"

#include "loop/print.h"

#include <QtTest>

using namespace fw;
using namespace fw::test;

namespace {

OpInst elementwise(const Shape& shape) {
    OpInst inst;
    inst.inputs = {tensor("a", shape), tensor("b", shape)};
    inst.outputs = {tensor("y", shape)};
    std::vector<Axis> axes;
    Exprs indices;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        axes.push_back({Symbol("i" + std::to_string(d)), shape[d]});
        indices.push_back(varExpr(axes.back().var));
    }
    inst.stages = {mapStage("y", axes, maxExpr(at(inst, "a", indices) + at(inst, "b", indices), floatExpr(0)))};
    return inst;
}

#define VERIFY_LOWERED(expression)                                                                 \
    do {                                                                                           \
        const Checked checked = (expression);                                                      \
        QVERIFY2(checked.problem.isEmpty(), qPrintable(checked.problem));                          \
    } while (false)

} // namespace

class TestLower : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plainTakesEverything();
    void elementwiseOfAnySize();
    void elementwiseWithBroadcastsAndLayouts();
    void splitsFusionsAndOrders();
    void epilogueInRegisters();
    void illegalStepsAreRefused();
    void schedulesReadBack();
};

void TestLower::plainTakesEverything() {
    const ScheduleContext context;
    const std::vector<std::pair<OpInst, Bindings>> cases = {
        {elementwise({}), {}},
        {elementwise({v("N"), Expr(3)}), {{"N", 5}}},
        {convolution({.bias = true, .relu = true}), {}},
        {matmul(v("M"), Expr(5), Expr(7), true, true), {{"M", 4}}},
        {matmul(v("M"), Expr(5), Expr(0), true, true), {{"M", 0}}},
    };
    for (const auto& [inst, symbols] : cases)
        VERIFY_LOWERED(checkLowering(inst, plainSchedule(inst, context).schedule, {}, symbols));
    const OpInst rows = softmax(v("N"), Expr(9));
    VERIFY_LOWERED(checkLowering(rows, plainSchedule(rows, context).schedule, {}, {{"N", 3}}, 1, 1e-12));
}

void TestLower::elementwiseOfAnySize() {
    ScheduleContext context;
    for (const std::int64_t lanes : {4, 16}) {
        context.vectorLanes = lanes;
        for (const std::int64_t n : {0, 1, 3, 15, 16, 17, 63, 64, 65, 130}) {
            std::string name;
            VERIFY_LOWERED(checkDefault(elementwise({Expr(n), Expr(3)}), context, {}, 1, 0, &name));
            QCOMPARE(name, n * 3 >= lanes / 2 ? "elementwise" : "plain");
            VERIFY_LOWERED(checkDefault(elementwise({v("N"), Expr(3)}), context, {{"N", n}}));
            VERIFY_LOWERED(checkDefault(elementwise({v("N"), v("M")}), context, {{"N", n}, {"M", 5}}));
            VERIFY_LOWERED(checkDefault(elementwise({Expr(2), v("N")}), context, {{"N", n}}));
        }
        VERIFY_LOWERED(checkDefault(elementwise({}), context, {}));
    }
}

void TestLower::elementwiseWithBroadcastsAndLayouts() {
    ScheduleContext context;
    OpInst inst;
    const Shape shape{v("N"), Expr(6), Expr(5), Expr(7)};
    inst.inputs = {tensor("a", shape), tensor("b", {Expr(6)}), tensor("m", {v("N"), Expr(1), Expr(5), Expr(1)})};
    inst.outputs = {tensor("y", shape)};
    inst.stages = {mapStage("y", {{"n", v("N")}, {"c", Expr(6)}, {"h", Expr(5)}, {"w", Expr(7)}},
                            at(inst, "a", {v("n"), v("c"), v("h"), v("w")}) * at(inst, "b", {v("c")}) +
                                at(inst, "m", {v("n"), Expr(0), v("h"), Expr(0)}))};
    for (const bool last : {false, true})
        for (const bool mixed : {false, true}) {
            context.maps.clear();
            if (last)
                context.maps["y"] = channelsLast(4);
            if (last != mixed)
                context.maps["a"] = channelsLast(4);
            for (const std::int64_t n : {0, 1, 2}) {
                context.vectorLanes = 4;
                VERIFY_LOWERED(checkDefault(inst, context, {{"N", n}}));
            }
        }
}

void TestLower::splitsFusionsAndOrders() {
    const auto parsed = parseSchedule("y.fuse(i0, i1, f)\n"
                                      "y.split(f, f1, f0, 12, peel)\n"
                                      "y.split(f0, fu, fl, 4, guard)   # 12 = 3 * 4\n"
                                      "y.reorder(f1, fu, fl)\n"
                                      "y.parallel(f1, 2)\ny.unroll(fu)\ny.vectorize(fl)\n");
    QVERIFY(parsed.ok());
    for (const std::int64_t n : {0, 1, 2, 5, 12, 13, 25}) {
        VERIFY_LOWERED(checkLowering(elementwise({v("N"), Expr(3)}), *parsed, {}, {{"N", n}}));
        VERIFY_LOWERED(checkLowering(elementwise({Expr(n), Expr(3)}), *parsed, {}, {}));
        // The second operand in another order: offsets need division and remainder.
        VERIFY_LOWERED(checkLowering(elementwise({v("N"), Expr(3)}), *parsed, {{"b", {{{1, 1, 0}, {0, 1, 0}}}}}, {{"N", n}}));
    }
}

void TestLower::epilogueInRegisters() {
    const auto parsed = parseSchedule("t_b.inline()\n"
                                      "y.reorder(n_a, oh_a, ow_a, o_a)\n"
                                      "y.split(o_a, o1, o0, 8, guard)\ny.split(o0, ov, ol, 4, guard)\n"
                                      "y.split(ow_a, w1, w0, 3, peel)\n"
                                      "y.reorder(o1, oh_a, w1, w0, ov, ol)\n"
                                      "y.vectorize(ol)\ny.unroll(ov)\ny.unroll(w0)\n"
                                      "conv.at(y, w1)\nconv.reorder(kh, kw, c)\nconv.unroll(kw)\n"
                                      "w.layout(d0/8 d2 d3 d1 d0%8)\n");
    QVERIFY(parsed.ok());
    const StorageMaps last{{"x", channelsLast(4)}, {"y", channelsLast(4)}};
    for (const std::int64_t o : {1, 4, 8, 10})
        for (const std::int64_t w : {1, 2, 5, 9, 12})
            for (const std::int64_t stride : {1, 2}) {
                const OpInst inst = convolution({.c = 2, .h = 4, .w = w, .o = o, .stride = stride, .bias = true, .relu = true});
                const Checked checked = checkLowering(inst, *parsed, last, {});
                QVERIFY2(checked.problem.isEmpty(), qPrintable(checked.problem));
                // Packed weights reach to the end of the last tile, so sums need no guard.
                QVERIFY2(checked.text.find("fma(") != std::string::npos, checked.text.c_str());
            }
}

void TestLower::illegalStepsAreRefused() {
    const OpInst inst = convolution({.relu = true});
    const std::pair<const char*, const char*> wrong[] = {
        {"z.unroll(o)", "no such stage"},
        {"y.unroll(q)", "no such loop"},
        {"y.split(oh_a, n, b, 2, guard)", "a name is taken"},
        {"y.fuse(n_a, oh_a, f)", "not neighbours"},
        {"conv.inline()", "cannot be computed where it is read"},
        {"y.accumulate(oh_a)", "reduces nothing"},
        {"y.parallel(oh_a, 1)", "not the outermost"},
        {"y.vectorize(oh_a)", "must be the innermost"},
        {"y.at(conv)", "no such stage after it"},
        {"conv.vectorize(kw)", "lanes need partial"},
        {"y.parallel(n_a, 1)\nconv.at(y)", "every iteration|outside a parallel"},
        {"conv.parallel(c, 1)", "cannot be parallel"},
    };
    for (const auto& [text, why] : wrong) {
        const auto schedule = parseSchedule(text);
        QVERIFY2(schedule.ok(), text);
        const auto lowered = lower(inst, *schedule, {}, "t");
        QVERIFY2(!lowered.ok(), text);
        QCOMPARE(lowered.diag().code, DiagCode::ScheduleIllegal);
        QVERIFY2(std::any_of(why, why + 1, [&](char) {
                     for (const QString& part : QString::fromUtf8(why).split(u'|'))
                         if (QString::fromStdString(lowered.diag().message).contains(part))
                             return true;
                     return false;
                 }),
                 lowered.diag().message.c_str());
    }
}

void TestLower::schedulesReadBack() {
    const char* text = "w.layout(d0/32 d2 d3 d1 d0%32)\ny#1.split(o, o1, o0, 32, guard)\nconv.at(y, w1)\nconv.at(y)\n"
                       "y.accumulate()\ny.partial(kl)\n";
    const auto schedule = parseSchedule(text);
    QVERIFY(schedule.ok());
    QCOMPARE(schedule->text(), std::string(text));
    for (const char* wrong : {"split(a)", "y.twist(a)", "y.split(a, b, c, 0, guard)", "y.split(a, b, c, 2, both)",
                              "y.fuse(a, b)", "y.parallel(a)", "w.layout(d0 x)", "y.reorder(a,,b)"}) {
        const auto refused = parseSchedule(wrong);
        QVERIFY2(!refused.ok(), wrong);
        QCOMPARE(refused.diag().code, DiagCode::Syntax);
    }
}

QTEST_GUILESS_MAIN(TestLower)
#include "test_lower.moc"
