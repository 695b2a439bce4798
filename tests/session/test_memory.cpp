// What is computed stays inside its memory: sums that are read beyond their range, slices of free
// sizes, operators that would read outside. Plans, kernels and modules, from a book's text on.
#include "base/random.h"
#include "codegen/harness.h"
#include "common/test.h"
#include "ir/graph_text.h"
#include "session/made.h"
#include "session/verdicts.h"
#include "strategy/loop_trial.h"
#include "syntax/declarations.h"
#include "tensor/evaluate_graph.h"

#include <cmath>
#include <fmt/ranges.h>
#include <numeric>

using namespace fw;
using namespace fw::test;

namespace {

// The machine code of the loops on memory between guard pages, against the interpreter.
std::string guarded(const Made& made, const Sizes& sizes, const char* cpu) {
    const Target target = testTarget(cpu);
    if (!target.isHost)
        return {};
    std::string out;
    for (const Group& group : made.plan.groups)
        if (group.lowering.kernel && out.empty())
            out = compareOnRandom(group.lowering.kernel->choice.lowered.nest, bound(sizes), target,
                                  1e-4);
    return out;
}

// The first difference between the module and the reference; empty: there is none.
std::string difference(const Made& made, const Sizes& sizes) {
    const auto inputs = made.loaded->randomInputs(3, sizes).value();
    const auto got = made.loaded->run(inputs).value();
    const auto wanted = evaluateGraph(*made.graph, inputs).value();
    for (std::size_t i = 0; i < wanted.size(); ++i)
        for (std::size_t k = 0; k < wanted[i].count(); ++k) {
            const double a = got[i].at(k), b = wanted[i].at(k);
            if (!(std::abs(a - b) <= 1e-4 * std::max(1.0, std::abs(b))))
                return fmt::format("{}[{}] is {}, not {}", i, k, a, b);
        }
    return {};
}

// What NumPy takes of an axis of n elements by [start:end:step].
std::vector<std::int64_t> places(std::int64_t n, std::int64_t start, std::int64_t end,
                                 std::int64_t step) {
    const auto bound = [&](std::int64_t value) {
        if (value < 0)
            value = value < -n ? -1 : value + n;
        else if (value > n)
            value = n;
        return step > 0 ? std::max<std::int64_t>(value, 0) : std::min(value, n - 1);
    };
    std::vector<std::int64_t> out;
    const std::int64_t last = bound(end);
    for (std::int64_t at = bound(start); step > 0 ? at < last : at > last; at += step)
        out.push_back(at);
    return out;
}

// Slices of a tensor over free dimensions A, B, C.
struct Slices {
    std::size_t rank = 1;
    std::vector<std::int64_t> starts, ends, axes, steps;

    explicit Slices(std::uint64_t seed) {
        Random random(seed);
        rank = 1 + random.below(3);
        std::vector<std::int64_t> all(rank);
        std::iota(all.begin(), all.end(), 0);
        for (std::size_t k = random.below(rank) + 1; k > 0; --k) {
            const std::size_t at = random.below(all.size());
            axes.push_back(all[at] - (random.chance(40) ? static_cast<std::int64_t>(rank) : 0));
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
            const auto end = [&] {
                return random.chance(15)   ? INT64_MAX
                       : random.chance(15) ? INT64_MIN + 1
                                           : random.between(-9, 9);
            };
            starts.push_back(end());
            ends.push_back(end());
            const std::int64_t step = random.between(1, 5);
            steps.push_back(random.chance(50) ? step : -step);
        }
    }

    std::string text() const {
        return fmt::format("{{starts = [{}], ends = [{}], axes = [{}], steps = [{}]}}",
                           fmt::join(starts, ", "), fmt::join(ends, ", "), fmt::join(axes, ", "),
                           fmt::join(steps, ", "));
    }

