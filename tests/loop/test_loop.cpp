// Loop nests print, run, verify and keep their meaning through the passes.
#include "common/test.h"
#include "loop/interpret.h"
#include "loop/parse.h"
#include "loop/passes.h"
#include "loop/print.h"
#include "loop/verify_loops.h"

using namespace fw;

namespace {

Expr v(const char* name) {
    return varExpr(name);
}

Buffer parameter(const char* name, Expr size, BufferAccess access) {
    return {name, DType::F32, std::move(size), BufferScope::Parameter, access};
}

Expr load(const char* name, Expr at) {
    return loadExpr(name, {std::move(at)}, DType::F32);
}

// y[i] = sum over k of x[i + k - pad] where it exists
LoopNest windowSum(std::int64_t n, std::int64_t window, std::int64_t pad, LoopKind inner) {
    LoopNest nest;
    nest.name = "window";
    nest.parameters = {parameter("x", Expr(n), BufferAccess::Read),
                       parameter("y", Expr(n), BufferAccess::Write)};
    const Expr at = v("i") + v("k") - Expr(pad);
    const Stmt add = storeStmt("acc", Expr(0), load("acc", Expr(0)) + load("x", at));
    const Stmt guarded = ifStmt(andExpr(leExpr(Expr(0), at), ltExpr(at, Expr(n))), add);
    const Stmt body = blockStmt({storeStmt("acc", Expr(0), floatExpr(0)),
                                 forStmt("k", Expr(0), Expr(window), inner, guarded),
                                 storeStmt("y", v("i"), load("acc", Expr(0)))});
    const Buffer acc{"acc", DType::F32, Expr(1), BufferScope::Register, BufferAccess::ReadWrite};
    nest.body = forStmt("i", Expr(0), Expr(n), LoopKind::Serial, allocStmt(acc, body), {3});
    return nest;
}

// The same in tiles of four, and what they leave, for a free size.
LoopNest tiledWindowSum() {
    const Expr n = v("N"), tiles = floorDivExpr(n, Expr(4));
    LoopNest nest;
    nest.name = "tiled";
    nest.parameters = {parameter("x", n, BufferAccess::Read),
                       parameter("y", n, BufferAccess::Write)};
    nest.symbols = {"N"};
    const auto over = [&](const Expr& place, const Expr& acc) {
        const Expr at = place + v("k") - Expr(1);
        const Stmt add = storeStmt("acc", acc, load("acc", acc) + load("x", at));
        return forStmt("k", Expr(0), Expr(3), LoopKind::Unroll,
                       ifStmt(andExpr(leExpr(Expr(0), at), ltExpr(at, n)), add));
    };
    const auto with = [](std::int64_t places, Stmt body) {
        const Buffer acc{"acc", DType::F32, Expr(places), BufferScope::Register,
                         BufferAccess::ReadWrite};
        return allocStmt(acc, std::move(body));
    };
    const auto four = [](Stmt body) {
        return forStmt("t", Expr(0), Expr(4), LoopKind::Unroll, std::move(body));
    };
    const Expr place = v("i") * Expr(4) + v("t"), last = tiles * Expr(4) + v("i");
    const Stmt tile =
        with(4, blockStmt({four(storeStmt("acc", v("t"), floatExpr(0))), four(over(place, v("t"))),
                           four(storeStmt("y", place, load("acc", v("t"))))}));
    const Stmt one =
        with(1, blockStmt({storeStmt("acc", Expr(0), floatExpr(0)), over(last, Expr(0)),
                           storeStmt("y", last, load("acc", Expr(0)))}));
    nest.body = blockStmt({forStmt("i", Expr(0), tiles, LoopKind::Serial, tile),
                           forStmt("i", Expr(0), n - tiles * Expr(4), LoopKind::Serial, one)});
    return nest;
}

std::vector<double> run(const LoopNest& nest, std::int64_t n) {
    std::vector<LoopValues> buffers{loopValues(DType::F32, static_cast<std::size_t>(n)),
                                    loopValues(DType::F32, static_cast<std::size_t>(n))};
    for (std::size_t i = 0; i < buffers[0].real.size(); ++i)
        buffers[0].real[i] = static_cast<double>(i * i % 7) + 1;
    const Status status =
        interpret(nest, buffers, nest.symbols.empty() ? Bindings{} : Bindings{{"N", n}});
    if (!status.ok())
        qWarning("%s", status.diag().text().c_str());
    return buffers[1].real;
}

// With and without the search for what is undecided.
bool complains(const LoopNest& nest, const char* about) {
    const auto found = [&](LoopFindings findings) {
        for (const Diag& diag : verifyLoops(nest, findings).errors)
            if (diag.code == DiagCode::LoopInvalid && diag.message.find(about) != std::string::npos)
                return true;
        return false;
    };
    return found(LoopFindings::Tell) && found(LoopFindings::Skip);
}

LoopNest around(Stmt body) {
    LoopNest nest;
    nest.name = "t";
    nest.parameters = {parameter("x", v("N"), BufferAccess::Read),
                       parameter("y", v("N"), BufferAccess::Write)};
    nest.symbols = {"N"};
    nest.body = std::move(body);
    return nest;
}

} // namespace

