// Stages that are read beyond their own range, over less of it, or in another order, and computed
// in the loops of their readers or apart: whatever the schedule, no access leaves its tensor.
#include "common/test.h"
#include "expr/simplify.h"
#include "lower_check.h"
#include "schedule/random_loops.h"

#include <QElapsedTimer>

#include <fmt/format.h>

using namespace fw;
using namespace fw::test;

namespace {

// An extent as a number, or as a free dimension of that value.
class Extents {
public:
    explicit Extents(Random& r) : m_r(r) {}

    Expr of(const char* name, std::int64_t value) {
        if (!m_r.oneIn(4))
            return Expr(value);
        symbols[Symbol(name)] = value;
        return v(name);
    }

    Bindings symbols;

private:
    Random& m_r;
};

struct Drawn {
    OpInst inst;
    Bindings symbols;
};

Expr clamped(const Expr& index, const Expr& extent) {
    return maxExpr(minExpr(index, extent - Expr(1)), Expr(0));
}

// Products t0 and t1 (sums, or other reductions), perhaps a map behind them, and a reader y of one
// or both over a range of its own.
class Draw {
public:
    explicit Draw(unsigned seed) : m_r(seed), m_extents(m_r) {}

    Drawn make() {
        n = m_extents.of("N", m_r.pick(0, 4));
        c = m_extents.of("C", m_r.pick(0, 6));
        const std::int64_t own = m_r.pick(0, 9);
        k = m_extents.of("K", own);
        p = m_extents.of("P", m_r.pick(0, 7));
        const std::int64_t range = m_r.pick(0, 9 + (m_r.oneIn(4) ? 12 : 0));
        constexpr int forms = 9;
        form = static_cast<int>(m_r.pick(0, forms - 1));
        less = form >= 6 && form < 8;
        a = less           ? m_extents.of("A", std::min(range, own))
            : m_r.oneIn(3) ? simplify(k + Expr(range))
            : form == 2    ? simplify(k + p)
                           : m_extents.of("A", range);
        if (less && !(a.isInt() && k.isInt())) // a part has to be seen to be one
            a = maxExpr(simplify(k - Expr(m_r.pick(0, 3))), Expr(0));
        m_inst.inputs = {tensor("x", {n, c}), tensor("w", {k, c}), tensor("u", {p, c}),
                         tensor("z", {a}), tensor("idx", {a}, DType::I64)};
        product("t0", "w", k);
        std::string first = "t0";
        if (m_r.oneIn(3))
            first = scaled(first, k);
        const bool two = form == 2;
        if (two)
            product("t1", "u", p);
        read(first);
        m_inst.outputs = {
            tensor("y", m_rows ? Shape{m_rows->isInt(-1) ? n : *m_rows, a} : Shape{n})};
        // The first is a result of its own, too.
        if (m_r.oneIn(4)) {
            const auto decl =
                std::find_if(m_inst.temporaries.begin(), m_inst.temporaries.end(),
                             [&](const TensorDecl& one) { return one.name == Symbol(first); });
            m_inst.outputs.push_back(*decl);
            m_inst.temporaries.erase(decl);
        }
        std::set<Symbol> used;
        for (const Stage& stage : m_inst.stages)
            visitExpr(stage.body, [&](const Expr& e) {
                if (e.op() == ExprOp::Load)
                    used.insert(e->symbol);
            });
        std::erase_if(m_inst.inputs,
                      [&](const TensorDecl& one) { return !used.contains(one.name); });
        return {m_inst, m_extents.symbols};
    }

private:
    void product(const std::string& name, const char* weights, const Expr& extent) {
        const std::string axis = "k" + name, reduced = "c" + name, row = "n" + name;
        const Expr x = at(m_inst, "x", {v(row), v(reduced)}),
                   w = at(m_inst, weights, {v(axis), v(reduced)});
        const Reducer reducers[] = {Reducer::Sum, Reducer::Sum, Reducer::Max, Reducer::Min};
        const Reducer reducer = reducers[m_r.pick(0, 3)];
        const Expr padded = padExpr(at(m_inst, "x", {v(row), v(reduced) - Expr(1)}), floatExpr(0));
        m_inst.temporaries.push_back(tensor(name, {n, extent}));
        m_inst.stages.push_back(reduceStage(name, {{Symbol(row), n}, {Symbol(axis), extent}},
                                            reducer, {{Symbol(reduced), c}},
                                            (m_r.oneIn(4) ? padded : x) * w));
        m_inst.stages.back().nodes = {static_cast<std::int64_t>(m_inst.stages.size()) - 1};
    }

    std::string scaled(const std::string& of, const Expr& extent) {
        const std::string name = of + "s";
        m_inst.temporaries.push_back(tensor(name, {n, extent}));
        m_inst.stages.push_back(mapStage(name, {{"ns", n}, {"ks", extent}},
                                         at(m_inst, of, {v("ns"), v("ks")}) * floatExpr(2)));
        m_inst.stages.back().nodes = {static_cast<std::int64_t>(m_inst.stages.size()) - 1};
        return name;
    }

