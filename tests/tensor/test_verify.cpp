// The rules of an OpInst, each broken once; what the operators build keeps them.
#include "common/test.h"
#include "schedule/lower_check.h"
#include "tensor/verify_computation.h"

using namespace fw;
using namespace fw::test;

namespace {

// t[i] = x[i] + 1; y[j] = t[j] * s[]; s[] = sum(k : x[k])
OpInst sound() {
    OpInst inst;
    inst.inputs = {tensor("x", {v("N")})};
    inst.outputs = {tensor("y", {v("N")})};
    inst.temporaries = {tensor("t", {v("N")}), tensor("s", {})};
    inst.stages = {mapStage("t", {{"i", v("N")}}, at(inst, "x", {v("i")}) + floatExpr(1)),
                   reduceStage("s", {}, Reducer::Sum, {{"k", v("N")}}, at(inst, "x", {v("k")})),
                   mapStage("y", {{"j", v("N")}}, at(inst, "t", {v("j")}) * at(inst, "s", {}))};
    return inst;
}

struct BrokenCase {
    const char* name;
    void (*breakIt)(OpInst&);
    const char* said;
};

const BrokenCase cases[] = {
    {"variable twice",
     [](OpInst& inst) {
         inst.stages[2] = mapStage("y", {{"i", v("N")}}, at(inst, "t", {v("i")}));
     },
     "the stage of y has the variable i, which another axis has too"},
    {"variable of another stage",
     [](OpInst& inst) { inst.stages[2].body = at(inst, "t", {v("i")}); },
     "the stage of y uses the variable i of the stage of t"},
    {"reduced variable in a store",
     [](OpInst& inst) {
         inst.temporaries[1] = tensor("s", {v("N")});
         inst.stages[1].store = {v("k")};
     },
     "the stage of s uses the variable k of the stage of s"},
    {"variable hides a dimension",
     [](OpInst& inst) {
         inst.stages[0] = mapStage("t", {{"N", Expr(4)}}, at(inst, "x", {v("N")}));
     },
     "the stage of t has the variable N, which is a dimension of"},
    {"tensor twice", [](OpInst& inst) { inst.temporaries.push_back(tensor("x", {})); },
     "the tensor x is declared twice"},
    {"output not written", [](OpInst& inst) { inst.stages.pop_back(); },
     "no stage writes the output y"},
    {"input written", [](OpInst& inst) { inst.stages[0].out = "x"; },
     "the stage of x writes a tensor that is no output and no temporary"},
    {"read before it is written", [](OpInst& inst) { std::swap(inst.stages[0], inst.stages[2]); },
     "the stage of y reads t before it is written"},
    {"read of itself", [](OpInst& inst) { inst.stages[2].body = at(inst, "y", {v("j")}); },
     "the stage of y reads y before it is written"},
    {"unknown tensor",
     [](OpInst& inst) { inst.stages[0].body = loadExpr("q", {v("i")}, DType::F32); },
     "reads a tensor that is not declared: q[i]"},
    {"rank of a read",
     [](OpInst& inst) {
         inst.stages[0].body = loadExpr("x", {v("i"), v("i")}, DType::F32);
     },
     "reads f32[N] as f32[2 indices]: x[i, i]"},
    {"type of a read",
     [](OpInst& inst) {
         inst.stages[0].body = castExpr(loadExpr("x", {v("i")}, DType::I64), DType::F32);
     },
     "reads f32[N] as i64[1 indices]: x[i]"},
    {"type of a store", [](OpInst& inst) { inst.stages[0].body = intExpr(1); },
     "the stage of t writes i64 into f32[N]"},
    {"rank of a store", [](OpInst& inst) { inst.stages[0].store.push_back(Expr(0)); },
     "the stage of t writes f32[N] with 2 indices"},
    {"axes without a reducer", [](OpInst& inst) { inst.stages[1].reducer = Reducer::None; },
     "the stage of s has axes to reduce but no reducer"},
    {"extent by a variable", [](OpInst& inst) { inst.stages[1].reduce[0].extent = v("i"); },
     "the stage of s has an extent that is no number: i"},
    {"read outside", [](OpInst& inst) { inst.stages[0].body = at(inst, "x", {v("i") + v("N")}); },
     "reads outside f32[N]"},
    {"write outside", [](OpInst& inst) { inst.stages[0].store = {v("i") - v("N")}; },
     "the stage of t writes outside f32[N]"},
    {"too little written", [](OpInst& inst) { inst.stages[2].space[0].extent = v("N") - Expr(1); },
     "N - 1 of N elements of y are written"},
};

} // namespace

class TestVerify : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void soundPasses();
    void everyRule_data();
    void everyRule();
    void guardedReadsMayLieOutside();
    void assumedEmptyReadsNothing_data();
    void assumedEmptyReadsNothing();
    void builtOnesPass();
};

