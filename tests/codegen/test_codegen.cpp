// Compiled code against the loop interpreter, on small nests that each show one thing, for all
// targets that this machine runs; and what must be seen in the text of the code.
#include "codegen/harness.h"
#include "codegen/listing.h"
#include "codegen/matmul_tile.h"
#include "common/test.h"

#include <thread>

using namespace fw;
using namespace fw::test;

namespace {

Expr v(const char* name) {
    return varExpr(name);
}

Expr at(const char* buffer, const Expr& index, DType dtype = DType::F32) {
    return loadExpr(buffer, {index}, dtype);
}

Buffer in(const char* name, const Expr& size, DType dtype = DType::F32) {
    return {name, dtype, size, BufferScope::Parameter, BufferAccess::Read};
}

Buffer out(const char* name, const Expr& size, DType dtype = DType::F32) {
    return {name, dtype, size, BufferScope::Parameter, BufferAccess::Write};
}

// for i { vector l in lanes { if i * lanes + l < N { y[..] = body(index) } } }
LoopNest masked(const Expr& n, int lanes, std::vector<Buffer> parameters,
                const std::function<Expr(Expr)>& body) {
    const Expr i = v("i") * Expr(lanes) + v("l");
    Stmt inner = ifStmt(ltExpr(i, n), storeStmt(parameters.back().name, i, body(i)));
    Stmt loop = forStmt("i", 0, ceilDivExpr(n, lanes), LoopKind::Serial,
                        forStmt("l", 0, lanes, LoopKind::Vector, inner));
    LoopNest nest{"masked", std::move(parameters), {}, loop};
    if (!n.isInt())
        nest.symbols = {Symbol("N")};
    return nest;
}

} // namespace

class TestCodegen : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tailsStayInside_data();
    void tailsStayInside();
    void everyDtype_data();
    void everyDtype();
    void strides();
    void gatherAndScatter();
    void guardedLoads();
    void uniformConditions();
    void integerDivisionDoesNotTrap();
    void castsSaturate();
    void minMaxKeepNan();
    void minMaxOfTruths();
    void parallelBodies();
    void unrollingFoldsGuards();
    void localBuffers();
    void reductionOverLanes();
    void inPlace();
    void matmulTile_data();
    void matmulTile();
    void tileHasNoSpills();
    void sumsAskForTheirNextLines();
    void instructionsKnowTheirNodes();
    void refusalsAreNamed();
    void sameBytesOnTwoThreads();
    void modulesAreFreed();
    void dataObjectLoads();
};

void TestCodegen::tailsStayInside_data() {
    QTest::addColumn<QString>("cpu");
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
        if (testTarget(cpu).isHost)
            QTest::newRow(cpu) << cpu;
}

void TestCodegen::tailsStayInside() {
    QFETCH(QString, cpu);
    const Target target = testTarget(cpu.toUtf8().constData());
    const Expr n = v("N");
    const LoopNest nest = masked(n, 16, {in("x", n), in("b", 1), out("y", n)}, [](const Expr& i) {
        return fmaExpr(at("x", i), at("x", i), at("b", 0));
    });
    for (std::int64_t size : {0, 1, 15, 16, 17, 33, 4096})
        FW_SAME(compareOnRandom(nest, {{"N", size}}, target));
}

void TestCodegen::everyDtype_data() {
    QTest::addColumn<int>("dtype");
    for (DType dtype : {DType::F32, DType::F64, DType::I64, DType::I32, DType::I16, DType::I8,
                        DType::U8, DType::U16, DType::U32, DType::U64})
        QTest::newRow(std::string(dtypeText(dtype)).c_str()) << static_cast<int>(dtype);
}

void TestCodegen::everyDtype() {
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    for (const char* cpu : {"x86-64-v3", "native"})
        for (int lanes : {1, 3, 8, 16, 40}) {
            const LoopNest nest =
                masked(Expr(53), lanes,
                       {in("a", 53, type), in("b", 53, type), in("c", 53, DType::Bool),
                        out("y", 53, type)},
                       [&](const Expr& i) {
                           const Expr a = at("a", i, type), b = at("b", i, type);
                           const Expr sum = minExpr(a + b, a * b) - maxExpr(a, b);
                           const Expr pick = selectExpr(
                               andExpr(ltExpr(a, b), notExpr(at("c", i, DType::Bool))), sum, a);
                           return pick + castExpr(leExpr(a, b), type);
                       });
            FW_SAME(compareOnRandom(nest, {}, testTarget(cpu)));
        }
}