    void read(const std::string& t) {
        const Expr zero = floatExpr(0), row = v("i"), col = v("a");
        const auto of = [&](const std::string& name, const Expr& one, const Expr& other) {
            return at(m_inst, name, {one, other});
        };
        const Expr z = at(m_inst, "z", {col});
        Expr body;
        m_rows = Expr(-1);
        Expr rows = n;
        switch (form) {
        case 0:
            body = padExpr(of(t, row, col), m_r.oneIn(2) ? zero : floatExpr(3));
            break;
        case 1: // behind each other, a beginning before 0
            body = padExpr(of(t, row, col - Expr(m_r.pick(-3, 3))), zero) * z +
                   padExpr(of(t, row, col), zero);
            break;
        case 2: // two beside each other
            body = selectExpr(ltExpr(col, k), padExpr(of(t, row, col), zero),
                              padExpr(of("t1", row, col - k), zero));
            break;
        case 3: // more rows than there are, too
            rows = simplify(n + Expr(m_r.pick(0, 3)));
            m_rows = rows;
            body = padExpr(of(t, row, col), floatExpr(1));
            break;
        case 4: // one under a condition of the other
            body = selectExpr(leExpr(Expr(2), col), padExpr(of(t, row, col), zero) + z, z);
            break;
        case 5: // an index that is read
            body = padExpr(of(t, row, at(m_inst, "idx", {col}) * Expr(3) - Expr(1)), floatExpr(2));
            if (k.asInt().value_or(0) > 0 && m_r.oneIn(2))
                body = of(t, row, clamped(at(m_inst, "idx", {col}) * Expr(3) - Expr(1), k));
            break;
        case 6:
            body = of(t, row, col) + z;
            break;
        case 7: // backwards
            body = of(t, row, k - Expr(1) - col);
            break;
        default: // a sum of what is read beyond its range
            m_rows.reset();
            m_inst.stages.push_back(reduceStage("y", {{"i", n}}, Reducer::Sum, {{"a", a}},
                                                padExpr(of(t, row, col), zero) * z));
            m_inst.stages.back().nodes = {static_cast<std::int64_t>(m_inst.stages.size()) - 1};
            return;
        }
        m_inst.stages.push_back(mapStage("y", {{"i", rows}, {"a", a}}, body));
        m_inst.stages.back().nodes = {static_cast<std::int64_t>(m_inst.stages.size()) - 1};
    }

    Random m_r;
    Extents m_extents;
    OpInst m_inst;
    Expr n, c, k, p, a;
    int form = 0;
    bool less = false;
    std::optional<Expr> m_rows; // of y; -1: those of t
};

ScheduleContext context(Random& r) {
    ScheduleContext out;
    out.vectorLanes = r.oneIn(2) ? 4 : 8;
    out.vectorRegisters = 16;
    out.threads = static_cast<int>(r.pick(1, 2));
    for (const char* name : {"x", "w", "t0", "t0s", "t1"})
        if (r.oneIn(4))
            out.maps[Symbol(name)] = {{{1, 1, 0}, {0, 1, 0}}, {}};
    if (r.oneIn(3))
        out.constants = {"w", "u"};
    return out;
}

// The first stage, or all that feed the last one, in the last one's loops.
std::string placed(Random& r, const OpInst& inst) {
    const Stage& root = inst.stages.back();
    std::string out;
    std::vector<std::string> loops;
    for (const Axis& axis : root.space) {
        const std::string name = axis.var.text();
        if (axis.extent.isInt() && r.oneIn(2)) {
            out += fmt::format("y.split({0}, {0}1, {0}0, {1}, {2})\n", name, r.pick(1, 4),
                               r.oneIn(2) ? "guard" : "peel");
            loops.push_back(name + "1");
            loops.push_back(name + "0");
        } else {
            loops.push_back(name);
        }
    }
    for (std::size_t i = inst.stages.size() - 1; i-- > 0;) {
        if (r.oneIn(5))
            continue;
        const std::string stage = inst.stages[i].out.text();
        const auto level = static_cast<std::size_t>(
            r.pick(inst.stages[i].isMap() ? static_cast<std::int64_t>(loops.size()) : 1,
                   static_cast<std::int64_t>(loops.size())));
        out += fmt::format("{}.at(y, {})\n", stage, loops[level - 1]);
        if (!inst.stages[i].isMap() && r.oneIn(2))
            out += fmt::format("{0}.split({1}, {1}1, {1}0, {2}, guard)\n", stage,
                               inst.stages[i].reduce.front().var.text(), r.pick(1, 5));
    }
    if (r.oneIn(3) && loops.size() > 1 && loops.back().ends_with("0"))
        out += fmt::format("y.{}({})\n", r.oneIn(2) ? "unroll" : "vectorize", loops.back());
    return out;
}

QString label(unsigned seed, const Checked& checked) {
    return QStringLiteral("seed %1: ").arg(seed) + checked.problem +
           QString::fromStdString(checked.text);
}

} // namespace

