// Stages computed at a loop of a reader with another iteration space: what one iteration needs is a
// box of the stage, by its own loops, and the nest computes what the stages say.
#include "expr/simplify.h"
#include "lower_check.h"
#include "random_loops.h"

#include <QElapsedTimer>
#include <QtTest>

using namespace fw;
using namespace fw::test;

namespace {

// One spatial axis W and channels C: x[C, W] (and weights), then a few stages, the last of which
// writes y.
class Pipeline {
public:
    Pipeline(Expr channels, Expr width) : m_channels(std::move(channels)), m_width(std::move(width)) {
        inst.inputs = {tensor("x", {m_channels, m_width})};
        m_last = "x";
    }

    OpInst inst;

    // y[c, i] = reducer over k of x[c, i * stride + k - pad], or of its product with weights.
    void window(std::int64_t kernel, std::int64_t stride, std::int64_t pad, bool weighted) {
        const Expr width = simplify(floorDivExpr(m_width + Expr(2 * pad - kernel), Expr(stride)) + Expr(1));
        const Reducer reducer = weighted ? Reducer::Sum : Reducer::Max;
        Expr read = at(inst, m_last, {axis("c"), axis("i") * Expr(stride) + axis("k") - Expr(pad)});
        if (pad > 0)
            read = padExpr(read, weighted ? floatExpr(0) : reducerIdentity(Reducer::Max, DType::F32));
        if (weighted)
            read = read * weight({m_channels, Expr(kernel)}, {axis("c"), axis("k")});
        m_width = width;
        end(reducer, {{name("k"), Expr(kernel)}}, read);
    }

    // y[o, i] = sum over c and k of x[c, i + k - pad] * w[o, c, k]
    void convolution(std::int64_t channels, std::int64_t kernel, std::int64_t pad) {
        Expr read = at(inst, m_last, {axis("r"), axis("i") + axis("k") - Expr(pad)});
        if (pad > 0)
            read = padExpr(read, floatExpr(0));
        const Expr was = m_channels;
        m_channels = Expr(channels);
        m_width = simplify(m_width + Expr(2 * pad - kernel + 1));
        end(Reducer::Sum, {{name("r"), was}, {name("k"), Expr(kernel)}},
            read * weight({m_channels, was, Expr(kernel)}, {axis("c"), axis("r"), axis("k")}));
    }

    // y[c, i] = max(x[c, i] * 2 + x[c, i +- 1 or so], 0), without what has no neighbour.
    void map(std::int64_t reach) {
        const std::string last = m_last;
        m_width = simplify(m_width - Expr(reach));
        end(Reducer::None, {},
            maxExpr(at(inst, last, {axis("c"), axis("i")}) * floatExpr(2) +
                        at(inst, last, {axis("c"), axis("i") + Expr(reach)}),
                    floatExpr(0)));
    }

    // Every second one of x, backwards.
    void reversed() {
        const Expr width = simplify(floorDivExpr(m_width + Expr(1), Expr(2)));
        const Expr read = at(inst, m_last, {axis("c"), (width - Expr(1) - axis("i")) * Expr(2)});
        m_width = width;
        end(Reducer::None, {}, read);
    }

    void finish() {
        inst.outputs = {inst.temporaries.back()};
        inst.temporaries.pop_back();
        inst.outputs[0].name = Symbol("y");
        inst.stages.back().out = Symbol("y");
    }

    std::int64_t width() const { return m_width.asInt().value_or(1); }

private:
    std::string name(const char* what) const { return what + std::to_string(inst.stages.size()); }
    Expr axis(const char* what) const { return v(name(what)); }

    Expr weight(const Shape& shape, const Exprs& indices) {
        const std::string own = name("w");
        inst.inputs.push_back(tensor(own, shape));
        return at(inst, own, indices);
    }

    void end(Reducer reducer, std::vector<Axis> reduce, const Expr& body) {
        const std::string out = name("t");
        const std::vector<Axis> space{{name("c"), m_channels}, {name("i"), m_width}};
        inst.temporaries.push_back(tensor(out, {m_channels, m_width}));
        inst.stages.push_back(reducer == Reducer::None
                                  ? mapStage(out, space, body)
                                  : reduceStage(out, space, reducer, std::move(reduce), body));
        m_last = out;
    }

    Expr m_channels, m_width;
    std::string m_last;
};

Pipeline drawn(Random& r) {
    Pipeline out(Expr(r.pick(1, 4)), Expr(r.pick(6, 23)));
    for (std::int64_t stages = r.pick(2, 4); stages > 0 && out.width() > 3; --stages)
        switch (r.below(5)) {
        case 0:
            out.window(r.pick(2, 3), r.pick(1, 2), r.pick(0, 1), r.oneIn(2));
            break;
        case 1:
            out.convolution(r.pick(1, 5), r.pick(1, 3), r.pick(0, 1));
            break;
        case 2:
            out.map(r.pick(0, 2));
            break;
        case 3:
            out.window(2, 2, 0, false);
            break;
        case 4:
            out.reversed();
            break;
        }
    out.finish();
    return out;
}

std::string steps(Random& r, const OpInst& inst) {
    std::string out;
    const auto loopsOf = [&](std::size_t i, std::int64_t changes) {
        Loops loops(r, stageName(inst, i), inst.stages[i].space, false);
        for (; changes > 0; --changes)
            loops.change();
        loops.order();
        loops.marks(true, true);
        out += loops.text;
        return loops.all;
    };
    const auto root = loopsOf(inst.stages.size() - 1, r.pick(0, 2));
    if (r.oneIn(4))
        out += fmt::format("y.parallel({}, 1)\n", root.front().name);
    for (std::size_t i = 0; i + 1 < inst.stages.size(); ++i) {
        if (r.oneIn(6))
            continue;
        loopsOf(i, r.pick(0, 1));
        const std::size_t level = r.below(root.size() + 1);
        out += level == 0 ? fmt::format("{}.at(y)\n", stageName(inst, i))
                          : fmt::format("{}.at(y, {})\n", stageName(inst, i), root[level - 1].name);
    }
    return out;
}

} // namespace