void TestCodegen::strides() {
    // Backwards, every second, every third, one for all, and a table of indices.
    const auto nest = [](int lanes, const std::function<Expr(Expr)>& where) {
        return masked(Expr(96), lanes, {in("x", 400), out("y", 96)},
                      [&](const Expr& i) { return at("x", where(i)); });
    };
    for (int lanes : {5, 16, 32})
        for (const auto& where : std::vector<std::function<Expr(Expr)>>{
                 [](const Expr& i) { return Expr(399) - i; },
                 [](const Expr& i) { return i * Expr(2) + Expr(210 - 1); },
                 [](const Expr& i) { return i * Expr(3) + Expr(114); },
                 [](const Expr&) { return Expr(399); },
                 [](const Expr& i) { return floorDivExpr(i, 3) * Expr(7) + modExpr(i, 8); }})
            FW_SAME(compareOnRandom(nest(lanes, where), {}, testTarget()));
    // Without a guard every load is whole.
    const Expr i = v("i") * Expr(16) + v("l");
    for (const Expr& where : {i * Expr(2) + Expr(18), Expr(79) - i, i * Expr(5)}) {
        const LoopNest whole{
            "whole",
            {in("x", where.op() == ExprOp::Sub ? 80
                     : where == i * Expr(5)    ? 396
                                               : 177),
             out("y", 80)},
            {},
            forStmt("i", 0, 5, LoopKind::Serial,
                    forStmt("l", 0, 16, LoopKind::Vector, storeStmt("y", i, at("x", where))))};
        FW_SAME(compareOnRandom(whole, {}, testTarget()));
        FW_SAME(compareOnRandom(whole, {}, testTarget("x86-64-v3")));
    }
}

void TestCodegen::gatherAndScatter() {
    for (DType dtype : {DType::F32, DType::F64, DType::I64, DType::U8}) {
        LoopNest nest = masked(
            Expr(37), 16, {in("t", 37, DType::I64), in("x", 37, dtype), out("y", 37 * 2, dtype)},
            [&](const Expr& i) { return at("x", at("t", i, DType::I64), dtype); });
        std::mt19937 random(3);
        std::vector<LoopValues> values = {loopValues(DType::I64, 37),
                                          randomValues(dtype, 37, random), loopValues(dtype, 74)};
        for (std::size_t i = 0; i < 37; ++i)
            values[0].integer[i] = static_cast<std::int64_t>((i * 11) % 37);
        FW_SAME(compareRuns(nest, {}, values, testTarget()));
        const Expr i = v("i") * Expr(16) + v("l");
        for (const Expr& where : {i * Expr(2), Expr(73) - i, at("t", i, DType::I64) + Expr(37)}) {
            nest.body =
                forStmt("i", 0, 3, LoopKind::Serial,
                        forStmt("l", 0, 16, LoopKind::Vector,
                                ifStmt(ltExpr(i, 37), storeStmt("y", where, at("x", i, dtype)))));
            FW_SAME(compareRuns(nest, {}, values, testTarget()));
        }
    }
}