    // Row-major positions in the operand, and the shape of the result.
    std::vector<std::size_t> taken(const std::vector<std::int64_t>& extents,
                                   std::vector<std::int64_t>& shape) const {
        std::vector<std::vector<std::int64_t>> chosen;
        for (const std::int64_t extent : extents) {
            chosen.emplace_back(static_cast<std::size_t>(extent));
            std::iota(chosen.back().begin(), chosen.back().end(), 0);
        }
        for (std::size_t k = 0; k < axes.size(); ++k) {
            const auto axis = static_cast<std::size_t>(
                axes[k] < 0 ? axes[k] + static_cast<std::int64_t>(rank) : axes[k]);
            chosen[axis] = places(extents[axis], starts[k], ends[k], steps[k]);
        }
        std::vector<std::size_t> out{0};
        for (std::size_t d = 0; d < extents.size(); ++d) {
            shape.push_back(static_cast<std::int64_t>(chosen[d].size()));
            std::vector<std::size_t> next;
            for (const std::size_t before : out)
                for (const std::int64_t at : chosen[d])
                    next.push_back(before * static_cast<std::size_t>(extents[d]) +
                                   static_cast<std::size_t>(at));
            out = std::move(next);
        }
        return out;
    }
};

// Another computation than its text says: it reads one element further.
class Outside final : public Operator {
public:
    explicit Outside(const Operator& real) : m_real(real) {}
    const std::string& name() const override { return m_real.name(); }
    const std::string& doc() const override { return m_real.doc(); }
    std::string signature() const override { return m_real.signature(); }
    std::string body() const override { return m_real.body(); }
    std::vector<std::string> inputNames() const override { return m_real.inputNames(); }
    std::vector<std::string> outputNames() const override { return m_real.outputNames(); }
    Arity arity() const override { return m_real.arity(); }
    std::optional<AttrType> attrType(std::string_view attr) const override {
        return m_real.attrType(attr);
    }
    std::vector<std::string> attrNames() const override { return m_real.attrNames(); }
    Result<Inferred> infer(const OpCall& call) const override { return m_real.infer(call); }
    Result<OpInst> instantiate(const OpCall& call) const override {
        FW_TRY(OpInst inst, m_real.instantiate(call));
        for (Stage& stage : inst.stages)
            stage.body = mapExpr(stage.body, [](const Expr& e) {
                return e.op() == ExprOp::Load ? loadExpr(e->symbol, {e.arg(0) + Expr(1)}, e.dtype())
                                              : e;
            });
        return inst;
    }
    Result<Facts> facts(const OpCall& call) const override { return m_real.facts(call); }
    Result<std::vector<TensorData>>
    reference(const OpCall& call, const std::vector<const TensorData*>& inputs) const override {
        return m_real.reference(call, inputs);
    }
    bool isNative() const override { return m_real.isNative(); }

private:
    const Operator& m_real;
};

} // namespace

class TestMemory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readBeyondTheRange_data();
    void readBeyondTheRange();
    void slicesOfFreeSizes();
    void operatorsThatReadOutside_data();
    void operatorsThatReadOutside();
    void guardedSumsOfBooks_data();
    void guardedSumsOfBooks();
    void refusedStepsHaveTheirPlace();
    void badAccessesAreTold();
    void soundOnesAreRun();
};

