// Operators whose stages are computed inside each other's loops, from the text of a book to the
// module.
#include "common/test.h"
#include "loop/print.h"
#include "planned.h"

using namespace fw;
using namespace fw::test;
using namespace Qt::StringLiterals;

class TestMelted : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stagesMelt_data();
    void stagesMelt();
    void operatorsOfABookMelt_data();
    void operatorsOfABookMelt();
    void blocksOfARow();
};

void TestMelted::stagesMelt_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QStringList>("held"); // buffers of the loops
    QTest::newRow("a window of a convolution")
        << u"melt(x: T[N, C, H, W], w: T[O, C, KH, KW], b: T[O]) -> y: T[N, O, PH, PW]\n"
           "  where OH = H - KH + 1, OW = W - KW + 1, PH = OH / 2, PW = OW / 2 {\n"
           "  let c[n, o, oh, ow] = sum(c in C, kh in KH, kw in KW : x[n, c, oh + kh, ow + kw] * "
           "w[o, c, kh, kw])\n"
           "  let r[n, o, oh, ow] = max(c[n, o, oh, ow] + b[o], 0)\n"
           "  y[n, o, ph, pw] = max(i in 2, j in 2 : r[n, o, ph * 2 + i, pw * 2 + j]) }"_s
        << u"t1.inline()\n"
           "out0.reorder(n_2, ph, pw, o_2)  out0.split(o_2, o1, ol, 8, guard)  out0.reorder(n_2, "
           "o1, ph, pw, ol)\n"
           "out0.fuse(n_2, o1, no)  out0.fuse(no, ph, row)  out0.parallel(row, 1)  "
           "out0.vectorize(ol)\n"
           "t0.reorder(n, oh, ow, o)  t0.split(o, u1, ul, 8, guard)  t0.split(ow, w1, w0, 6, "
           "peel)\n"
           "t0.reorder(n, oh, u1, w1, w0, ul)  t0.unroll(w0)  t0.vectorize(ul)  t0.reorder(kh, kw, "
           "c)\n"
           "t0.at(out0, row)  in1.layout(d0/8 d2 d3 d1 d0%8)"_s
        << u"(x: f32[2, 3, 13, 17]) -> y { w = const random(1) : f32[20, 3, 3, 3]  b = const "
           u"random(2) : f32[20]\n"
           "  y = melt(x, w, b) }"_s
        << QStringList{u"stack t0: f32[224]"_s};
    const QString expand =
        u"melt(x: T[N, C, H, W], v: T[O, C], k: T[O, KH, KW]) -> y: T[N, O, H, W] {\n"
        "  let t[n, o, h, w] = sum(c in C : x[n, c, h, w] * v[o, c])\n"
        "  let r[n, o, h, w] = max(t[n, o, h, w], 0)\n"
        "  y[n, o, h, w] = sum(i in KH, j in KW : pad(r[n, o, h + i - 1, w + j - 1], 0) * k[o, i, j]) }"_s;
    const QString wide =
        u"(x: f32[1, 5, 11, 9]) -> y { v = const random(1) : f32[20, 5]  k = const random(2) : "
        "f32[20, 3, 3]  y = melt(x, v, k) }"_s;
    const QString root =
        u"out0.split(o_2, o1, ol, 8, guard)  out0.reorder(n_2, o1, h_2, w_2, ol)\n"
        "out0.vectorize(ol)  t0.reorder(n, h, w, o)  t0.split(o, u1, ul, 8, guard)  t0.vectorize(ul)\n"_s;
    // Rows of 9 pixels and 8 channels; 3 of them, in a ring of 4.
    QTest::newRow("a ring of rows") << expand << u"t1.inline()\n"_s + root + u"t0.at(out0, h_2)"_s
                                    << wide << QStringList{u"stack t0: f32[288]"_s};
    QTest::newRow("rows computed again")
        << expand << u"t1.inline()\n"_s + root + u"t0.at(out0, h_2, recompute)"_s << wide
        << QStringList{u"stack t0: f32[216]"_s};
    QTest::newRow("two stages, a ring each")
        << expand
        << root + u"t1.reorder(n_1, h_1, w_1, o_1)  t1.split(o_1, r1, rl, 8, guard)  "
                  u"t1.vectorize(rl)  "
                  "t0.at(out0, h_2)  t1.at(out0, h_2)"_s
        << wide << QStringList{u"stack t0: f32[288]"_s, u"stack t1: f32[288]"_s};
    // It has no loops of its own: the sums go from registers into its ring.
    QTest::newRow("a map where the sums are stored")
        << expand << root + u"t0.at(out0, h_2)  t1.at(out0, h_2)"_s << wide
        << QStringList{u"stack t1: f32[288]"_s, u"-stack t0"_s};
    QTest::newRow("a second product")
        << u"melt(x: T[P, K], a: T[M, K], b: T[N, M]) -> y: T[P, N] {\n"
           "  let h[p, m] = sum(k in K : x[p, k] * a[m, k])\n"
           "  let r[p, m] = max(h[p, m], 0)\n"
           "  y[p, n] = sum(m in M : r[p, m] * b[n, m]) }"_s
        << u"t1.inline()  out0.split(p_2, p1, p0, 4, guard)  out0.parallel(p1, 1)\n"
           "t0.split(m, m1, ml, 8, guard)  t0.vectorize(ml)  t0.at(out0, p1)"_s
        << u"(x: f32[B, 7]) -> y { a = const random(1) : f32[19, 7]  b = const random(2) : f32[11, "
           u"19]\n"
           "  y = melt(x, a, b) }"_s
        << QStringList{u"stack t0: f32[76]"_s};
    QTest::newRow("a row and what is known of it")
        << u"melt(x: T[P, K], a: T[M, K]) -> y: T[P, M] {\n"
           "  let h[p, m] = sum(k in K : x[p, k] * a[m, k])\n"
           "  let u[p] = sum(m in M : h[p, m])\n"
           "  let s[p] = sum(m in M : sqr(h[p, m] - u[p] / M))\n"
           "  y[p, m] = (h[p, m] - u[p] / M) * rsqrt(s[p] / M + 0.001) }"_s
        << u"out0.parallel(p_3, 1)  t0.split(m, m1, ml, 8, guard)  t0.vectorize(ml)\n"
           "t0.at(out0, p_3)  t1.at(out0, p_3)  t2.at(out0, p_3)"_s
        << u"(x: f32[B, 7]) -> y { a = const random(1) : f32[19, 7]  y = melt(x, a) }"_s
        << QStringList{u"stack t0: f32[19]"_s};
}