// Reads outside x are only prevented by the condition of the select.
void TestCodegen::guardedLoads() {
    const Expr i = v("i") * Expr(16) + v("l");
    const auto inside = [](const Expr& e) { return andExpr(leExpr(0, e), ltExpr(e, 40)); };
    const Expr shifted = i - Expr(9);
    const Expr row = v("i") * Expr(20) - Expr(10);
    const std::vector<Expr> bodies = {
        selectExpr(inside(shifted), at("x", shifted), floatExpr(-1.5)),
        selectExpr(inside(row), at("x", row), floatExpr(0.0)),
        selectExpr(inside(row), at("x", row) * at("x", Expr(39) - row), at("x", 0)),
        selectExpr(inside(shifted), at("x", shifted) * floatExpr(2.0) + at("x", Expr(39) - shifted),
                   floatExpr(3.0)),
        selectExpr(notExpr(inside(shifted)), floatExpr(4.0), at("x", shifted)),
        selectExpr(inside(row),
                   selectExpr(inside(row + v("l")), at("x", row + v("l")), floatExpr(1.0)),
                   floatExpr(0.0)),
    };
    for (const Expr& body : bodies)
        for (const char* cpu : {"x86-64-v2", "x86-64-v3", "native"}) {
            const LoopNest nest{
                "guarded",
                {in("x", 40), out("y", 64)},
                {},
                forStmt("i", 0, 4, LoopKind::Serial,
                        forStmt("l", 0, 16, LoopKind::Vector, storeStmt("y", i, body)))};
            FW_SAME(compareOnRandom(nest, {}, testTarget(cpu)));
            const LoopNest scalar{
                "scalar",
                {in("x", 40), out("y", 64)},
                {},
                forStmt("i", 0, 4, LoopKind::Serial,
                        forStmt("l", 0, 16, LoopKind::Serial, storeStmt("y", i, body)))};
            FW_SAME(compareOnRandom(scalar, {}, testTarget(cpu)));
        }
}

void TestCodegen::uniformConditions() {
    const Expr i = v("i") * Expr(8) + v("l");
    const Stmt body = ifElseStmt(
        ltExpr(at("b", v("i"), DType::I32), intExpr(0, DType::I32)),
        storeStmt("y", i, at("x", i) + floatExpr(1.0)),
        ifElseStmt(orExpr(eqExpr(v("l"), 3), ltExpr(at("x", i), floatExpr(0.0))),
                   storeStmt("y", i, floatExpr(9.0)), storeStmt("y", i, at("x", 79 - i))));
    const LoopNest nest{
        "branches",
        {in("b", 10, DType::I32), in("x", 80), out("y", 80)},
        {},
        forStmt("i", 0, 10, LoopKind::Serial, forStmt("l", 0, 8, LoopKind::Vector, body))};
    for (const char* cpu : {"x86-64-v2", "native"})
        FW_SAME(compareOnRandom(nest, {}, testTarget(cpu)));
}

void TestCodegen::integerDivisionDoesNotTrap() {
    for (DType dtype : {DType::I8, DType::I32, DType::I64, DType::U8, DType::U64}) {
        const LoopNest nest =
            masked(Expr(20), 8, {in("a", 20, dtype), in("b", 20, dtype), out("q", 60, dtype)},
                   [&](const Expr& i) {
                       const Expr a = at("a", i, dtype), b = at("b", i, dtype);
                       return divExpr(a, b) + floorDivExpr(a, b) * constantExpr(3, dtype) +
                              modExpr(a, b) * constantExpr(5, dtype);
                   });
        std::mt19937 random(1);
        std::vector<LoopValues> values = {randomValues(dtype, 20, random),
                                          randomValues(dtype, 20, random), loopValues(dtype, 60)};
        if (dtype == DType::I8 || dtype == DType::I32) {
            values[0].integer[3] = dtype == DType::I8 ? -128 : INT32_MIN;
            values[1].integer[3] = -1;
        }
        FW_SAME(compareRuns(nest, {}, values, testTarget()));
        FW_SAME(compareRuns(nest, {}, values, testTarget("x86-64-v3")));
    }
}

void TestCodegen::castsSaturate() {
    std::vector<double> odd = {0.0,   -0.0, 1.5,      -1.5,      1e10,   -1e10,  3e38,
                               -3e38, NAN,  255,      256,       -129,   127.9,  2147483648.0,
                               0.3,   -0.3, HUGE_VAL, -HUGE_VAL, 9.3e18, -9.3e18};
    for (DType to : {DType::I8, DType::U8, DType::I32, DType::I64, DType::Bool, DType::F64}) {
        const LoopNest nest = masked(Expr(20), 16, {in("x", 20), out("y", 20, to)},
                                     [&](const Expr& i) { return castExpr(at("x", i), to); });
        LoopValues x = loopValues(DType::F32, 20);
        for (std::size_t i = 0; i < 20; ++i)
            x.real[i] = double(static_cast<float>(odd[i]));
        FW_SAME(compareRuns(nest, {}, {x, loopValues(to, 20)}, testTarget()));
    }
    for (DType from : {DType::I8, DType::U8, DType::I32, DType::I64, DType::Bool}) {
        const LoopNest nest =
            masked(Expr(20), 16, {in("x", 20, from), out("y", 20)},
                   [&](const Expr& i) { return castExpr(at("x", i, from), DType::F32); });
        FW_SAME(compareOnRandom(nest, {}, testTarget()));
    }
}

