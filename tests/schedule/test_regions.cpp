// Stages computed at a loop of a reader with another iteration space: what one iteration needs is a
// box of the stage, by its own loops, and the nest computes what the stages say.
#include "common/long_functions.h"
#include "expr/simplify.h"
#include "lower_check.h"
#include "random_loops.h"

#include <QElapsedTimer>

using namespace fw;
using namespace fw::test;

namespace {

const Symbol freeWidth("W");

// One spatial axis W and channels C: x[C, W] (and weights), then a few stages, the last of which
// writes y.
class Pipeline {
public:
    Pipeline(Expr channels, Expr width)
        : m_channels(std::move(channels)), m_width(std::move(width)) {
        inst.inputs = {tensor("x", {m_channels, m_width})};
        m_last = "x";
    }

    OpInst inst;

    // y[c, i] = reducer over k of x[c, i * stride + k - pad], or of its product with weights.
    void window(std::int64_t kernel, std::int64_t stride, std::int64_t pad, bool weighted) {
        const Expr width =
            simplify(floorDivExpr(m_width + Expr(2 * pad - kernel), Expr(stride)) + Expr(1));
        const Reducer reducer = weighted ? Reducer::Sum : Reducer::Max;
        Expr read = at(inst, m_last, {axis("c"), axis("i") * Expr(stride) + axis("k") - Expr(pad)});
        if (pad > 0)
            read =
                padExpr(read, weighted ? floatExpr(0) : reducerIdentity(Reducer::Max, DType::F32));
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

    // Every element twice.
    void upsampled() {
        m_width = simplify(m_width * Expr(2));
        end(Reducer::None, {}, at(inst, m_last, {axis("c"), floorDivExpr(axis("i"), Expr(2))}));
    }

    // x[c, i + reach], of which the last one stands for what lies beyond it.
    void clamped(std::int64_t reach) {
        const Expr index = minExpr(maxExpr(axis("i") + Expr(reach), Expr(0)), m_width - Expr(1));
        end(Reducer::None, {},
            at(inst, m_last, {axis("c"), index}) - at(inst, m_last, {axis("c"), axis("i")}));
    }

    // x[c, i] - max over j of x[c, j], if there is one.
    void centred() {
        const std::string before = m_last;
        const Expr row = axis("i"), width = m_width;
        const std::string out = name("t");
        const std::vector<Axis> space{{name("c"), m_channels}};
        inst.temporaries.push_back(tensor(out, {m_channels}));
        inst.stages.push_back(reduceStage(out, space, Reducer::Max, {{name("i"), width}},
                                          at(inst, before, {axis("c"), row})));
        end(Reducer::None, {},
            at(inst, before, {axis("c"), axis("i")}) - at(inst, out, {axis("c")}));
    }

    // The sum with a stage before of the same shape, if there is one.
    void added() {
        for (std::size_t i = inst.stages.size(); i-- > 0;) {
            const TensorDecl& decl = *inst.find(inst.stages[i].out);
            if (decl.name.text() == m_last || decl.type.shape != Shape{m_channels, m_width})
                continue;
            return end(Reducer::None, {},
                       at(inst, m_last, {axis("c"), axis("i")}) +
                           at(inst, decl.name.text(), {axis("c"), axis("i")}));
        }
    }

    void finish() {
        inst.outputs = {inst.temporaries.back()};
        inst.temporaries.pop_back();
        inst.outputs[0].name = Symbol("y");
        inst.stages.back().out = Symbol("y");
    }

    // A free size at its least.
    std::int64_t width() const { return evalIndex(m_width, {{freeWidth, 0}}).value(); }

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

Pipeline drawnPipeline(Random& r) {
    const std::int64_t size = r.oneIn(8) ? r.pick(0, 3) : r.pick(6, 23);
    Pipeline out(Expr(r.oneIn(6) ? 17 : r.pick(1, 4)),
                 r.oneIn(8) ? varExpr(freeWidth) + Expr(r.pick(4, 12)) : Expr(size));
    const auto mayShrink = [&] { return out.width() > 3; };
    for (std::int64_t stages = r.pick(2, 4); stages > 0; --stages)
        switch (r.below(mayShrink() ? 10 : 4)) {
        case 0:
            out.clamped(r.pick(-2, 2));
            break;
        case 1:
            out.centred();
            break;
        case 2:
            out.added();
            break;
        case 3: {
            const std::int64_t pad = r.pick(0, 2); // a window wider than the data, maybe
            out.window(2 * pad + 1, 1, pad, r.oneIn(2));
            break;
        }
        case 4:
            out.window(r.pick(2, 3), r.pick(1, 2), r.pick(0, 1), r.oneIn(2));
            break;
        case 5:
            out.convolution(r.oneIn(4) ? 17 : r.pick(1, 5), r.pick(1, 3), r.pick(0, 1));
            break;
        case 6:
            out.map(r.pick(0, 2));
            break;
        case 7:
            out.window(2, 2, 0, false);
            break;
        case 8:
            out.reversed();
            break;
        case 9:
            out.upsampled();
            break;
        }
    if (out.inst.stages.empty())
        out.map(0);
    out.finish();
    return out;
}

// Mostly what is legal: a stage lies where all its readers do, or further out.
std::string steps(Random& r, const OpInst& inst) {
    std::string out;
    const bool isWild = r.oneIn(6);
    const auto loopsOf = [&](std::size_t i, std::int64_t changes) {
        Loops loops(r, stageName(inst, i), inst.stages[i].space, false);
        for (; changes > 0; --changes)
            loops.change();
        loops.order();
        loops.marks(true, true);
        out += loops.text;
        return loops.all;
    };
    const std::size_t last = inst.stages.size() - 1;
    const auto root = loopsOf(last, r.pick(0, 2));
    const bool hasLanes = out.find("vectorize") != std::string::npos;
    const bool isParallel =
        r.oneIn(4) && !root.empty() && out.find("(" + root.front().name + ")") == std::string::npos;
    if (isParallel)
        out += fmt::format("y.parallel({}, 1)\n", root.front().name);
    std::vector<std::optional<std::size_t>> levels(inst.stages.size()); // none: a nest of its own
    levels[last] = root.size() - (hasLanes ? 1 : 0);
    for (std::size_t i = last; i-- > 0;) {
        std::optional<std::size_t> most = levels[last];
        for (std::size_t reader = i + 1; reader <= last; ++reader)
            visitExpr(inst.stages[reader].body, [&](const Expr& part) {
                if (part.op() != ExprOp::Load || part->symbol != inst.stages[i].out || !most)
                    return;
                most =
                    levels[reader] ? std::optional(std::min(*most, *levels[reader])) : std::nullopt;
            });
        if (isWild)
            most = root.size();
        if (!most || (isParallel && *most == 0) || r.oneIn(8))
            continue;
        loopsOf(i, r.pick(0, 1));
        const std::size_t level =
            static_cast<std::size_t>(r.pick(isParallel ? 1 : 0, static_cast<std::int64_t>(*most)));
        levels[i] = level;
        out += level == 0 ? fmt::format("{}.at(y)\n", stageName(inst, i))
                          : fmt::format("{}.at(y, {}{})\n", stageName(inst, i),
                                        root[level - 1].name, r.oneIn(4) ? ", recompute" : "");
    }
    return out;
}

// How often a buffer is stored to while the loops run.
class StoreCount {
public:
    StoreCount(Symbol buffer, Bindings symbols) : m_buffer(buffer), m_vars(std::move(symbols)) {}

    std::int64_t of(const Stmt& s) {
        std::int64_t out = 0;
        switch (s.op()) {
        case StmtOp::Store:
            return s->buffer == m_buffer ? 1 : 0;
        case StmtOp::If:
            if (evalIndex(s->condition, m_vars).value() != 0)
                return of(s->body[0]);
            return s->body.size() > 1 ? of(s->body[1]) : 0;
        case StmtOp::For: {
            const std::int64_t min = evalIndex(s->min, m_vars).value(),
                               extent = evalIndex(s->extent, m_vars).value();
            for (std::int64_t i = min; i < min + extent; ++i) {
                m_vars[s->var] = i;
                out += of(s->body[0]);
            }
            return out;
        }
        case StmtOp::Block:
        case StmtOp::Alloc:
            for (const Stmt& part : s->body)
                out += of(part);
            return out;
        }
        return out;
    }

private:
    Symbol m_buffer;
    Bindings m_vars;
};

} // namespace

class TestRegions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void poolOfAConvolution();
    void rowsAreComputedOnce_data();
    void rowsAreComputedOnce();
    void lanesBeyondOneElement_data();
    void lanesBeyondOneElement();
    void refusalsNameTheAccess_data();
    void refusalsNameTheAccess();
    void readersLieInsideTheLoop();
    void whatIsHeldHasALimit_data();
    void whatIsHeldHasALimit();
    void rightOrTheStepIsNamed();
};

// Rows of a convolution, two or three per row of the pool.
void TestRegions::poolOfAConvolution() {
    for (const std::int64_t pad : {0, 1})
        for (const char* steps :
             {"t0.at(y, c1)\n", "t0.at(y, i1)\n", "y.split(i1, a, b, 3, guard)\nt0.at(y, a)\n",
              "y.split(i1, a, b, 4, peel)\nt0.at(y, a)\nt0.split(i0, j, l, 4, "
              "guard)\nt0.vectorize(l)\n",
              "y.reorder(i1, c1)\nt0.at(y, i1)\nt0.reorder(i0, c0)\nt0.unroll(c0)\n"}) {
            Pipeline pipeline(Expr(3), Expr(17));
            pipeline.convolution(4, 3, 1);
            pipeline.window(3, 2, pad, false);
            pipeline.finish();
            const auto schedule = parseSchedule(steps);
            QVERIFY(schedule.ok());
            const Checked checked = checkLowering(pipeline.inst, *schedule, {}, {});
            QVERIFY2(checked.problem.isEmpty(), qPrintable(checked.problem));
            QVERIFY2(checked.text.find("alloc stack t0: ") != std::string::npos,
                     checked.text.c_str());
        }
}

// Rows that two iterations need are held in a ring: of 17 rows by 4 channels each is stored once,
// and as often as windows ask for it if the schedule says so.
void TestRegions::rowsAreComputedOnce_data() {
    QTest::addColumn<QString>("steps");
    QTest::addColumn<qint64>("stores");
    const auto row = [](const char* name, const char* steps, qint64 stores) {
        QTest::newRow(name) << QString::fromUtf8(steps) << stores;
    };
    // The pool reads 15 windows of 3, one apart.
    row("loop", "y.reorder(i1, c1)\nt0.at(y, i1)\n", 17 * 4);
    row("recompute", "y.reorder(i1, c1)\nt0.at(y, i1, recompute)\n", 15 * 3 * 4);
    row("perChannel", "t0.at(y, i1)\n", 17 * 4);
    row("split", "t0.split(i0, j, l, 2, guard)\nt0.at(y, i1)\n", 17 * 4);
    row("unrolled", "t0.reorder(i0, c0)\nt0.unroll(c0)\ny.reorder(i1, c1)\nt0.at(y, i1)\n", 17 * 4);
    row("tiles", "y.split(i1, a, b, 4, guard)\ny.reorder(a, c1, b)\nt0.at(y, a)\n", 17 * 4);
    // A ring for each tile of 4 or 5: 3 + 3 of them have 6 rows each, or 7.
    row("tile", "y.split(i1, a, b, 5, guard)\ny.reorder(a, b, c1)\nt0.at(y, b)\n", 3 * 7 * 4);
    row("peeled", "y.split(i1, a, b, 4, peel)\ny.reorder(a, b, c1)\nt0.at(y, b)\n",
        (3 * 6 + 5) * 4);
    row("parallel",
        "y.split(i1, a, b, 5, guard)\ny.reorder(a, b, c1)\ny.parallel(a, 1)\nt0.at(y, b)\n",
        3 * 7 * 4);
    row("parallelLoop", "y.reorder(i1, c1)\ny.parallel(i1, 1)\nt0.at(y, i1)\n", 15 * 3 * 4);
    // No iteration of the channels of the result asks for others.
    row("still",
        "y.reorder(i1, c1)\ny.split(i1, a, b, 15, guard)\ny.reorder(a, c1, b)\nt0.at(y, a)\n",
        17 * 4);
}

void TestRegions::rowsAreComputedOnce() {
    QFETCH(QString, steps);
    QFETCH(qint64, stores);
    Pipeline pipeline(Expr(3), Expr(17));
    pipeline.convolution(4, 3, 1);
    pipeline.window(3, 1, 0, false);
    pipeline.finish();
    const auto schedule = parseSchedule(steps.toStdString());
    QVERIFY(schedule.ok());
    QCOMPARE(schedule->text(), steps.toStdString());
    VERIFY_LOWERED(checkLowering(pipeline.inst, *schedule, {}, {}));
    const auto lowered = lower(pipeline.inst, *schedule, {}, "t");
    QVERIFY(lowered.ok());
    QCOMPARE(StoreCount("t0", {}).of(lowered->nest.body), stores);
}

// Sixteen lanes, of which the tail leaves one, fifteen, or one in the last tile: each stores to a
// place of its own.
void TestRegions::lanesBeyondOneElement_data() {
    QTest::addColumn<int>("channels");
    QTest::addColumn<QString>("tail");
    QTest::addColumn<bool>("followed"); // by a map that is stored with the sum
    for (const int channels : {1, 15, 16, 17})
        for (const char* tail : {"guard", "peel"})
            for (const bool followed : {false, true})
                QTest::addRow("%d, %s, %s", channels, tail, followed ? "map" : "sum")
                    << channels << QString::fromUtf8(tail) << followed;
}

void TestRegions::lanesBeyondOneElement() {
    QFETCH(int, channels);
    QFETCH(QString, tail);
    QFETCH(bool, followed);
    for (const char* inner : {"u1, i0, ul", "i0, u1, ul"}) {
        Pipeline pipeline(Expr(3), Expr(11));
        pipeline.convolution(channels, 3, 1);
        if (followed)
            pipeline.map(0);
        pipeline.window(2, 2, 0, false);
        pipeline.finish();
        const std::string end = followed ? "2" : "1", c = "c" + end, i = "i" + end;
        std::string steps = fmt::format("y.reorder({0}, {1})\ny.split({1}, o1, ol, 16, guard)\n"
                                        "y.vectorize(ol)\n",
                                        i, c);
        steps += fmt::format("t0.split(c0, u1, ul, 16, {})\nt0.reorder({})\nt0.vectorize(ul)\n",
                             tail.toStdString(), inner);
        if (followed)
            steps += fmt::format("t1.at(y, {})\n", i);
        steps += fmt::format("t0.at(y, {})\n", i);
        const auto schedule = parseSchedule(steps);
        QVERIFY2(schedule.ok(), steps.c_str());
        VERIFY_LOWERED(checkLowering(pipeline.inst, *schedule, {}, {}));
    }
}

void TestRegions::refusalsNameTheAccess_data() {
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* name, const char* steps, const char* why) {
        QTest::newRow(name) << QString::fromUtf8(steps) << QString::fromUtf8(why);
    };
    row("noBox", "y.split(j, a, b, 4, guard)\nt.at(y, a)\n",
        "what one iteration of a needs of its dimension i is no box: it is read at");
    row("noLoop", "t.at(y, a)\n", "no such loop there; the loops of y are j");
    row("reduced", "t.at(y, k)\n", "k is a reduced loop of y, whose loops of the result are j");
    row("noStage", "t.at(z, j)\n", "no such stage after it");
    row("circle", "y.at(t, i)\n", "no such stage after it");
    row("itself", "t.at(t, i)\n", "no such stage after it");
    row("tooLarge", "y.split(j, a, b, 4, guard)\nr.at(y, a)\n",
        "what one iteration of a needs of it is too large: 4 x 20000 elements");
    row("free", "q.at(y, j)\n", "has no bound");
    row("goneLoop", "t.at(y, j)\ny.split(j, a, b, 4, guard)\n",
        "a step behind it made others of the loop");
}