void TestMemory::readBeyondTheRange_data() {
    QTest::addColumn<QString>("book");
    QTest::addColumn<QString>("graph");
    const auto row = [](const char* name, const char* book, const char* graph) {
        QTest::newRow(name) << QString::fromLatin1(book) << QString::fromLatin1(graph);
    };
    row("one product as a part of more columns",
        "op one (x: T[N, C], w: T[K, C]) -> y: T[N, A] where A = K * 4096 {\n"
        "  let t0[n, k] = sum(c in C : x[n, c] * w[k, c])\n"
        "  y[n, a] = pad(t0[n, a], 0) }\n",
        "graph g(x: f32[8, 64]) -> y { w = const random(1) : f32[64, 64] y = one(x, w) }");
    const char* two = "op two \"two products beside each other\" (x: T[N, C], w: T[K, C], v: T[P, "
                      "C]) -> y: T[N, A]\n"
                      "    where A = K + P {\n"
                      "  let t0[n, k] = sum(c in C : x[n, c] * w[k, c])\n"
                      "  let t1[n, p] = sum(c in C : x[n, c] * v[p, c])\n"
                      "  y[n, a] = select(a < K, pad(t0[n, a], 0), pad(t1[n, a - K], 0)) }\n";
    row("two products beside each other", two,
        "graph g(x: f32[8, 64], w: f32[16, 64], v: f32[2048, 64]) -> y { y = two(x, w, v) }");
    row("of free sizes", two,
        "graph g(x: f32[N, C], w: f32[K, C], v: f32[P, C]) -> y { y = two(x, w, v) }");
    row("three images on channels, of which one is a pool",
        "op three (x: T[N, C, H, W], u: T[K, C], v: T[P, C]) -> y: T[N, A, H, W] where A = K + P + "
        "C {\n"
        "  let t0[n, k, h, w] = sum(c in C : x[n, c, h, w] * u[k, c])\n"
        "  let t1[n, p, h, w] = max(sum(c in C : x[n, c, h, w] * v[p, c]), 0)\n"
        "  let t2[n, c, h, w] = max(i in 3, j in 3 : pad(x[n, c, h + i - 1, w + j - 1], -9))\n"
        "  y[n, a, h, w] = select(a < K, pad(t0[n, a, h, w], 0),\n"
        "    select(a < K + P, pad(t1[n, a - K, h, w], 0), pad(t2[n, a - K - P, h, w], 0))) }\n",
        "graph g(x: f32[1, 6, 5, 7]) -> y { u = const random(1) : f32[3, 6] v = const random(2) : "
        "f32[5, 6]\n"
        "  y = three(x, u, v) }");
    row("pads in pads",
        "op nested (x: T[N, C], w: T[K, C]) -> y: T[M, B] where A = K + 3, B = K + 7, M = N + 1 {\n"
        "  let t[n, k] = max(c in C : x[n, c] * w[k, c])\n"
        "  let u[n, a] = pad(t[n, a - 2], 5) * 2\n"
        "  y[m, b] = pad(u[m, b], 1) + pad(t[m - 1, b], 3) }\n",
        "graph g(x: f32[4, 9], w: f32[6, 9]) -> y { y = nested(x, w) }");
    row("a product in fewer columns, and all of it",
        "op part (x: T[N, C], w: T[K, C]) -> (t: T[N, K], y: T[N, A]) where A = K - 2 {\n"
        "  t[n, k] = sum(c in C : x[n, c] * w[k, c])\n"
        "  y[n, a] = t[n, a] * 3 }\n",
        "graph g(x: f32[4, 9], w: f32[6, 9]) -> t, y { (t, y) = part(x, w) }");
    row("a product in more columns, and all of it",
        "op more (x: T[N, C], w: T[K, C]) -> (t: T[N, K], y: T[N, A]) where A = K + 9 {\n"
        "  t[n, k] = sum(c in C : x[n, c] * w[k, c])\n"
        "  y[n, a] = pad(t[n, a], 2) }\n",
        "graph g(x: f32[4, 9], w: f32[6, 9]) -> t, y { (t, y) = more(x, w) }");
    row("rows of a softmax in a longer one",
        "op longer (x: T[N, D]) -> y: T[N, A] where A = D + 5 {\n"
        "  let m[n] = max(d in D : x[n, d])\n"
        "  let e[n, d] = exp(x[n, d] - m[n])\n"
        "  let z[n] = sum(d in D : e[n, d])\n"
        "  y[n, a] = pad(e[n, a], 0) / z[n] }\n",
        "graph g(x: f32[3, 20]) -> y { y = longer(x) }");
    row("more rows than there are",
        "op rows (x: T[N, D]) -> y: T[M, D] where M = N + 2 {\n"
        "  let z[n] = sum(d in D : x[n, d])\n"
        "  y[m, d] = pad(z[m], 1) * pad(x[m, d], 2) }\n",
        "graph g(x: f32[3, 40]) -> y { y = rows(x) }");
    row("an operator of the model behind a product", "",
        "graph g(x: f32[8, 64]) -> y { w = const random(1) : f32[6, 64] d = dense(x, w)\n"
        "  y = pad(d) {pads = [0, 0, 0, 90]} }");
    row("the same of free sizes", "",
        "graph g(x: f32[N, C], w: f32[K, C]) -> y { d = dense(x, w) y = pad(d) {pads = [0, 0, 2, "
        "9]} }");
    row("a convolution with more around it, and a part of it", "",
        "graph g(x: f32[1, 3, 9, 9]) -> y, z { w = const random(1) : f32[4, 3, 3, 3] c = conv2d(x, "
        "w)\n"
        "  r = relu(c) y = pad(r) {pads = [0, 0, 0, 0, 0, 12, 3, 3]}\n"
        "  z = slice(r) {starts = [1, -1], ends = [3, -9], axes = [1, 3], steps = [1, -2]} }");
    row("indices that are read, a sum behind them",
        "op picked (x: T[N, C], w: T[K, C], i: i64[M]) requires K >= 1 -> y: T[N, M] {\n"
        "  let t[n, k] = sum(c in C : x[n, c] * w[k, c])\n"
        "  y[n, m] = t[n, wrap(i[m], K)] + pad(t[n, i[m]], 1) }\n",
        "graph g(x: f32[4, 9], w: f32[6, 9], i: i64[5]) -> y { y = picked(x, w, i) }");
    // v % 0 is 0, which no operand without elements has.
    row("the rest by a size that may be 0",
        "op pick (u: T[N], k: i64[P]) -> y: T[P] { y[p] = pad(u[k[p] % N], 7) }\n",
        "graph g(x: f32[N], k: i64[P]) -> y { r = relu(x) y = pick(r, k) }");
    row("the rest by a product of sizes, behind a row",
        "op pick (u: T[N, C], k: i64[P]) -> y: T[P] {\n"
        "  let z[n] = sum(c in C : u[n, c])\n"
        "  y[p] = pad(u[k[p] % (N * C) / C, k[p] % C], 7) + pad(z[k[p] % N], 5) }\n",
        "graph g(x: f32[N, C], k: i64[P]) -> y { y = pick(x, k) }");
    row("the rest by another operand's size",
        "op pick (u: T[N], k: i64[P], w: T[K]) -> y: T[P] { y[p] = pad(u[(k[p] + p) % K], 7) +\n"
        "  pad(w[(K - 1 - p) % K], 3) }\n",
        "graph g(x: f32[N], k: i64[P], w: f32[K]) -> y { y = pick(x, k, w) }");
}