void TestCodegen::minMaxKeepNan() {
    const LoopNest nest =
        masked(Expr(16), 16, {in("a", 16), in("b", 16), out("y", 16)}, [](const Expr& i) {
            const Expr low = minExpr(at("a", i), at("b", i));
            return selectExpr(ltExpr(v("l"), 8),
                              minExpr(maxExpr(low, floatExpr(-2.0)), floatExpr(2.0)),
                              selectExpr(ltExpr(at("a", i), floatExpr(0.0)), floatExpr(0.0),
                                         maxExpr(at("a", i), at("b", i))));
        });
    LoopValues a = loopValues(DType::F32, 16), b = a;
    for (std::size_t i = 0; i < 16; ++i) {
        a.real[i] = i % 4 == 1 ? NAN : double(i) - 8;
        b.real[i] = i % 4 == 2 ? NAN : 4 - double(i);
    }
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "native"})
        FW_SAME(compareRuns(nest, {}, {a, b, loopValues(DType::F32, 16)}, testTarget(cpu)));
}

void TestCodegen::minMaxOfTruths() {
    for (int lanes : {1, 3, 16}) {
        const LoopNest nest =
            masked(Expr(53), lanes,
                   {in("a", 53, DType::Bool), in("b", 53, DType::Bool), out("y", 53, DType::Bool)},
                   [&](const Expr& i) {
                       const Expr a = at("a", i, DType::Bool), b = at("b", i, DType::Bool);
                       return selectExpr(minExpr(a, b), notExpr(a), maxExpr(a, b));
                   });
        for (const char* cpu : {"x86-64-v2", "x86-64-v3", "native"})
            FW_SAME(compareOnRandom(nest, {}, testTarget(cpu)));
    }
}

void TestCodegen::parallelBodies() {
    const Expr n = v("N");
    const Expr i = v("i") * Expr(8) + v("l");
    const Stmt first = parallelStmt(
        "i", n, 2,
        forStmt("l", 0, 8, LoopKind::Vector, storeStmt("t", i, at("x", i) * floatExpr(2.0))));
    const Stmt second = parallelStmt(
        "j", n, 1,
        storeStmt("y", v("j"), at("t", v("j") * Expr(8)) + at("t", v("j") * Expr(8) + Expr(7))));
    const LoopNest nest{
        "two_loops",
        {in("x", n * Expr(8)),
         {"t", DType::F32, n * Expr(8), BufferScope::Parameter, BufferAccess::ReadWrite},
         out("y", n)},
        {Symbol("N")},
        blockStmt({first, second})};
    for (std::int64_t size : {0, 1, 7, 30})
        FW_SAME(compareOnRandom(nest, {{"N", size}}, testTarget()));
    const CompiledKernel kernel = compileKernel(nest, testTarget()).take();
    QCOMPARE(kernel.counters.calls, std::int64_t(2));
}

// Padding of a 3-tap window: with the loop over outputs and taps unrolled no guard is left.
void TestCodegen::unrollingFoldsGuards() {
    const Expr where = v("o") + v("k") - Expr(1);
    const Expr guarded =
        selectExpr(andExpr(leExpr(0, where), ltExpr(where, 4)), at("x", where), floatExpr(0.0));
    const Stmt body = allocStmt(
        {"acc", DType::F32, 1, BufferScope::Register, BufferAccess::ReadWrite},
        blockStmt({storeStmt("acc", 0, floatExpr(0.0)),
                   forStmt("k", 0, 3, LoopKind::Unroll,
                           storeStmt("acc", 0, fmaExpr(guarded, at("w", v("k")), at("acc", 0)))),
                   storeStmt("y", v("o"), at("acc", 0))}));
    const LoopNest nest{"taps",
                        {in("x", 4), in("w", 3), out("y", 4)},
                        {},
                        forStmt("o", 0, 4, LoopKind::Unroll, body)};
    FW_SAME(compareOnRandom(nest, {}, testTarget()));
    CompileOptions options;
    options.keepLlvm = KeepText::Yes;
    const CompiledKernel kernel = compileKernel(nest, testTarget(), options).take();
    QCOMPARE(kernel.counters.stores, std::int64_t(4));
    QVERIFY(!QString::fromStdString(kernel.llvmAfter).contains(u"icmp"));
    QVERIFY(!QString::fromStdString(kernel.llvmAfter).contains(u"alloca"));
}