class TestRegions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void poolOfAConvolution();
    void refusalsNameTheAccess();
    void rightOrTheStepIsNamed();
};

// Rows of a convolution, two or three per row of the pool.
void TestRegions::poolOfAConvolution() {
    for (const std::int64_t pad : {0, 1})
        for (const char* steps :
             {"t0.at(y, c1)\n", "t0.at(y, i1)\n", "y.split(i1, a, b, 3, guard)\nt0.at(y, a)\n",
              "y.split(i1, a, b, 4, peel)\nt0.at(y, a)\nt0.split(i0, j, l, 4, guard)\nt0.vectorize(l)\n",
              "y.reorder(i1, c1)\nt0.at(y, i1)\nt0.reorder(i0, c0)\nt0.unroll(c0)\n"}) {
            Pipeline pipeline(Expr(3), Expr(17));
            pipeline.convolution(4, 3, 1);
            pipeline.window(3, 2, pad, false);
            pipeline.finish();
            const auto schedule = parseSchedule(steps);
            QVERIFY(schedule.ok());
            const Checked checked = checkLowering(pipeline.inst, *schedule, {}, {});
            QVERIFY2(checked.problem.isEmpty(), qPrintable(checked.problem));
            QVERIFY2(checked.text.find("t0: stack") != std::string::npos ||
                         checked.text.find("t0") != std::string::npos,
                     checked.text.c_str());
        }
}

void TestRegions::refusalsNameTheAccess() {
    OpInst inst;
    inst.inputs = {tensor("x", {Expr(12)})};
    inst.temporaries = {tensor("t", {Expr(12)})};
    inst.outputs = {tensor("y", {Expr(12)})};
    inst.stages = {mapStage("t", {{"i", Expr(12)}}, at(inst, "x", {v("i")}) + floatExpr(1)),
                   mapStage("y", {{"j", Expr(12)}},
                            at(inst, "t", {modExpr(v("j") * Expr(5), Expr(12))}))};
    const auto schedule = parseSchedule("y.split(j, a, b, 4, guard)\nt.at(y, a)\n");
    const Checked checked = checkLowering(inst, *schedule, {}, {});
    QVERIFY2(checked.problem.contains(QStringLiteral("no box")), qPrintable(checked.problem));
}

void TestRegions::rightOrTheStepIsNamed() {
    const int seconds = qEnvironmentVariableIntValue("FW_FUZZ_SECONDS");
    QElapsedTimer timer;
    timer.start();
    int right = 0, refused = 0;
    std::map<QString, int> refusals;
    for (unsigned seed = 1; seconds > 0 ? timer.elapsed() < seconds * 1000 : seed <= 3000; ++seed) {
        Random r(seed);
        const OpInst inst = drawn(r).inst;
        const std::string text = steps(r, inst);
        const auto schedule = parseSchedule(text);
        QVERIFY2(schedule.ok(), text.c_str());
        Checked checked;
        try {
            checked = checkLowering(inst, *schedule, {}, {}, seed);
        } catch (const std::exception& error) {
            QFAIL(fmt::format("seed {}: {}\n{}\n{}", seed, error.what(), inst.text(), text).c_str());
        }
        if (checked.problem.startsWith(QStringLiteral("refused: "))) {
            const QString why =
                checked.problem.section(u'\n', 0, 0).section(QStringLiteral("): "), 1);
            ++refusals[why];
            ++refused;
            const auto lowered = lower(inst, *schedule, {}, "t");
            QVERIFY2(lowered.diag().where.line > 0 && lowered.diag().where.column > 0,
                     qPrintable(checked.problem));
            QVERIFY2(!why.contains(QStringLiteral("break a rule")), qPrintable(checked.problem));
            continue;
        }
        QVERIFY2(checked.problem.isEmpty(),
                 qPrintable(QStringLiteral("seed %1: ").arg(seed) + checked.problem +
                            QString::fromStdString(inst.text() + '\n' + text)));
        ++right;
    }
    QStringList told;
    for (const auto& [why, count] : refusals)
        told += QStringLiteral("%1 x %2").arg(count).arg(why);
    qInfo("%d right, %d refused\n%s", right, refused, qPrintable(told.join(u'\n')));
    QVERIFY(seconds > 0 || right > 1000);
}

QTEST_GUILESS_MAIN(TestRegions)
#include "test_regions.moc"