void TestMemory::readBeyondTheRange() {
    QFETCH(QString, book);
    QFETCH(QString, graph);
    for (const char* cpu : {"x86-64-v2", "x86-64-v3"}) {
        const auto one = made(book.toStdString(), graph.toStdString(), cpu);
        std::vector<Sizes> all{{}};
        if (!one->graph->freeDims().empty())
            all = {{{"N", 3}, {"C", 5}, {"K", 4}, {"P", 7}},
                   {{"N", 1}, {"C", 1}, {"K", 1}, {"P", 1}},
                   {{"N", 0}, {"C", 3}, {"K", 2}, {"P", 2}},
                   {{"N", 2}, {"C", 0}, {"K", 3}, {"P", 0}},
                   {{"N", 2}, {"C", 4}, {"K", 0}, {"P", 3}},
                   {{"N", 9}, {"C", 17}, {"K", 33}, {"P", 5}}};
        for (Sizes sizes : all) {
            std::erase_if(sizes, [&](const auto& size) {
                const auto dims = one->graph->freeDims();
                return std::find(dims.begin(), dims.end(), Symbol(size.first)) == dims.end();
            });
            QCOMPARE(badAccess(*one, sizes), std::string());
            QCOMPARE(guarded(*one, sizes, cpu), std::string());
            QCOMPARE(difference(*one, sizes), std::string());
        }
    }
}