// What one iteration needs of a stage lies on the stack, and a module computes what the operator
// says.
void TestMelted::stagesMelt() {
    QFETCH(QString, op);
    QFETCH(QString, steps);
    QFETCH(QString, graph);
    QFETCH(QStringList, held);
    const std::string book =
        fmt::format("op {}\nschedule s {{ {} }}\n"
                    "implementations melt(...) on any {{ melted by schedule s priority 50 }}\n",
                    op.toStdString(), steps.toStdString());
    for (const int threads : {1, 2})
        for (const char* cpu : {"x86-64-v3", "x86-64-v4"}) {
            const auto made = planned(book, "graph g" + graph.toStdString(), cpu, threads);
            const Group& group = made->group();
            QVERIFY2(group.implementation == "melted", made->refusal("melted").c_str());
            const std::string loops = text(group.lowering.kernel->choice.lowered.nest);
            for (const QString& buffer : held) { // behind a minus: it is not there
                const bool isAbsent = buffer.startsWith(u'-');
                const std::string name = "alloc " + buffer.mid(isAbsent ? 1 : 0).toStdString();
                QVERIFY2((loops.find(name) == std::string::npos) == isAbsent, loops.c_str());
            }
            if (!made->target.isHost) // this CPU cannot run it
                continue;
            const std::string wrong =
                graph.contains(u'B') ? difference(*made, {{"B", 5}}) : difference(*made);
            QVERIFY2(wrong.empty(), wrong.c_str());
        }
}