void TestRegions::refusalsNameTheAccess() {
    QFETCH(QString, steps);
    QFETCH(QString, why);
    OpInst inst;
    const Expr width = varExpr(freeWidth);
    inst.inputs = {tensor("x", {Expr(144)}), tensor("u", {Expr(12), Expr(20000)}),
                   tensor("v", {Expr(12), width})};
    inst.temporaries = {tensor("t", {Expr(144)}), tensor("r", {Expr(12), Expr(20000)}),
                        tensor("q", {Expr(12), width})};
    inst.outputs = {tensor("y", {Expr(12)})};
    inst.stages = {mapStage("t", {{"i", Expr(144)}}, at(inst, "x", {v("i")}) + floatExpr(1)),
                   reduceStage("r", {{"ri", Expr(12)}, {"rj", Expr(20000)}}, Reducer::Sum,
                               {{"rk", Expr(2)}}, at(inst, "u", {v("ri"), v("rj")})),
                   reduceStage("q", {{"qi", Expr(12)}, {"qj", width}}, Reducer::Sum,
                               {{"qk", Expr(2)}}, at(inst, "v", {v("qi"), v("qj")})),
                   reduceStage("y", {{"j", Expr(12)}}, Reducer::Sum,
                               {{"k", Expr(20000)}, {"l", width}},
                               at(inst, "t", {v("j") * v("j")}) + at(inst, "r", {v("j"), v("k")}) +
                                   at(inst, "q", {v("j"), v("l")}))};
    const auto schedule = parseSchedule(steps.toStdString());
    QVERIFY(schedule.ok());
    const auto lowered = lower(inst, *schedule, {}, "t");
    QVERIFY(!lowered.ok());
    QVERIFY2(lowered.diag().message.find(why.toStdString()) != std::string::npos,
             lowered.diag().message.c_str());
}