class TestLoop : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void prints();
    void readsBack();
    void readingRefuses();
    void passesKeepTheMeaning();
    void clampRemovesTheCondition();
    void partitionFreesTheInterior();
    void partitionFreesTheInteriorOfFreeSizes();
    void interpreterRefusesBadAccesses();
    void interpreterSeesRaces();
    void verifierNamesWhatIsWrong();
    void verifierReportsTheUnproved();
};

void TestLoop::prints() {
    const LoopText printed = printLoops(windowSum(5, 3, 1, LoopKind::Serial));
    QCOMPARE(printed.text, std::string("kernel window(x: read f32[5], y: write f32[5]) {\n"
                                       "    for i in 5 @3 {\n"
                                       "        alloc register acc: f32[1]\n"
                                       "        acc[0] = 0.0\n"
                                       "        for k in 3 {\n"
                                       "            if 0 <= i + k - 1 && i + k - 1 < 5 {\n"
                                       "                acc[0] = acc[0] + x[i + k - 1]\n"
                                       "            }\n"
                                       "        }\n"
                                       "        y[i] = acc[0]\n"
                                       "    }\n"
                                       "}\n"));
    QCOMPARE(printed.nodes.size(), std::size_t(12));
    QCOMPARE(printed.nodes[0], std::vector<std::int64_t>{});
    QCOMPARE(printed.nodes[6], std::vector<std::int64_t>{3}); // of the loop around it
}

void TestLoop::readsBack() {
    for (const LoopKind inner : {LoopKind::Serial, LoopKind::Unroll})
        for (const LoopNest& nest :
             {windowSum(9, 3, 1, inner), optimizeLoops(windowSum(9, 3, 1, inner))}) {
            const auto again = parseLoops(text(nest));
            QVERIFY2(again.ok(), again.ok() ? "" : again.diag().text().c_str());
            QVERIFY2(*again == nest, text(*again).c_str());
        }
    const Buffer local{"s", DType::I32, Expr(4), BufferScope::Stack, BufferAccess::ReadWrite};
    const Stmt body = blockStmt(
        {ifElseStmt(ltExpr(v("i"), Expr(2)), storeStmt("s", v("i"), intExpr(3, DType::I32)),
                    storeStmt("s", v("i"), intExpr(-1, DType::I32))),
         storeStmt("y", v("i"), castExpr(loadExpr("s", {v("i")}, DType::I32), DType::F32))});
    const Stmt twice =
        blockStmt({allocStmt(local, storeStmt("s", Expr(0), intExpr(1, DType::I32))),
                   allocStmt(local, storeStmt("s", Expr(1), intExpr(2, DType::I32)))},
                  {5});
    const LoopNest nest =
        around(blockStmt({parallelStmt("i", v("N"), 7, allocStmt(local, body), {1, 2}),
                          blockStmt({storeStmt("y", Expr(0), floatExpr(-0.5))}, {4}), twice}));
    const auto again = parseLoops(text(nest));
    QVERIFY2(again.ok(), again.ok() ? "" : again.diag().text().c_str());
    QVERIFY2(*again == nest, text(*again).c_str());
}