void TestMelted::operatorsOfABookMelt_data() {
    QTest::addColumn<QString>("match");
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QString>("refused"); // empty: it is melted
    const QString spots = u"fold(x, w) >> best(^)"_s, pair = u"each(x, v) >> fold(^, w)"_s;
    const QString weights = u"w = const random(1) : f32[24, 5, 3, 3]  "_s;
    QTest::newRow("a window of a sum") << spots
                                       << u"(x: f32[2, 5, 19, 23]) -> y { "_s + weights +
                                              u"a = fold(x, w) @node(\"S\")  y = best(a) }"_s
                                       << QString();
    QTest::newRow("a sum over channels of sums of each")
        << pair
        << u"(x: f32[1, 5, 14, 20]) -> y { v = const random(2) : f32[5, 3, 3]  "_s + weights +
               u"b = each(x, v)  y = fold(b, w) @node(\"S\") }"_s
        << QString();
    const QString rows = u"near(x, k, z) >> share(^) >> mix(^, v)"_s;
    const QString columns = u"k: f32[3, 12, %1], z: f32[19, %1], v: f32[3, %1, 24]) -> y { a = "
                            u"near(x, k, z)  b = share(a)  "
                            "y = mix(b, v) @node(\"S\") }"_s;
    QTest::newRow("shares of products, and what they mix")
        << rows << u"(x: f32[3, 19, 12], "_s + columns.arg(41) << QString();
    QTest::newRow("of a prime number of rows")
        << rows
        << u"(x: f32[1, 47, 12], k: f32[1, 12, 41], z: f32[47, 41], v: f32[1, 41, 24]) -> y { a = near(x, k, z)  b = share(a)  y = mix(b, v) @node(\"S\") }"_s
        << QString();
    QTest::newRow("of other lengths")
        << rows << u"(x: f32[3, 19, 12], "_s + columns.arg(80) << QString();
    // Loops around need no size, nor do the rows that a tile is cut from.
    QTest::newRow("a free batch") << spots
                                  << u"(x: f32[B, 5, 19, 23]) -> y { "_s + weights +
                                         u"a = fold(x, w) @node(\"S\")  y = best(a) }"_s
                                  << QString();
    QTest::newRow("a free height") << spots
                                   << u"(x: f32[2, 5, B, 23]) -> y { "_s + weights +
                                          u"a = fold(x, w) @node(\"S\")  y = best(a) }"_s
                                   << QString();
    QTest::newRow("a free number of heads")
        << rows
        << u"(x: f32[B, 19, 12], k: f32[B, 12, 41], z: f32[19, 41], v: f32[B, 41, 24]) -> y { a = near(x, k, z)  b = share(a)  y = mix(b, v) @node(\"S\") }"_s
        << QString();
    QTest::newRow("free queries")
        << rows
        << u"(x: f32[3, B, 12], k: f32[3, 12, 41], z: f32[B, 41], v: f32[3, 41, 24]) -> y { a = near(x, k, z)  b = share(a)  y = mix(b, v) @node(\"S\") }"_s
        << QString();
    QTest::newRow("free queries and their shares")
        << u"near(x, k, z) >> share(^)"_s
        << u"(x: f32[3, B, 12], k: f32[3, 12, 41], z: f32[B, 41]) -> y { a = near(x, k, z) @node(\"S\")  y = share(a) }"_s
        << QString();
    QTest::newRow("free keys")
        << rows
        << u"(x: f32[3, 19, 12], k: f32[3, 12, B], z: f32[19, B], v: f32[3, B, 24]) -> y { a = near(x, k, z)  b = share(a)  y = mix(b, v) @node(\"S\") }"_s
        << u"whose size B is free"_s;
}

// By the accesses of their stages: nobody knows these operators. A pin wants what is small melted,
// too.
void TestMelted::operatorsOfABookMelt() {
    QFETCH(QString, match);
    QFETCH(QString, graph);
    QFETCH(QString, refused);
    const std::string book = fmt::format(
        "op fold(x: T[N, C, H, W], w: T[O, C, KH, KW]) -> y: T[N, O, OH, OW]\n"
        "  where OH = H - KH + 1, OW = W - KW + 1 {{\n"
        "  y[n, o, h, w] = sum(c in C, i in KH, j in KW : x[n, c, h + i, w + j] * w[o, c, i, j]) "
        "}}\n"
        "op each(x: T[N, C, H, W], v: T[C, KH, KW]) -> y: T[N, C, OH, OW]\n"
        "  where OH = H - KH + 1, OW = W - KW + 1 {{\n"
        "  y[n, c, h, w] = sum(i in KH, j in KW : x[n, c, h + i, w + j] * v[c, i, j]) }}\n"
        "op best(x: T[N, C, H, W]) -> y: T[N, C, OH, OW] where OH = (H - 3) / 2 + 1, OW = (W - 3) "
        "/ 2 + 1 {{\n"
        "  y[n, c, h, w] = max(i in 3, j in 3 : x[n, c, h * 2 + i, w * 2 + j]) }}\n"
        "op near(x: T[B, M, K], k: T[B, K, N], z: T[M, N]) -> y: T[B, M, N] {{\n"
        "  y[b, m, n] = sum(i in K : x[b, m, i] * k[b, i, n]) / 3 + z[m, n] }}\n"
        "op share(x: T[B, M, N]) -> y: T[B, M, N] {{\n"
        "  let h[b, m] = max(n in N : x[b, m, n])\n"
        "  let e[b, m, n] = exp(x[b, m, n] - h[b, m])\n"
        "  let t[b, m] = sum(n in N : e[b, m, n])\n"
        "  y[b, m, n] = e[b, m, n] / t[b, m] }}\n"
        "op mix(p: T[B, M, N], v: T[B, N, C]) -> y: T[B, M, C] {{\n"
        "  y[b, m, c] = sum(n in N : p[b, m, n] * v[b, n, c]) }}\n"
        "fuse inside {{ match {}  as melted }}\npin {{ use generated.melted for \"S\" }}\n",
        match.toStdString());
    for (const int threads : {1, 2})
        for (const char* cpu : {"x86-64-v3", "x86-64-v4"}) {
            const auto made = planned(book, "graph g" + graph.toStdString(), cpu, threads);
            const std::string why = made->refusal("generated.melted");
            if (!refused.isEmpty())
                QVERIFY2(why.find(refused.toStdString()) != std::string::npos, why.c_str());
            else
                QVERIFY2(made->group().implementation == "generated.melted", why.c_str());
            if (!made->target.isHost) // this CPU cannot run it
                continue;
            for (const std::int64_t size : {7, 19, 40}) {
                const bool isFree = made->graph->freeDims().size() == 1;
                const std::string wrong =
                    isFree ? difference(*made, {{"B", size}}) : difference(*made);
                QVERIFY2(wrong.empty(), wrong.c_str());
                if (!isFree)
                    break;
            }
        }
}