class TestRanges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void templates();
    void writtenSteps();
    void onlyWhatIsThereIsComputed();
    void emptySumsInPartialAccumulators();
};

// As the shipped book schedules them, and by every template that takes them.
void TestRanges::templates() {
    int taken = 0;
    for (unsigned seed = 1; seed <= 400; ++seed) {
        const Drawn drawn = Draw(seed).make();
        Random r(seed + 100000);
        const ScheduleContext where = context(r);
        const Checked planned = checkDefault(drawn.inst, where, drawn.symbols, seed);
        QVERIFY2(planned.problem.isEmpty(), qPrintable(label(seed, planned)));
        for (const ScheduleTemplate own :
             {ScheduleTemplate::Tiled, ScheduleTemplate::Rowwise, ScheduleTemplate::Window,
              ScheduleTemplate::Map, ScheduleTemplate::Plain})
            for (std::int64_t anchor = 0; anchor < 2; ++anchor) {
                const auto choice = scheduleBy(own, anchor, drawn.inst, where);
                if (!choice)
                    continue;
                ++taken;
                const Checked checked =
                    checkLowering(drawn.inst, choice->schedule, where.maps, drawn.symbols, seed);
                QVERIFY2(checked.problem.isEmpty(), qPrintable(label(seed, checked)));
            }
    }
    QVERIFY(taken > 600);
}

void TestRanges::writtenSteps() {
    int right = 0, guarded = 0;
    for (unsigned seed = 1; seed <= 1000; ++seed) {
        const Drawn drawn = Draw(seed).make();
        Random r(seed + 200000);
        const auto schedule = parseSchedule(placed(r, drawn.inst));
        QVERIFY(schedule.ok());
        const Checked checked =
            checkLowering(drawn.inst, *schedule, context(r).maps, drawn.symbols, seed);
        if (checked.problem.startsWith(QStringLiteral("refused")))
            continue;
        QVERIFY2(checked.problem.isEmpty(), qPrintable(label(seed, checked)));
        ++right;
        guarded += checked.text.find("if ") != std::string::npos;
    }
    QVERIFY2(right > 200, qPrintable(QString::number(right)));
    QVERIFY2(guarded > 20, qPrintable(QString::number(guarded)));
}

// A product of 4 columns that is read as 64 is computed for 4.
void TestRanges::onlyWhatIsThereIsComputed() {
    OpInst inst;
    inst.inputs = {tensor("x", {Expr(8), Expr(64)}), tensor("w", {Expr(4), Expr(64)})};
    inst.temporaries = {tensor("t", {Expr(8), Expr(4)})};
    inst.outputs = {tensor("y", {Expr(8), Expr(64)})};
    inst.stages = {reduceStage("t", {{"n", Expr(8)}, {"k", Expr(4)}}, Reducer::Sum,
                               {{"c", Expr(64)}},
                               at(inst, "x", {v("n"), v("c")}) * at(inst, "w", {v("k"), v("c")})),
                   mapStage("y", {{"i", Expr(8)}, {"a", Expr(64)}},
                            padExpr(at(inst, "t", {v("i"), v("a")}), floatExpr(0)))};
    const ScheduleContext context;
    const auto planned = plannedSchedule(inst, context);
    QVERIFY(planned.ok());
    QVERIFY2(planned->schedule.text().find("t.at(") == std::string::npos,
             planned->schedule.text().c_str());
    const auto inside = parseSchedule("t.at(y, a)\n");
    const Checked checked = checkLowering(inst, *inside, {}, {});
    QVERIFY2(checked.problem.isEmpty(), qPrintable(checked.problem));
    QVERIFY2(checked.text.find("a < 4") != std::string::npos ||
                 checked.text.find("a in 4") != std::string::npos,
             checked.text.c_str());
}

// Nothing to reduce, or less than one peeled tile of it: the accumulators are there all the same.
void TestRanges::emptySumsInPartialAccumulators() {
    for (const std::int64_t k : {0, 1, 3, 4, 5, 9})
        for (const char* steps :
             {"y.partial(k)\n", "y.split(k, k1, k0, 4, peel)\ny.partial(k1)\ny.partial(k0)\n",
              "y.split(k, k1, k0, 4, peel)\ny.partial(k1)\ny.partial(k0)\ny.unroll(k0)\n",
              "y.split(k, k1, k0, 4, guard)\ny.partial(k0)\ny.vectorize(k0)\n",
              "y.split(k, k1, k0, 4, guard)\ny.partial(k1)\ny.unroll(k1)\n"}) {
            const auto schedule = parseSchedule(steps);
            QVERIFY2(schedule.ok(), steps);
            const Checked checked =
                checkLowering(matmul(Expr(3), Expr(2), Expr(k), true, false), *schedule, {}, {}, 1);
            QVERIFY2(checked.problem.isEmpty(),
                     qPrintable(QStringLiteral("%1 of %2: ").arg(steps).arg(k) + checked.problem));
        }
}

FW_TEST(TestRanges, QCoreApplication)
#include "test_ranges.moc"
