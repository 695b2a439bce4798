// Legal steps drawn at random, most of them on what is reduced: guarded and peeled splits of one
// another, several reduced axes, orders, fusions, lanes, copies, partial accumulators, threads. The
// loops compute what the stages say, or a step is named that cannot be.
#include "common/test.h"
#include "lower_check.h"
#include "random_loops.h"

#include <QElapsedTimer>

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace fw;
using namespace fw::test;

namespace {

struct SteppedSubject {
    OpInst inst;
    Bindings symbols;
    bool epilogue = false; // y is a map behind the reduction t
};

// t[i, j] = reducer over (k, l) of x[i, k, l] * w[j, k, l]; perhaps y[i, j] = t[i, j] * 2 + b[j].
SteppedSubject draw(Random& r) {
    SteppedSubject out;
    const auto extent = [&](const char* name, std::int64_t most) {
        const Expr number(r.pick(r.oneIn(8) ? 0 : 1, most));
        if (!r.oneIn(5))
            return number;
        out.symbols[Symbol(name)] = *number.asInt();
        return v(name);
    };
    const Expr m = extent("M", 5), n = extent("N", 9), k = extent("K", 37), l = extent("L", 4);
    const bool two = r.oneIn(2);
    const Reducer reducers[] = {Reducer::Sum, Reducer::Sum, Reducer::Max, Reducer::Min,
                                Reducer::Prod};
    const Reducer reducer = reducers[r.below(5)];
    out.epilogue = r.oneIn(2);
    OpInst& inst = out.inst;
    inst.inputs = {tensor("x", two ? Shape{m, k, l} : Shape{m, k}),
                   tensor("w", two ? Shape{n, k, l} : Shape{n, k})};
    const Expr shifted = v("k") - Expr(r.pick(0, 2));
    const bool padded = r.oneIn(3);
    const auto read = [&](const char* name, const char* axis, const Expr& at0) {
        return at(inst, name, two ? Exprs{v(axis), at0, v("l")} : Exprs{v(axis), at0});
    };
    const Expr x = padded ? padExpr(read("x", "i", shifted),
                                    reducer == Reducer::Sum ? floatExpr(0) : floatExpr(2))
                          : read("x", "i", v("k"));
    const Expr body = reducer == Reducer::Prod
                          ? selectExpr(ltExpr(x, floatExpr(0)), floatExpr(-1), floatExpr(1))
                          : x * read("w", "j", v("k"));
    if (reducer == Reducer::Prod)
        inst.inputs.pop_back();
    std::vector<Axis> reduce{{"k", k}};
    if (two)
        reduce.push_back({"l", l});
    inst.stages = {
        reduceStage(out.epilogue ? "t" : "y", {{"i", m}, {"j", n}}, reducer, reduce, body)};
    inst.outputs = {tensor("y", {m, n})};
    if (out.epilogue) {
        inst.inputs.push_back(tensor("b", {n}));
        inst.temporaries = {tensor("t", {m, n})};
        inst.stages.push_back(
            mapStage("y", {{"i2", m}, {"j2", n}},
                     at(inst, "t", {v("i2"), v("j2")}) * floatExpr(2) + at(inst, "b", {v("j2")})));
    }
    return out;
}

std::string steps(Random& r, const SteppedSubject& subject) {
    const OpInst& inst = subject.inst;
    const std::string reduction = subject.epilogue ? "t" : "y";
    Loops reduce(r, reduction, inst.stages[0].reduce, true),
        space(r, "y", inst.stages.back().space, false);
    for (std::int64_t i = r.pick(1, 3); i > 0; --i)
        reduce.change();
    for (std::int64_t i = r.pick(0, 2); i > 0; --i)
        space.change();
    reduce.order();
    space.order();
    const bool lanesOfSums = r.oneIn(2);
    reduce.marks(lanesOfSums, true);
    space.marks(!lanesOfSums, true);
    std::string out = reduce.text + space.text;
    if (!space.all.empty() && r.oneIn(3))
        out += fmt::format("y.parallel({}, 1)\n", space.all.front().name);
    if (r.oneIn(3))
        return out;
    const std::size_t level = r.below(space.all.size() + 1);
    const std::string inside = level == 0 ? "" : space.all[level - 1].name;
    if (subject.epilogue)
        out += inside.empty() ? "t.at(y)\n" : fmt::format("t.at(y, {})\n", inside);
    else
        out += fmt::format("y.accumulate({})\n", inside);
    return out;
}

} // namespace

class TestRandomSteps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reportedSchedule();
    void rightOrTheStepIsNamed();
};

// 37 rows in tiles of 5, in every place where the sum may be held.
void TestRandomSteps::reportedSchedule() {
    for (const std::int64_t rows : {0, 1, 4, 5, 37, 40})
        for (const char* tail : {"guard", "peel"})
            for (const char* placed : {"", "y.accumulate(i)\n", "y.accumulate(j)\n"}) {
                const auto schedule =
                    parseSchedule(fmt::format("y.split(k, k1, k0, 5, {})\n{}", tail, placed));
                const Checked checked = checkLowering(
                    matmul(Expr(7), Expr(3), Expr(rows), true, false), *schedule, {}, {});
                QVERIFY2(checked.problem.isEmpty(), qPrintable(checked.problem));
            }
}

void TestRandomSteps::rightOrTheStepIsNamed() {
    const int seconds = qEnvironmentVariableIntValue("FW_FUZZ_SECONDS");
    QElapsedTimer timer;
    timer.start();
    int right = 0, guardedSums = 0, refused = 0;
    std::map<QString, int> refusals;
    for (unsigned seed = 1; seconds > 0 ? timer.elapsed() < seconds * 1000 : seed <= 3000; ++seed) {
        Random r(seed);
        const SteppedSubject subject = draw(r);
        const std::string text = steps(r, subject);
        const auto schedule = parseSchedule(text);
        QVERIFY2(schedule.ok(), text.c_str());
        Checked checked;
        try {
            checked = checkLowering(subject.inst, *schedule, {}, subject.symbols, seed);
        } catch (const std::exception& error) {
            QFAIL(fmt::format("seed {}: {}\n{}", seed, error.what(), text).c_str());
        }
        if (checked.problem.startsWith(QStringLiteral("refused: "))) {
            const QString why =
                checked.problem.section(u'\n', 0, 0).section(QStringLiteral("): "), 1);
            ++refusals[why];
            ++refused;
            const auto lowered = lower(subject.inst, *schedule, {}, "t");
            QVERIFY2(lowered.diag().where.line > 0 && lowered.diag().where.column > 0,
                     qPrintable(checked.problem));
            QVERIFY2(!why.contains(QStringLiteral("break a rule")), qPrintable(checked.problem));
            continue;
        }
        QVERIFY2(checked.problem.isEmpty(),
                 qPrintable(QStringLiteral("seed %1: ").arg(seed) + checked.problem +
                            QString::fromStdString(text)));
        ++right;
        guardedSums += text.find(", guard)") != std::string::npos;
    }
    QStringList told;
    for (const auto& [why, count] : refusals)
        told += QStringLiteral("%1 x %2").arg(count).arg(why);
    QVERIFY2(seconds > 0 || right > refused, qPrintable(told.join(u'\n')));
    QVERIFY(guardedSums > 500 || seconds > 0);
}

FW_TEST(TestRandomSteps, QCoreApplication)
#include "test_random_steps.moc"