// Steps of both signs, starts and ends beyond both ends, empty results, sizes from 0 on.
void TestMemory::slicesOfFreeSizes() {
    const std::vector<std::vector<std::int64_t>> sizes = {
        {0, 0, 0}, {1, 1, 1}, {2, 3, 1}, {1, 0, 4}, {7, 2, 0}, {5, 8, 11}, {9, 6, 7}, {3, 1, 2}};
    int elements = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        const Slices slices(seed);
        const char* dims[] = {"A", "A, B", "A, B, C"};
        const std::string text =
            fmt::format("graph g(x: f32[{}]) -> y, z {{ y = slice(x) {} z = neg(y) }}",
                        dims[slices.rank - 1], slices.text());
        const auto one = made("", text);
        for (const auto& size : sizes) {
            const std::vector<std::int64_t> extents(
                size.begin(), size.begin() + static_cast<std::ptrdiff_t>(slices.rank));
            Sizes named;
            std::size_t count = 1;
            for (std::size_t d = 0; d < extents.size(); ++d) {
                named[std::string(1, static_cast<char>('A' + d))] = extents[d];
                count *= static_cast<std::size_t>(extents[d]);
            }
            std::vector<double> values(count);
            std::iota(values.begin(), values.end(), 1);
            const auto got = one->loaded->run({dataFromDoubles(DType::F32, extents, values)});
            QVERIFY2(got.ok(), got.ok() ? "" : (text + got.diag().text()).c_str());
            std::vector<std::int64_t> shape;
            const std::vector<std::size_t> taken = slices.taken(extents, shape);
            QCOMPARE(got->at(0).extents(), shape);
            for (std::size_t k = 0; k < taken.size(); ++k, ++elements) {
                QVERIFY2(got->at(0).at(k) == values[taken[k]], text.c_str());
                QVERIFY2(got->at(1).at(k) == -values[taken[k]], text.c_str());
            }
            const std::string bad = badAccess(*one, named);
            QVERIFY2(bad.empty(), (text + bad).c_str());
        }
    }
    QVERIFY2(elements > 1000, qPrintable(QString::number(elements)));
}

void TestMemory::operatorsThatReadOutside_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("place"); // empty: nothing is wrong with it
    const auto row = [](const char* op, const char* place) {
        QTest::newRow(op) << QString::fromLatin1(op) << QString::fromLatin1(place);
    };
    row("op pick(x: T[N]) -> y: T[N] { y[n] = x[n + 1] }", "my.fw:1:38: error TXT04");
    row("op pick(x: T[N]) requires N >= 3 -> y: T[M] where M = N - 1 { y[m] = x[m + 2] }",
        "my.fw:1:70: error TXT04");
    row("op pick(x: T[N]) requires N % 4 == 0 -> y: T[N] { y[n] = x[4 * (n / 4) + 4 * (n % 4)] }",
        "my.fw:1:58: error TXT04");
    row("op pick(x: T[N], attr k: int = 0) requires k >= 0 -> y: T[N] { y[n] = x[n + k] }",
        "error TXT04");
    row("op pick(x: T[N], i: i64[M]) -> y: T[M] { y[m] = x[i[m]] }", "my.fw:1:49: error TXT04");
    // An index that was brought into range has to have one: what `requires` says of the extent is
    // tried, and where it says nothing the read is guarded.
    row("op pick(x: T[N], i: i64[M]) requires N >= 0 -> y: T[M] { y[m] = x[wrap(i[m], N)] }",
        "my.fw:1:65: error TXT04");
    row("op pick(x: T[N], i: i64[M]) -> y: T[M] { y[m] = x[wrap(i[m], N)] }", "");
    row("op pick(x: T[N], i: i64[M]) -> y: T[M] { let t[m] = x[clamp(i[m], 0, N - 1)] y[m] = t[m] "
        "+ 1 "
        "}",
        "");
    row("op pick(x: T[N], i: i64[M]) requires N >= 1 -> y: T[M] { y[m] = x[wrap(i[m], N)] }", "");
    row("op pick(x: T[N], i: i64[N]) -> y: T[N] { y[n] = x[wrap(i[n], N)] }", "");
    row("op pick(x: T[N], i: i64[M]) -> y: T[M] { y[m] = pad(x[i[m]], 0) }", "");
    row("op pick(x: T[N], i: i64[M]) -> y: T[M] { y[m] = pad(x[wrap(i[m], N)], 7) }", "");
}