// A softmax of scores between two products, and the same with a maximum and a sum for each block of
// keys, which the blocks' results are scaled by in the end: no row of scores is there as a whole.
void TestMelted::blocksOfARow() {
    const std::string book =
        "op whole(q: T[B, M, K], k: T[B, K, N], v: T[B, N, C]) -> y: T[B, M, C] {\n"
        "  let s[b, m, n] = sum(i in K : q[b, m, i] * k[b, i, n])\n"
        "  let h[b, m] = max(n in N : s[b, m, n])\n"
        "  let e[b, m, n] = exp(s[b, m, n] - h[b, m])\n"
        "  let u[b, m] = sum(n in N : e[b, m, n])\n"
        "  y[b, m, c] = sum(n in N : e[b, m, n] * v[b, n, c]) / u[b, m] }\n"
        "op blocks(q: T[B, M, K], k: T[B, K, N], v: T[B, N, C], attr block: int)\n"
        "  requires block >= 1, N % block == 0 -> y: T[B, M, C] where J = N / block, W = block {\n"
        "  let s[b, m, j, w] = sum(i in K : q[b, m, i] * k[b, i, j * block + w])\n"
        "  let h[b, m, j] = max(w in W : s[b, m, j, w])\n"
        "  let e[b, m, j, w] = exp(s[b, m, j, w] - h[b, m, j])\n"
        "  let u[b, m, j] = sum(w in W : e[b, m, j, w])\n"
        "  let o[b, m, j, c] = sum(w in W : e[b, m, j, w] * v[b, j * block + w, c])\n"
        "  let g[b, m] = max(j in J : h[b, m, j])\n"
        "  let f[b, m, j] = exp(h[b, m, j] - g[b, m])\n"
        "  let a[b, m] = sum(j in J : u[b, m, j] * f[b, m, j])\n"
        "  y[b, m, c] = sum(j in J : o[b, m, j, c] * f[b, m, j]) / a[b, m] }\n";
    const auto made =
        planned(book, "graph g(q: f32[2, 7, 5], k: f32[2, 5, 24], v: f32[2, 24, 6]) -> d {\n"
                      "  y = whole(q, k, v)  z = blocks(q, k, v) {block = 8}  d = sub(y, z) }");
    std::vector<std::vector<TensorData>> all;
    const auto module = std::make_shared<CompiledModule>(
        compileModule(*made->graph, made->plan, made->target).value());
    const auto loaded = loadModule(module, made->target).take();
    const auto inputs = loaded->randomInputs(3, {}).value();
    all.push_back(evaluateGraph(*made->graph, inputs).value());
    if (made->target.isHost) // this CPU can run it
        all.push_back(loaded->run(inputs).value());
    for (const auto& outputs : all)
        for (std::size_t k = 0; k < outputs[0].count(); ++k)
            QVERIFY2(std::abs(outputs[0].at(k)) < 1e-4, std::to_string(outputs[0].at(k)).c_str());
}

FW_TEST(TestMelted, QCoreApplication)
#include "test_melted.moc"