// On the stack, in memory of the model (a free size), or a sum of the root itself.
void TestRegions::readersLieInsideTheLoop() {
    struct Case {
        bool isFree;
        const char* steps;
        const char* reader;
    };
    for (const Case& one : {Case{false, "t1.at(y)\nt0.at(y, c2)\n", "t1"},
                            Case{true, "t1.at(y)\nt0.at(y, c2)\n", "t1"},
                            Case{false, "t1.at(y, c2)\nt0.at(y, i2)\n", "t1"},
                            Case{false, "y.accumulate(c2)\nt1.at(y, i2)\nt0.at(y)\n", "y"},
                            Case{true, "y.accumulate(c2)\nt1.at(y, i2)\nt0.at(y)\n", "y"}}) {
        Pipeline pipeline(Expr(1), one.isFree ? varExpr(freeWidth) + Expr(8) : Expr(8));
        pipeline.clamped(-2);
        pipeline.map(0);
        pipeline.convolution(2, 3, 1);
        pipeline.finish();
        const auto schedule = parseSchedule(one.steps);
        QVERIFY(schedule.ok());
        const auto lowered = lower(pipeline.inst, *schedule, {}, "t");
        QVERIFY2(!lowered.ok(), one.steps);
        const std::string why =
            std::string("is read outside the loop in which it is computed, by ") + one.reader;
        QVERIFY2(lowered.diag().message.find(why) != std::string::npos,
                 lowered.diag().message.c_str());
    }
}