void TestMemory::operatorsThatReadOutside() {
    QFETCH(QString, op);
    QFETCH(QString, place);
    const Books books = readBooks({{"my.fw", op.toStdString()}});
    QStringList said;
    for (const Diag& diag : books.diagnostics)
        said += QString::fromStdString(diag.text());
    QVERIFY2(place.isEmpty() ? said.isEmpty() : said.join(u'\n').contains(place),
             qPrintable(said.join(u'\n')));
    // What is refused takes no part.
    QCOMPARE(books.operators->find("pick") == nullptr, !place.isEmpty());
    if (!place.isEmpty() || !op.contains(u"i64[M]"))
        return;
    const auto one =
        made(op.toStdString(), "graph g(x: f32[N], i: i64[M]) -> y { y = pick(x, i) }");
    for (const Sizes& sizes : {Sizes{{"N", 1}, {"M", 6}}, Sizes{{"N", 5}, {"M", 40}}}) {
        QCOMPARE(badAccess(*one, sizes), std::string());
        QCOMPARE(difference(*one, sizes), std::string());
    }
    // Of no element none is read: the call is refused, or the read is guarded.
    const auto inputs = one->loaded->randomInputs(1, {{"N", 0}, {"M", 3}});
    const bool refused = !inputs || !one->loaded->run(*inputs);
    QVERIFY(refused == op.contains(u"requires"));
    if (!refused)
        QCOMPARE(badAccess(*one, {{"N", 0}, {"M", 3}}), std::string());
}

void TestMemory::guardedSumsOfBooks_data() {
    QTest::addColumn<QString>("steps");
    for (const char* steps :
         {"anchor.split(k, k1, k0, 5, guard)", "anchor.split(k, k1, k0, 5, peel)",
          "anchor.split(k, k1, k0, 5, guard) anchor.unroll(k0)",
          "anchor.split(k, k1, k0, 8, guard) anchor.partial(k0) anchor.vectorize(k0)",
          "anchor.split(k, k1, k0, 5, guard) anchor.split(k0, k3, k2, 2, guard) anchor.reorder(k2, "
          "k1, k3)",
          "anchor.split(k, k1, k0, 5, peel) anchor.split(k0, k3, k2, 2, guard)",
          "anchor.split(k, k1, k0, 5, guard) epilogue.split(n, n1, n0, 8, guard) "
          "epilogue.vectorize(n0) "
          "anchor.at(epilogue, n1)",
          "anchor.split(k, k1, k0, 5, guard) epilogue.parallel(outermost)"})
        QTest::newRow(steps) << QString::fromLatin1(steps);
}

void TestMemory::guardedSumsOfBooks() {
    QFETCH(QString, steps);
    const std::string book = fmt::format("schedule s {{ {} }}\nimplementations dense(...) on any "
                                         "{{ mine by schedule s priority 90 }}\n",
                                         steps.toStdString());
    for (const char* tail : {"", " z = relu(y)"})
        for (const int rows : {37, 40, 4, 1}) {
            const auto one = made(
                book,
                fmt::format("graph d1(x: f32[7, {0}]) -> {2} {{ w = const random(1) : f32[53, {0}] "
                            "y = dense(x, w){1} }}",
                            rows, tail, std::string_view(tail).empty() ? "y" : "z"));
            std::string refused;
            for (const Candidate& candidate : one->plan.groups.at(0).candidates)
                if (candidate.implementation == "mine")
                    refused = candidate.evidence;
            QVERIFY2(one->plan.groups.at(0).implementation == "mine", refused.c_str());
            QCOMPARE(badAccess(*one, {}), std::string());
            QCOMPARE(difference(*one, {}), std::string());
        }
}

void TestMemory::refusedStepsHaveTheirPlace() {
    const char* const book =
        "schedule s {\n"
        "  epilogue.split(n, n1, n0, 8, peel)\n"
        "  anchor.split(k, k1, k0, 5, guard)\n"
        "    anchor.at(epilogue)\n"
        "}\n"
        "implementations dense(...) on any { mine by schedule s priority 90 }\n";
    const auto one = made(book, "graph g(x: f32[7, 37]) -> z { w = const random(1) : f32[53, 37] "
                                "y = dense(x, w) z = relu(y) }");
    for (const Candidate& candidate : one->plan.groups.at(0).candidates)
        if (candidate.implementation == "mine")
            QVERIFY2(candidate.evidence.starts_with("my.fw:4:5: "), candidate.evidence.c_str());
    QVERIFY(one->plan.groups.at(0).implementation != "mine");
}