void TestVerify::soundPasses() {
    const Status status = verify(sound());
    QVERIFY2(status.ok(), status.ok() ? "" : status.diag().text().c_str());
}

void TestVerify::everyRule_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < std::size(cases); ++i)
        QTest::newRow(cases[i].name) << static_cast<int>(i);
}

void TestVerify::everyRule() {
    QFETCH(int, index);
    const BrokenCase& one = cases[index];
    OpInst inst = sound();
    one.breakIt(inst);
    const Status status = verify(inst);
    QVERIFY(!status.ok());
    QCOMPARE(status.diag().code, DiagCode::Internal);
    QVERIFY2(status.diag().message.find(one.said) != std::string::npos,
             status.diag().message.c_str());
}

// A read under pad() or select() may never be made, and one of an empty space never is.
void TestVerify::guardedReadsMayLieOutside() {
    OpInst inst = sound();
    inst.stages[0].body = padExpr(at(inst, "x", {v("i") + v("N")}), floatExpr(0));
    QVERIFY(verify(inst).ok());
    inst.stages[0].body =
        selectExpr(ltExpr(v("i") + v("M"), v("N")), at(inst, "x", {v("i") + v("N")}), floatExpr(0));
    QVERIFY(verify(inst).ok());
    OpInst none;
    none.inputs = {tensor("x", {Expr(3)})};
    none.outputs = {tensor("y", {Expr(0)})};
    none.stages = {mapStage("y", {{"i", Expr(0)}}, at(none, "x", {v("i") + Expr(9)}))};
    QVERIFY(verify(none).ok());
}

// y[i, j] = x[i, j] + w[j], where w has no elements or too few: a mistake, unless what is assumed
// says that there is no i or no j.
void TestVerify::assumedEmptyReadsNothing_data() {
    QTest::addColumn<QList<Expr>>("assumed");
    QTest::addColumn<bool>("passes");
    const Expr a = v("a"), b = v("b"), c = v("c");
    const auto row = [](const char* name, const QList<Expr>& assumed, bool passes) {
        QTest::newRow(name) << assumed << passes;
    };
    row("nothing", {}, false);
    row("it is 0", {eqExpr(b, Expr(0))}, true);
    row("the other is 0", {eqExpr(Expr(0), a)}, true);
    row("at most 0", {leExpr(b, Expr(0))}, true);
    row("below 1", {ltExpr(b, Expr(1))}, true);
    row("as another that is 0", {eqExpr(b, c), eqExpr(c, Expr(0))}, true);
    row("a product is 0", {eqExpr(a * b, Expr(0))}, true);
    row("a sum is 0", {eqExpr(c + b, Expr(0))}, true);
    row("one of two is", {orExpr(eqExpr(b, Expr(0)), eqExpr(a, Expr(0)))}, true);
    row("twice it is 0", {eqExpr(Expr(2) * b, Expr(0))}, true);
    row("one that is not here is 0", {eqExpr(c, Expr(0))}, false);
    row("it has elements", {leExpr(Expr(1), b)}, false);
    row("it is 3", {eqExpr(b, Expr(3))}, false);
    row("at most 4", {leExpr(b, Expr(4))}, false);
    row("this or that", {orExpr(eqExpr(b, Expr(0)), eqExpr(c, Expr(2)))}, false);
}

void TestVerify::assumedEmptyReadsNothing() {
    QFETCH(QList<Expr>, assumed);
    QFETCH(bool, passes);
    OpInst inst;
    inst.inputs = {tensor("x", {v("a"), v("b")}), tensor("w", {Expr(0)})};
    inst.outputs = {tensor("y", {v("a"), v("b")})};
    inst.stages = {mapStage("y", {{"i", v("a")}, {"j", v("b")}},
                            at(inst, "x", {v("i"), v("j")}) + at(inst, "w", {v("j")}))};
    std::vector<Assumption> assumptions;
    for (const Expr& condition : assumed)
        assumptions.push_back({condition, condition.text()});
    const Status status = verify(inst, assumptions);
    QVERIFY2(status.ok() == passes, status.ok() ? "" : status.diag().text().c_str());
    if (!passes)
        QVERIFY2(status.diag().message.find("reads outside f32[0]: w[j]") != std::string::npos,
                 status.diag().message.c_str());
}

void TestVerify::builtOnesPass() {
    for (const OpInst& inst :
         {convolution({.bias = true, .relu = true, .residual = true}), softmax(v("N"), Expr(5)),
          matmul(v("M"), Expr(3), v("K"), true, true)}) {
        const Status status = verify(inst);
        QVERIFY2(status.ok(), status.ok() ? "" : status.diag().text().c_str());
    }
}

FW_TEST(TestVerify, QCoreApplication)
#include "test_verify.moc"