void TestCodegen::localBuffers() {
    // A stack buffer written by one loop and read turned round by the next; and one per lane.
    const Expr i = v("l");
    const Stmt body = allocStmt(
        {"s", DType::F32, 48, BufferScope::Stack, BufferAccess::ReadWrite},
        blockStmt(
            {forStmt("c", 0, 3, LoopKind::Serial,
                     forStmt("l", 0, 16, LoopKind::Vector,
                             storeStmt("s", v("c") * Expr(16) + i, at("x", i * Expr(3) + v("c"))))),
             forStmt("m", 0, 48, LoopKind::Vector,
                     allocStmt({"p", DType::F32, 2, BufferScope::Register, BufferAccess::ReadWrite},
                               blockStmt({forStmt("u", 0, 2, LoopKind::Unroll,
                                                  storeStmt("p", v("u"),
                                                            at("s", Expr(47) - v("m")) +
                                                                castExpr(v("u"), DType::F32))),
                                          storeStmt("y", v("m"), at("p", 0) * at("p", 1))})))}));
    const LoopNest nest{"local", {in("x", 48), out("y", 48)}, {}, body};
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "native"})
        FW_SAME(compareOnRandom(nest, {}, testTarget(cpu)));
}

void TestCodegen::reductionOverLanes() {
    const Expr n = v("N");
    const Expr i = v("i") * Expr(16) + v("l");
    const Buffer acc{"acc", DType::F32, 16, BufferScope::Register, BufferAccess::ReadWrite};
    const Buffer sum{"sum", DType::F32, 1, BufferScope::Register, BufferAccess::ReadWrite};
    const Stmt body = allocStmt(
        acc,
        allocStmt(
            sum,
            blockStmt(
                {forStmt("z", 0, 16, LoopKind::Vector, storeStmt("acc", v("z"), floatExpr(0.0))),
                 forStmt("i", 0, ceilDivExpr(n, 16), LoopKind::Serial,
                         forStmt("l", 0, 16, LoopKind::Vector,
                                 ifStmt(ltExpr(i, n),
                                        storeStmt("acc", v("l"), at("acc", v("l")) + at("x", i))))),
                 storeStmt("sum", 0, floatExpr(0.0)),
                 forStmt("u", 0, 16, LoopKind::Unroll,
                         storeStmt("sum", 0, at("sum", 0) + at("acc", v("u")))),
                 storeStmt("y", 0, at("sum", 0))})));
    const LoopNest nest{"sum", {in("x", n), out("y", 1)}, {Symbol("N")}, body};
    for (std::int64_t size : {0, 1, 16, 100})
        FW_SAME(compareOnRandom(nest, {{"N", size}}, testTarget()));
    CompileOptions options;
    options.keepLlvm = KeepText::Yes;
    const CompiledKernel kernel = compileKernel(nest, testTarget(), options).take();
    QVERIFY2(!QString::fromStdString(kernel.llvmAfter).contains(u"alloca"),
             kernel.llvmAfter.c_str());
}

void TestCodegen::inPlace() {
    const LoopNest nest = masked(Expr(70), 16, {in("x", 70), out("y", 70)},
                                 [](const Expr& i) { return at("x", i) * floatExpr(3.0); });
    CompileOptions options;
    options.sharedBuffers = {{0, 1}};
    const CompiledKernel shared = compileKernel(nest, testTarget(), options).take();
    QVERIFY(shared.key != compileKernel(nest, testTarget()).take().key);
    const std::vector<std::vector<std::byte>> objects = {shared.object};
    const JitModule module = jit().load(objects).take();
    std::vector<float> data(70);
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = static_cast<float>(i);
    void* pointers[] = {data.data(), data.data()};
    const fw_kernel_context context{pointers, nullptr, runSerially, nullptr};
    module.kernel(shared.symbol).take().run(&context);
    for (std::size_t i = 0; i < data.size(); ++i)
        QCOMPARE(data[i], static_cast<float>(3 * i));
}