// Loops that leave a tensor: an error of the operator, and of a schedule for it.
void TestMemory::badAccessesAreTold() {
    const std::string text = "\n"
                             "  op twice (x: T[N]) -> y: T[N] { y[n] = x[n] * 2 }\n"
                             "schedule s for twice { epilogue.split(n, a, b, 2, guard) }\n";
    Books books = readBooks({{"my.fw", text}});
    auto operators = std::make_shared<OperatorSet>(*books.operators);
    const auto real = books.operators;
    QVERIFY(operators->add(std::make_shared<Outside>(*real->find("twice"))).ok());
    books.operators = operators;
    const auto checked = [&](std::size_t item) {
        snapshot::CheckItem row;
        const CheckedItem& from = books.read.back().items[item];
        row.name = from.name;
        row.verdict = "ok";
        row.line = books.read.back().written[item]->span.line;
        row.column = books.read.back().written[item]->span.column;
        Verdicts(books, "my.fw", Verdicts::Order::Leave, {})
            .judge(books.read.back().written[item], row);
        return row;
    };
    const snapshot::CheckItem op = checked(0), schedule = checked(1);
    for (const auto& row : {op, schedule}) {
        QCOMPARE(row.verdict, std::string("refused"));
        QCOMPARE(row.diagnostics.size(), std::size_t(1));
        QCOMPARE(row.diagnostics[0].code, DiagCode::LoopInvalid);
    }
    QVERIFY2(
        op.diagnostics[0].text().starts_with("my.fw:2:3: error LOP01: the loops of twice(f32["),
        op.diagnostics[0].text().c_str());
    QVERIFY2(op.diagnostics[0].message.find("is outside its") != std::string::npos,
             op.diagnostics[0].message.c_str());
    QVERIFY2(schedule.diagnostics[0].text().starts_with("my.fw:3:1: error LOP01"),
             schedule.diagnostics[0].text().c_str());
    // Of a step, if the loops of those before it are sound.
    Schedule steps = parseSchedule("y.unroll(a)\ny.unroll(b)\ny.unroll(c)\n").value();
    QCOMPARE(firstStep(steps, [](const Schedule& part) { return part.steps.size() > 1; }),
             std::optional<std::size_t>(1));
    QVERIFY(!firstStep(steps, [](const Schedule&) { return false; }));
}

// What is sound is run: operators, schedules for them and for kinds.
void TestMemory::soundOnesAreRun() {
    const std::string text =
        "op mean2 (x: T[N, C]) requires T == f32 -> y: T[N] { y[n] = sum(c in C : x[n, c]) / 2 }\n"
        "schedule tile for dense { epilogue.split(n, n1, n0, lanes, guard) epilogue.vectorize(n0) "
        "anchor.split(k, k1, k0, 3, guard) anchor.at(epilogue, n1) }\n"
        "schedule maps for kind elementwise { epilogue.fuse(space, all) epilogue.split(all, a, b, "
        "lanes, peel) epilogue.vectorize(b) }\n";
    const Books books = readBooks({{"my.fw", text}});
    for (const Diag& diag : books.diagnostics)
        QVERIFY2(diag.severity != Severity::Error, diag.text().c_str());
    const ReadBook& book = books.read.back();
    const auto op = declarationAs<OpTree>(book.written[0]);
    const LoopTrial trial = tryLoopsOf(*op, "my.fw", books.operators);
    QVERIFY(!trial.wrong && trial.nests > 20);
    for (const std::size_t item : {1, 2}) {
        const auto tree = declarationAs<ScheduleTree>(book.written[item]);
        const LoopTrial run =
            tryLoopsOf({tree, "my.fw"}, {{*tree->subjectKind, tree->subject}}, books.operators);
        QVERIFY2(!run.wrong, run.wrong ? run.wrong->text().c_str() : "");
        QVERIFY(run.nests > 5);
    }
}

FW_TEST(TestMemory, QCoreApplication)
#include "test_memory.moc"