// 65536 bytes for a stage, 262144 for all that a nest holds at once.
void TestRegions::whatIsHeldHasALimit_data() {
    QTest::addColumn<int>("stages");
    QTest::addColumn<int>("width"); // elements of four bytes of each that an iteration needs
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("why"); // empty: it is made
    const QString loop = QStringLiteral("y, j"), root = QStringLiteral("y");
    QTest::newRow("one") << 1 << 16384 << loop << QString();
    QTest::newRow("one too large")
        << 1 << 16385 << loop
        << QStringLiteral("what one iteration of j needs of it is too large: 16385 elements, "
                          "and 65536 bytes can be held");
    QTest::newRow("all of it") << 1 << 8193 << root
                               << QStringLiteral(
                                      "what y needs of it is too large: 2 x 8193 elements");
    QTest::newRow("four") << 4 << 16384 << loop << QString();
    QTest::newRow("one more") << 5 << 16384 << loop
                              << QStringLiteral("the nest of y holds 327680 bytes at once, and "
                                                "262144 can be held");
    QTest::newRow("five") << 5 << 13107 << loop << QString();
    QTest::newRow("one element more")
        << 5 << 13108 << loop
        << QStringLiteral("the nest of y holds 262160 bytes at once, and 262144 can be held");
}

void TestRegions::whatIsHeldHasALimit() {
    QFETCH(int, stages);
    QFETCH(int, width);
    QFETCH(QString, steps);
    QFETCH(QString, why);
    OpInst inst;
    const Expr columns{std::int64_t(width)};
    inst.inputs = {tensor("x", {Expr(2), columns, Expr(2)})};
    inst.outputs = {tensor("y", {Expr(2)})};
    Expr all(0);
    std::string text;
    for (int i = 0; i < stages; ++i) {
        const std::string n = std::to_string(i), t = "t" + n;
        inst.temporaries.push_back(tensor(t, {Expr(2), columns}));
        inst.stages.push_back(reduceStage(t, {{"r" + n, Expr(2)}, {"c" + n, columns}}, Reducer::Sum,
                                          {{"q" + n, Expr(2)}},
                                          at(inst, "x", {v("r" + n), v("c" + n), v("q" + n)})));
        all = i == 0 ? at(inst, t, {v("j"), v("k")}) : all + at(inst, t, {v("j"), v("k")});
        text += fmt::format("{}.at({})\n", t, steps.toStdString());
    }
    inst.stages.push_back(reduceStage("y", {{"j", Expr(2)}}, Reducer::Sum, {{"k", columns}}, all));
    const auto schedule = parseSchedule(text);
    QVERIFY(schedule.ok());
    const auto lowered = lower(inst, *schedule, {}, "t");
    QCOMPARE(lowered.ok(), why.isEmpty());
    if (!why.isEmpty()) {
        QVERIFY2(lowered.diag().message.find(why.toStdString()) != std::string::npos,
                 lowered.diag().message.c_str());
        QVERIFY(lowered.diag().where.line > 0);
    } else {
        VERIFY_LOWERED(checkLowering(inst, *schedule, {}, {}));
    }
}

void TestRegions::rightOrTheStepIsNamed() {
    const int seconds = qEnvironmentVariableIntValue("FW_FUZZ_SECONDS");
    QElapsedTimer timer;
    timer.start();
    int right = 0, refused = 0;
    std::map<QString, int> refusals;
    for (unsigned seed = 1; seconds > 0 ? timer.elapsed() < seconds * 1000 : seed <= 3000; ++seed) {
        Random r(seed);
        const OpInst inst = drawnPipeline(r).inst;
        const std::string text = steps(r, inst);
        const Bindings symbols{{freeWidth, r.pick(0, 17)}};
        const auto schedule = parseSchedule(text);
        QVERIFY2(schedule.ok(), text.c_str());
        Checked checked;
        try {
            checked = checkLowering(inst, *schedule, {}, symbols, seed);
        } catch (const std::exception& error) {
            QFAIL(
                fmt::format("seed {}: {}\n{}\n{}", seed, error.what(), inst.text(), text).c_str());
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
    QVERIFY(seconds > 0 || right > 1500);
}

FW_TEST_BY(&fw::test::runLong<TestRegions, 24 * 60>) // FW_FUZZ_SECONDS may be hours
#include "test_regions.moc"