void TestCodegen::matmulTile_data() {
    QTest::addColumn<int>("m");
    QTest::addColumn<int>("vectors");
    QTest::addColumn<QString>("cpu");
    QTest::newRow("14x2 zmm") << 14 << 2 << "x86-64-v4";
    QTest::newRow("6x2 ymm") << 6 << 2 << "x86-64-v3";
    QTest::newRow("3x2 xmm") << 3 << 2 << "x86-64-v2";
}

void TestCodegen::matmulTile() {
    QFETCH(int, m);
    QFETCH(int, vectors);
    QFETCH(QString, cpu);
    const Target target = testTarget(cpu.toUtf8().constData());
    if (!target.isHost)
        QSKIP("this CPU cannot run it");
    const LoopNest nest = matmulTileNest(m, vectors, target.vectorLanesF32, 37);
    FW_SAME(compareOnRandom(nest, {}, target));
}

void TestCodegen::tileHasNoSpills() {
    const struct {
        int m, vectors;
        const char* cpu;
        const char* reg;
    } tiles[] = {{14, 2, "x86-64-v4", "%zmm"}, {6, 2, "x86-64-v3", "%ymm"}};
    for (const auto& tile : tiles) {
        const Target target = testTarget(tile.cpu);
        const CompiledKernel kernel =
            compileKernel(matmulTileNest(tile.m, tile.vectors, target.vectorLanesF32, 256), target)
                .take();
        const Assembly assembly = disassemble(kernel.object).take();
        QVERIFY2(QString::fromStdString(assembly.text()).contains(QLatin1String(tile.reg)),
                 assembly.text().c_str());
        QVERIFY2(assembly.spills == 0, assembly.text().c_str());
        QCOMPARE(assembly.fmas, std::int64_t(tile.m) * tile.vectors);
        QCOMPARE(assembly.calls, std::int64_t(0));
        QCOMPARE(kernel.counters.fmas, assembly.fmas);
    }
}

// The panel of weights moves on by whole lines and is asked for; what a map reads comes by itself.
void TestCodegen::sumsAskForTheirNextLines() {
    const Target target = testTarget("x86-64-v3");
    const auto asked = [&](const LoopNest& nest) {
        const CompiledKernel kernel = compileKernel(nest, target).take();
        return QString::fromStdString(disassemble(kernel.object).take().text())
            .count(QLatin1String("prefetch"));
    };
    QCOMPARE(asked(matmulTileNest(6, 2, target.vectorLanesF32, 256)), 2);
    QCOMPARE(
        asked(masked(Expr(256), 8, {in("x", 256), in("b", 1), out("y", 256)},
                     [](const Expr& i) { return fmaExpr(at("x", i), at("x", i), at("b", 0)); })),
        0);
}

void TestCodegen::instructionsKnowTheirNodes() {
    const auto part = [](const char* var, const Expr& value, std::int64_t node) {
        return forStmt(var, 0, 64, LoopKind::Serial, storeStmt("y", v(var), value), {node});
    };
    const LoopNest nest{
        "two_nodes",
        {in("x", 64), {"y", DType::F32, 64, BufferScope::Parameter, BufferAccess::ReadWrite}},
        {},
        blockStmt({part("i", callExpr(MathFn::Sqrt, {at("x", v("i"))}), 7),
                   part("j", divExpr(floatExpr(1.0), at("y", v("j"))), 9)})};
    CompileOptions options;
    options.origins = Origins::Wanted;
    const CompiledKernel kernel = compileKernel(nest, testTarget("x86-64-v3"), options).take();
    std::size_t seen = 0;
    const Assembly assembly = disassemble(kernel.object).take();
    for (const AssemblyLine& line : assembly.lines) {
        const std::int64_t node = line.text.starts_with("vsqrt")  ? 7
                                  : line.text.starts_with("vdiv") ? 9
                                                                  : 0;
        if (node == 0)
            continue;
        ++seen;
        QVERIFY(line.line >= 1 && line.line <= kernel.lineNodes.size());
        QCOMPARE(kernel.lineNodes[line.line - 1], std::vector<std::int64_t>{node});
    }
    QCOMPARE(seen, std::size_t(2));
    // Debug lines change nothing else.
    const Assembly plain =
        disassemble(compileKernel(nest, testTarget("x86-64-v3")).take().object).take();
    QCOMPARE(plain.instructions, assembly.instructions);
    QCOMPARE(plain.lines.at(1).line, 0U);
}