void TestLoop::readingRefuses() {
    const std::pair<const char*, int> wrong[] = {
        {"for i in 3 {", 1},
        {"kernel t(y: write f32[4]) {\ny[0] := 1.0\n}", 2},
        {"kernel t(y: write f32[4]) {\nfor i in 3 {\ny[i] = 0.0\n}", 5},
        {"kernel t(y: write f32[4]) {\nalloc heap a: f32[4]\n}", 2},
        {"kernel t(y: f32[4]) {\n}", 1},
        {"kernel t(y: write f32[4]) {\ny[0] = z[0]\n}", 2},
        {"kernel t(y: write f32[4]) {\n}\ny[0] = 0.0", 3},
    };
    for (const auto& [text, line] : wrong) {
        const auto refused = parseLoops(text);
        QVERIFY2(!refused.ok(), text);
        QCOMPARE(refused.diag().where.line, line);
    }
}

void TestLoop::passesKeepTheMeaning() {
    for (const LoopKind inner : {LoopKind::Serial, LoopKind::Unroll})
        for (std::int64_t n = 1; n < 9; ++n)
            for (std::int64_t window = 1; window < 6; ++window)
                for (std::int64_t pad = 0; pad < 4; ++pad) {
                    const LoopNest nest = windowSum(n, window, pad, inner);
                    const LoopNest better = optimizeLoops(nest);
                    const LoopReport report = verifyLoops(better);
                    QVERIFY2(report.ok() && report.findings.empty(), text(better).c_str());
                    QCOMPARE(run(better, n), run(nest, n));
                    QCOMPARE(run(partitionLoops(nest), n), run(nest, n));
                    QCOMPARE(run(clampLoops(nest), n), run(nest, n));
                }
}

void TestLoop::clampRemovesTheCondition() {
    const std::string out = text(simplifyLoops(clampLoops(windowSum(56, 3, 1, LoopKind::Serial))));
    QVERIFY2(out.find("if") == std::string::npos, out.c_str());
    QVERIFY2(out.find("from max(0, -i + 1)") != std::string::npos ||
                 out.find("from max(") != std::string::npos,
             out.c_str());
}

void TestLoop::partitionFreesTheInterior() {
    const LoopNest nest = optimizeLoops(windowSum(56, 3, 1, LoopKind::Unroll));
    const std::string out = text(nest);
    QVERIFY2(out.find("for i in 54 from 1") != std::string::npos, out.c_str());
    // Conditions stay at both edges only, where unrolling decides them.
    QCOMPARE(std::ranges::count(out, '&'), 0);
}

void TestLoop::partitionFreesTheInteriorOfFreeSizes() {
    const LoopNest plain = tiledWindowSum(), nest = optimizeLoops(plain);
    for (std::int64_t n = 1; n < 30; ++n)
        QCOMPARE(run(nest, n), run(plain, n));
    // The first tile may be the last one, too; those between have no border.
    const QStringList loops = QString::fromStdString(text(nest)).split(QStringLiteral("for i in"));
    QCOMPARE(loops.size(), 5);
    const char* const conditions[] = {"", "0 <=", "", "if", "0 <="}; // the last: of what is left
    for (int i = 1; i < 5; ++i) {
        const QString condition = QString::fromLatin1(conditions[i]);
        QVERIFY2(condition.isEmpty() ? !loops[i].contains(QStringLiteral("if"))
                                     : loops[i].contains(condition),
                 qPrintable(loops.join(QStringLiteral("for i in"))));
    }
}

void TestLoop::interpreterRefusesBadAccesses() {
    std::vector<LoopValues> buffers{loopValues(DType::F32, 4), loopValues(DType::F32, 4)};
    const LoopNest nest = around(storeStmt("y", v("N"), load("x", Expr(0))));
    const Status status = interpret(nest, buffers, {{"N", 4}});
    QVERIFY(!status.ok());
    QCOMPARE(status.diag().code, DiagCode::LoopInvalid);
    QVERIFY(status.diag().message.find("y[4] is outside its 4 elements") != std::string::npos);
}

void TestLoop::interpreterSeesRaces() {
    std::vector<LoopValues> buffers{loopValues(DType::F32, 4), loopValues(DType::F32, 4)};
    const Stmt same = storeStmt("y", floorDivExpr(v("i"), Expr(2)), load("x", v("i")));
    QVERIFY(!interpret(around(parallelStmt("i", v("N"), 1, same)), buffers, {{"N", 4}}).ok());
    const Stmt apart = storeStmt("y", v("i"), load("x", v("i")));
    QVERIFY(interpret(around(parallelStmt("i", v("N"), 1, apart)), buffers, {{"N", 4}}).ok());
}

void TestLoop::verifierNamesWhatIsWrong() {
    QVERIFY(complains(around(storeStmt("y", v("i"), floatExpr(0))), "i is not in scope"));
    QVERIFY(complains(around(storeStmt("z", Expr(0), floatExpr(0))), "no buffer z"));
    QVERIFY(complains(around(storeStmt("y", Expr(-1), floatExpr(0))), "below 0"));
    QVERIFY(complains(around(storeStmt("y", v("N"), floatExpr(0))), "beyond N"));
    QVERIFY(complains(around(storeStmt("x", Expr(0), floatExpr(0))), "may only be read"));
    QVERIFY(complains(around(storeStmt("y", Expr(0), intExpr(1))), "holds f32, not i64"));
    QVERIFY(complains(around(parallelStmt("i", v("N"), 1, storeStmt("y", Expr(0), floatExpr(0)))),
                      "written by every iteration"));
    const Stmt store = storeStmt("y", v("i"), floatExpr(0));
    QVERIFY(complains(around(forStmt("i", Expr(0), v("N"), LoopKind::Vector, store)),
                      "no constant extent"));
    QVERIFY(complains(around(forStmt("j", Expr(0), v("N"), LoopKind::Serial,
                                     parallelStmt("i", v("N"), 1, store))),
                      "below another"));
    const Buffer acc{"acc", DType::F32, Expr(8), BufferScope::Register, BufferAccess::ReadWrite};
    const Stmt chosen =
        forStmt("i", Expr(0), Expr(8), LoopKind::Serial, storeStmt("acc", v("i"), floatExpr(0)));
    QVERIFY(complains(around(allocStmt(acc, chosen)), "chosen by i"));
    // One lane is left, but code for lanes does not ask which.
    const Expr own = loadExpr("x", {v("i")}, DType::F32);
    const auto lanes = [&](const Expr& index, const Expr& stored) {
        return around(forStmt("i", Expr(0), Expr(8), LoopKind::Vector,
                              ifStmt(ltExpr(v("i"), Expr(1)), storeStmt("y", index, stored))));
    };
    QVERIFY(complains(lanes(Expr(0), own), "the lanes of i write different values to one element"));
    QVERIFY(!complains(lanes(v("i"), own), "lanes"));
    QVERIFY(!complains(lanes(Expr(0), floatExpr(1)), "lanes"));
    QVERIFY(complains(around(forStmt("i", Expr(0), Expr(8), LoopKind::Vector,
                                     forStmt("j", Expr(0), v("i"), LoopKind::Unroll,
                                             storeStmt("y", v("i"), floatExpr(0))))),
                      "the bounds of the loop over j differ between the lanes of i"));
}

void TestLoop::verifierReportsTheUnproved() {
    const Stmt store = storeStmt("y", v("i") + Expr(1), floatExpr(0));
    const LoopReport open =
        verifyLoops(around(forStmt("i", Expr(0), v("N"), LoopKind::Serial, store)));
    QVERIFY(open.ok());
    QCOMPARE(open.findings.size(), std::size_t(1));
    QVERIFY(verifyLoops(around(forStmt("i", Expr(0), v("N"), LoopKind::Serial, store)),
                        LoopFindings::Skip)
                .findings.empty());
    const Stmt guarded = ifStmt(ltExpr(v("i") + Expr(1), v("N")), store);
    QVERIFY(verifyLoops(around(forStmt("i", Expr(0), v("N"), LoopKind::Serial, guarded)))
                .findings.empty());
}

FW_TEST(TestLoop, QCoreApplication)
#include "test_loop.moc"