void TestCodegen::refusalsAreNamed() {
    const LoopNest pad = masked(Expr(4), 4, {in("x", 4), out("y", 4)},
                                [](const Expr& i) { return padExpr(at("x", i), floatExpr(0.0)); });
    const LoopNest clash{"clash",
                         {in("x", 8), out("y", 1)},
                         {},
                         forStmt("l", 0, 8, LoopKind::Vector, storeStmt("y", 0, at("x", v("l"))))};
    const std::pair<LoopNest, const char*> cases[] = {{pad, "pad()"}, {clash, "one element of y"}};
    for (const auto& [nest, why] : cases) {
        const Result<CompiledKernel> kernel = compileKernel(nest, testTarget());
        QVERIFY(!kernel.ok());
        QCOMPARE(kernel.diag().code, DiagCode::CodegenFailed);
        QVERIFY2(QString::fromStdString(kernel.diag().message).contains(QLatin1String(why)),
                 kernel.diag().message.c_str());
        QCOMPARE(kernel.diag().where.node, nest.name);
    }
}

void TestCodegen::sameBytesOnTwoThreads() {
    const LoopNest nest = matmulTileNest(14, 2, 16, 64);
    const Target target = testTarget("x86-64-v4");
    const CompiledKernel expected = compileKernel(nest, target).take();
    std::vector<std::vector<std::byte>> made(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < made.size(); ++t)
        threads.emplace_back([&, t] { made[t] = compileKernel(nest, target).take().object; });
    for (std::thread& thread : threads)
        thread.join();
    for (const std::vector<std::byte>& object : made)
        QVERIFY(object == expected.object);
    QVERIFY(expected.symbol.starts_with("fw_matmul_tile_"));
}

void TestCodegen::modulesAreFreed() {
    const LoopNest nest =
        masked(Expr(4), 4, {in("x", 4), out("y", 4)}, [](const Expr& i) { return at("x", i); });
    const CompiledKernel kernel = compileKernel(nest, testTarget()).take();
    const std::vector<std::vector<std::byte>> objects = {kernel.object};
    // The same symbol in many modules, one after the other and side by side.
    JitModule kept = jit().load(objects).take();
    for (int i = 0; i < 50; ++i) {
        const JitModule module = jit().load(objects).take();
        QVERIFY(module.kernel(kernel.symbol).ok());
    }
    QVERIFY(kept.kernel(kernel.symbol).ok());
    QVERIFY(!kept.kernel("fw_missing").ok());
    kept = JitModule();
    QVERIFY(!kept.kernel(kernel.symbol).ok());
}

void TestCodegen::dataObjectLoads() {
    const Target target = testTarget();
    const LoopNest nest =
        masked(Expr(4), 4, {in("x", 4), out("y", 4)}, [](const Expr& i) { return at("x", i); });
    const CompiledKernel kernel = compileKernel(nest, target).take();
    const std::vector<std::byte> blob = {std::byte(1), std::byte(2), std::byte(0), std::byte(4)};
    const std::vector<std::vector<std::byte>> objects = {
        kernel.object, dataObject({kernel.symbol}, {{"fw_program_blob", blob}}, target).take()};
    const JitModule module = jit().load(objects).take();
    const auto address = [&](const char* name) {
        return reinterpret_cast<const void*>(module.kernel(name).take().run);
    };
    const auto* table = static_cast<const fw_kernel*>(address("fw_kernel_table"));
    QVERIFY(table[0] == module.kernel(kernel.symbol).take().run);
    QVERIFY(table[1] == nullptr);
    QCOMPARE(*static_cast<const std::uint64_t*>(address("fw_kernel_table_size")), std::uint64_t(1));
    QCOMPARE(*static_cast<const std::uint64_t*>(address("fw_program_blob_size")), std::uint64_t(4));
    QVERIFY(std::memcmp(address("fw_program_blob"), blob.data(), 4) == 0);
}

FW_TEST(TestCodegen, QCoreApplication)
#include "test_codegen.moc"
