// Operators defined by text: shape inference with its error texts, instantiation, facts, refusals.
#include "common/test.h"
#include "tensor/facts.h"
#include "tensor/op_def.h"
#include "tensor/operators.h"
#include "tensor/safety.h"

using namespace fw;
using namespace fw::testing;

namespace {

// The output types, or the message.
QString inferred(const Operator& op, const OpCall& call) {
    const auto result = op.infer(call);
    if (!result)
        return QString::fromStdString(std::string(codeText(result.diag().code)) + " " +
                                      result.diag().message);
    QStringList types;
    for (const TensorType& type : result->outputs)
        types << QString::fromStdString(type.text());
    for (const Assumption& assumption : result->assumptions)
        types << QStringLiteral("if ") + QString::fromStdString(assumption.condition.text());
    return types.join(QStringLiteral("; "));
}

struct OperatorCase {
    const char* name;
    const char* op;
    std::vector<std::string> types;
    Attrs attributes;
    const char* expected;
};

const Integers ones = {1, 1}, twos = {2, 2};

std::vector<OperatorCase> inferenceCases() {
    return {
        {"gelu", "gelu", {"f32[2, N]"}, {}, "f32[2, N]"},
        {"scalar", "gelu", {"f32[]"}, {}, "f32[]"},
        {"add", "add", {"f32[2, 3]", "f32[3]"}, {}, "f32[2, 3]"},
        {"add both", "add", {"f32[2, 1]", "f32[1, 3]"}, {}, "f32[2, 3]"},
        {"add scalar", "add", {"f32[]", "f32[N, 3]"}, {}, "f32[N, 3]"},
        {"add free",
         "add",
         {"f32[N]", "f32[M]"},
         {},
         "f32[select(M == 1, N, M)]; if M == N || M == 1 || N == 1"},
        {"add a part of itself",
         "add",
         {"f32[N]", "f32[min(N, 512)]"},
         {},
         "f32[N]; if N == min(N, 512) || N == 1 || min(N, 512) == 1"},
        {"add free twice",
         "add",
         {"f32[select(M == 1, N, M)]", "f32[N]"},
         {},
         "f32[select(M == 1, N, M)]; if M == N || M == 1 || N == 1"},
        {"add free and 0", "add", {"f32[N]", "f32[0]"}, {}, "f32[0]; if N == 0 || N == 1"},
        {"add never equal",
         "add",
         {"f32[N + 2]", "f32[N + 3]"},
         {},
         "SHP01 add: dimension 0 of a is N + 2 and dimension 0 of b is N + 3: they must be equal, "
         "or one of them 1"},
        {"add equal or 1",
         "add",
         {"f32[N + 1]", "f32[N + 2]"},
         {},
         "f32[select(N + 1 == 1, N + 2, N + 1)]; if N + 1 == N + 2 || N + 1 == 1 || N + 2 == 1"},
        {"add halved and doubled",
         "add",
         {"f32[(N + 1) / 2 * 2]", "f32[N]"},
         {},
         "f32[N]; if N == (N + 1) / 2 * 2"},
        {"add doubled, which is never equal",
         "add",
         {"f32[N * 2]", "f32[N]"},
         {},
         "f32[select(N == 1, N * 2, N)]; if N == N * 2 || N == 1 || N * 2 == 1"},
        {"dims are never negative", "softmax", {"f32[batch, 8]"}, {}, "f32[batch, 8]"},
        {"slope", "prelu", {"f32[N]", "f32[M]"}, {}, "f32[N]; if M == N || M == 1"},
        {"slope known", "prelu", {"f32[N]", "f32[4]"}, {}, "f32[N]; if 4 == N"},
        {"slope of one", "prelu", {"f32[1]", "f32[M]"}, {}, "f32[1]; if M == 1"},
        {"slope of higher rank",
         "prelu",
         {"f32[3]", "f32[2, 3]"},
         {},
         "SHP01 prelu: [2, 3] of slope does not broadcast to [3] of x"},
        {"add free and known", "add", {"f32[N]", "f32[4]"}, {}, "f32[4]; if N == 4 || N == 1"},
        {"add misfit",
         "add",
         {"f32[2, 3]", "f32[4]"},
         {},
         "SHP01 add: dimension 1 of a is 3 and dimension 0 of b is 4: they must be equal, or one "
         "of them 1"},
        {"add types",
         "add",
         {"f32[2]", "f64[2]"},
         {},
         "SHP02 add: the element type of a is f32 and that of b is f64: they must be equal"},
        {"add missing", "add", {"f32[2]"}, {}, "OPR03 add: operand b is missing"},
        {"add many",
         "add",
         {"f32[2]", "f32[2]", "f32[2]"},
         {},
         "OPR03 add: takes 2 operands, not 3"},
        {"dense", "dense", {"f32[4, 5, 768]", "f32[10, 768]"}, {}, "f32[4, 5, 10]"},
        {"dense misfit",
         "dense",
         {"f32[4, 768]", "f32[10, 512]"},
         {},
         "SHP01 dense: dimension 1 of x is 768 and dimension 1 of w is 512: they must be equal"},
        {"matmul", "batch_matmul", {"f32[8, 1, 3, 4]", "f32[2, 4, 5]"}, {}, "f32[8, 2, 3, 5]"},
        {"matmul misfit",
         "batch_matmul",
         {"f32[3, 4]", "f32[1, 5]"},
         {},
         "SHP01 batch_matmul: dimension 1 of a is 4 and dimension 0 of b is 1: they must be equal"},
        {"conv",
         "conv2d",
         {"f32[1, 3, 224, 224]", "f32[64, 3, 7, 7]"},
         attrs({{"strides", twos}, {"pads", Integers{3, 3, 3, 3}}}),
         "f32[1, 64, 112, 112]"},
        {"conv batch", "conv2d", {"f32[B, 3, 8, 8]", "f32[4, 3, 3, 3]"}, {}, "f32[B, 4, 6, 6]"},
        {"conv rank",
         "conv2d",
         {"f32[3, 8, 8]", "f32[4, 3, 3, 3]"},
         {},
         "SHP01 conv2d: x is f32[3, 8, 8], which does not fit T[N, C, H, W]"},
        {"conv groups",
         "conv2d",
         {"f32[1, 8, 8, 8]", "f32[4, 3, 3, 3]"},
         {},
         "SHP01 conv2d: C == CG * groups must hold: C = 8, CG = 3, groups = 1"},
        {"conv large",
         "conv2d",
         {"f32[1, 3, 2, 2]", "f32[4, 3, 5, 5]"},
         {},
         "SHP01 conv2d: OH would be -2: it must not be negative"},
        {"conv stride 0",
         "conv2d",
         {"f32[1, 3, 8, 8]", "f32[4, 3, 3, 3]"},
         attrs({{"strides", Integers{0, 1}}}),
         "SHP01 conv2d: all(strides >= 1) must hold: strides[0] = 0"},
        {"conv strides",
         "conv2d",
         {"f32[1, 3, 8, 8]", "f32[4, 3, 3, 3]"},
         attrs({{"strides", Integers{1}}}),
         "OPR02 conv2d: strides has 1 elements, not 2"},
        {"conv attribute",
         "conv2d",
         {"f32[1, 3, 8, 8]", "f32[4, 3, 3, 3]"},
         attrs({{"stride", ones}}),
         "OPR02 conv2d: there is no attribute 'stride'"},
        {"transposed conv",
         "conv_transpose2d",
         {"f32[1, 8, 5, 5]", "f32[8, 4, 2, 2]"},
         attrs({{"strides", twos}}),
         "f32[1, 4, 10, 10]"},
        {"pool",
         "max_pool2d",
         {"f32[1, 8, 112, 112]"},
         attrs(
             {{"kernel_shape", Integers{3, 3}}, {"strides", twos}, {"pads", Integers{1, 1, 1, 1}}}),
         "f32[1, 8, 56, 56]"},
        {"pool attribute",
         "max_pool2d",
         {"f32[1, 8, 8, 8]"},
         {},
         "OPR02 max_pool2d: attribute kernel_shape is missing"},
        {"softmax",
         "softmax",
         {"f32[2, 3, 4]"},
         attrs({{"axis", std::int64_t(1)}}),
         "f32[2, 3, 4]"},
        {"softmax axis",
         "softmax",
         {"f32[2, 3]"},
         attrs({{"axis", std::int64_t(2)}}),
         "OPR02 softmax: axis is 2, out of range of rank 2"},
        {"layernorm",
         "layernorm",
         {"f32[2, S, 16]", "f32[16]", "f32[16]"},
         {},
         "f32[2, S, 16]; f32[2, S]; f32[2, S]"},
        {"concat",
         "concat",
         {"f32[2, 3]", "f32[2, N]", "f32[2, 5]"},
         attrs({{"axis", std::int64_t(-1)}}),
         "f32[2, N + 8]"},
        {"concat misfit",
         "concat",
         {"f32[2, 3]", "f32[4, 3]"},
         attrs({{"axis", std::int64_t(1)}}),
         "SHP01 concat: dimension 0 of xs0 is 2 and dimension 0 of xs1 is 4: they must be equal"},
        {"transpose",
         "transpose",
         {"f32[2, 3, 4]"},
         attrs({{"perm", Integers{2, 0, 1}}}),
         "f32[4, 2, 3]"},
        {"transpose wrong",
         "transpose",
         {"f32[2, 3]"},
         attrs({{"perm", Integers{0, 0}}}),
         "OPR02 transpose: the order is not a permutation of 2 axes"},
        {"gather", "gather", {"f32[30, 8]", "i64[2, 5]"}, {}, "f32[2, 5, 8]"},
        {"gather from nothing",
         "gather",
         {"f32[0, 8]", "i64[2]"},
         {},
         "SHP01 gather: D >= 1 || size(J) == 0 must hold: D = 0, J = [2]"},
        {"gather nothing", "gather", {"f32[0, 8]", "i64[0]"}, {}, "f32[0, 8]"},
        {"gather free", "gather", {"f32[N, 8]", "i64[2]"}, {}, "f32[2, 8]; if 1 <= N"},
        {"cast", "cast", {"i64[3]"}, attrs({{"to", DType::F32}}), "f32[3]"},
        {"where", "where", {"bool[3]", "f32[2, 3]", "f32[]"}, {}, "f32[2, 3]"},
        {"bias", "bias", {"f32[1, 8, 4, 4]", "f32[8]"}, {}, "f32[1, 8, 4, 4]"},
        {"batch_norm",
         "batch_norm",
         {"f32[1, 8, 4, 4]", "f32[8]", "f32[8]", "f32[8]", "f32[8]"},
         {},
         "f32[1, 8, 4, 4]"},
    };
}

struct FactCase {
    const char* op;
    std::vector<std::string> types;
    Attrs attributes;
    FusionKind kind;
    std::vector<bool> inPlace;
};

std::vector<FactCase> factCases() {
    const Attrs pool2 = attrs({{"kernel_shape", Integers{2, 2}}, {"strides", twos}});
    const Attrs pool3 = attrs({{"kernel_shape", Integers{3, 3}}, {"strides", twos}});
    return {
        {"gelu", {"f32[2, 8]"}, {}, FusionKind::Elementwise, {true}},
        {"add", {"f32[2, 8]", "f32[2, 8]"}, {}, FusionKind::Elementwise, {true, true}},
        {"add", {"f32[2, 8]", "f32[8]"}, {}, FusionKind::Broadcast, {true, false}},
        {"bias", {"f32[1, 8, 4, 4]", "f32[8]"}, {}, FusionKind::Broadcast, {true, false}},
        {"dense", {"f32[4, 16]", "f32[8, 16]"}, {}, FusionKind::Contraction, {false, false}},
        {"dense", {"f32[4, 8]", "f32[8, 8]"}, {}, FusionKind::Contraction, {false, false}},
        {"batch_matmul",
         {"f32[2, 3, 4]", "f32[2, 4, 5]"},
         {},
         FusionKind::Contraction,
         {false, false}},
        {"conv2d",
         {"f32[1, 3, 8, 8]", "f32[4, 3, 3, 3]"},
         {},
         FusionKind::Contraction,
         {false, false}},
        {"conv2d",
         {"f32[1, 8, 8, 8]", "f32[8, 1, 3, 3]"},
         attrs({{"groups", std::int64_t(8)}, {"pads", Integers{1, 1, 1, 1}}}),
         FusionKind::Contraction,
         {false, false}},
        {"conv2d",
         {"f32[1, 8, 8, 8]", "f32[4, 8, 1, 1]"},
         {},
         FusionKind::Contraction,
         {false, false}},
        {"max_pool2d", {"f32[1, 3, 8, 8]"}, pool2, FusionKind::Reduction, {false}},
        {"max_pool2d", {"f32[1, 3, 9, 9]"}, pool3, FusionKind::Window, {false}},
        {"global_average_pool", {"f32[1, 3, 8, 8]"}, {}, FusionKind::Reduction, {false}},
        {"softmax", {"f32[4, 10]"}, {}, FusionKind::Rowwise, {false}},
        {"log_softmax", {"f32[4, 10]"}, {}, FusionKind::Rowwise, {false}},
        {"layernorm",
         {"f32[4, 10]", "f32[10]", "f32[10]"},
         {},
         FusionKind::Rowwise,
         {false, false, false}},
        {"concat", {"f32[2, 3]", "f32[2, 3]"}, {}, FusionKind::Injective, {false, false}},
        {"gather", {"f32[30, 8]", "i64[5]"}, {}, FusionKind::Injective, {false, false}},
        {"transpose",
         {"f32[3, 3]"},
         attrs({{"perm", Integers{1, 0}}}),
         FusionKind::Injective,
         {false}},
        {"lrn",
         {"f32[1, 8, 4, 4]"},
         attrs({{"size", std::int64_t(5)}}),
         FusionKind::Window,
         {false}},
    };
}

QString textOf(const Operator& op, const OpCall& call) {
    const auto inst = op.instantiate(call);
    return QString::fromStdString(inst ? inst->text() : inst.diag().text());
}

// Defines the operator of the text and instantiates it: the refusal, or nothing.
QString refusal(const std::string& text, const OpCall& call) {
    const FileTree tree = parseFile(text, "t.fw");
    if (!tree.errors.empty())
        return QString::fromStdString(tree.errors[0].text());
    const auto op = defineOperator(declarationAs<OpTree>(tree.declarations.at(0)), "t.fw");
    if (!op)
        return QString::fromStdString(op.diag().text());
    const auto inst = (*op)->instantiate(call);
    return inst ? QString() : QString::fromStdString(inst.diag().text());
}

} // namespace

class TestOperators : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void infers_data();
    void infers();
    void facts_data();
    void facts();
    void pointsThatAddNothing();
    void instantiates();
    void refuses();
    void zeroDividesNoPlace_data();
    void zeroDividesNoPlace();
    void optionalAndVariadic();
    void namesAndCommutative();
};

void TestOperators::infers_data() {
    QTest::addColumn<int>("index");
    int index = 0;
    for (const OperatorCase& c : inferenceCases())
        QTest::newRow(c.name) << index++;
}

void TestOperators::infers() {
    QFETCH(int, index);
    const OperatorCase c = inferenceCases()[static_cast<std::size_t>(index)];
    const Operator* op = libraryTexts().find(c.op);
    QVERIFY(op != nullptr);
    QCOMPARE(inferred(*op, callOf(c.types, c.attributes)), QString::fromLatin1(c.expected));
}

void TestOperators::facts_data() {
    QTest::addColumn<int>("index");
    int index = 0;
    for (const FactCase& c : factCases()) {
        QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(QString::fromLatin1(c.op)).arg(index)))
            << index;
        ++index;
    }
}

void TestOperators::facts() {
    QFETCH(int, index);
    const FactCase c = factCases()[static_cast<std::size_t>(index)];
    const Operator* op = libraryTexts().find(c.op);
    QVERIFY(op != nullptr);
    const auto facts = op->facts(callOf(c.types, c.attributes));
    QVERIFY2(facts.ok(), facts.ok() ? "" : facts.diag().text().c_str());
    QCOMPARE(std::string(kindText(facts->kind)), std::string(kindText(c.kind)));
    QCOMPARE(facts->inPlace, c.inPlace);
}

// A transposed convolution asks of every point of its window whether it adds anything, which one of
// four does at strides of 2. What it asks is index arithmetic.
void TestOperators::pointsThatAddNothing() {
    const OpCall call =
        callOf({"f32[1, 4, 8, 8]", "f32[4, 3, 2, 2]"}, attrs({{"strides", Integers{2, 2}}}));
    const auto facts = libraryTexts().find("conv_transpose2d")->facts(call);
    QVERIFY(facts.ok());
    QCOMPARE(facts->flops, 2.0 * 3 * 16 * 16 * 4);
    QCOMPARE(evalIndex(facts->flopsExpr, {}), std::optional<std::int64_t>(2 * 3 * 16 * 16 * 4));
}

void TestOperators::instantiates() {
    const auto& ops = libraryTexts();
    const auto conv = ops.find("conv2d")->instantiate(
        callOf({"f32[1, 3, 8, 8]", "f32[4, 3, 3, 3]"}, attrs({{"pads", Integers{1, 1, 1, 1}}})));
    QVERIFY2(conv.ok(), conv.ok() ? "" : conv.diag().text().c_str());
    QCOMPARE(conv->stages.size(), std::size_t(1));
    QCOMPARE(conv->stages[0].body.text(),
             std::string("pad(x[n, c, kh + oh - 1, kw + ow - 1], 0.0) * w[o, c, kh, kw]"));
    const auto pointwise =
        ops.find("conv2d")->instantiate(callOf({"f32[1, 3, 8, 8]", "f32[4, 3, 1, 1]"}));
    QVERIFY(pointwise.ok());
    QCOMPARE(pointwise->stages[0].body.text(),
             std::string("x[n, c, kh + oh, kw + ow] * w[o, c, kh, kw]"));

    const auto norm =
        ops.find("layernorm")->instantiate(callOf({"f32[4, 10]", "f32[10]", "f32[10]"}));
    QVERIFY2(norm.ok(), norm.ok() ? "" : norm.diag().text().c_str());
    QCOMPARE(norm->stages.size(), std::size_t(5)); // two sums, mean, rstd, y
    QCOMPARE(norm->temporaries.size(), std::size_t(2));
    std::set<Symbol> vars;
    std::size_t axes = 0;
    for (const Stage& stage : norm->stages)
        for (const auto* list : {&stage.space, &stage.reduce})
            for (const Axis& axis : *list) {
                vars.insert(axis.var);
                ++axes;
            }
    QCOMPARE(vars.size(), axes);

    const auto turned = ops.find("transpose")
                            ->instantiate(callOf({"f32[2, 3]"}, attrs({{"perm", Integers{1, 0}}})));
    QVERIFY(turned.ok());
    QCOMPARE(turned->stages[0].store[0].text(), turned->stages[0].space[0].var.text());
    QCOMPARE(turned->stages[0].body.text(), std::string("x[i0, i1]"));
    QCOMPARE(turned->stages[0].space[0].var.text(), std::string("i1"));

    for (const FactCase& c : factCases()) {
        const auto inst = ops.find(c.op)->instantiate(callOf(c.types, c.attributes));
        QVERIFY(inst.ok());
        const Status safe = checkSafety(*inst);
        QVERIFY2(safe.ok(), safe.ok() ? "" : safe.diag().text().c_str());
    }
    QVERIFY(textOf(*ops.find("add"), callOf({"f32[N, 8]", "f32[8]"})).contains(u"b[i1]"));
}

void TestOperators::refuses() {
    const OpCall one = callOf({"f32[8]"});
    QCOMPARE(refusal("op d(x: T[N]) -> y: T[N] { y[n] = x[n + 1] - x[n] }", one),
             QStringLiteral("t.fw:1:35: error TXT04: d: x[n + 1] may lie outside f32[8] (write "
                            "pad(x[...], value), or wrap() an index that is read)"));
    QVERIFY(refusal("op d(x: T[N]) -> y: T[N] { y[n] = pad(x[n + 1], 0) - x[n] }", one).isEmpty());
    QVERIFY(refusal("op g(x: T[N], i: i64[M]) -> y: T[M] { y[m] = x[i[m]] }",
                    callOf({"f32[8]", "i64[3]"}))
                .contains(u"TXT04"));
    QVERIFY(refusal("op s(x: T[N]) -> y: T[N] { y[n + 1] = x[n] }", one)
                .contains(u"write may lie outside"));
    QVERIFY(refusal("op s(x: T[N]) -> y: T[N] where M = N / 2 { y[m] = x[m] }", one).isEmpty());
    QVERIFY(refusal("op s(x: T[N]) -> y: T[M] where M = 2 * N { y[n + 0] = x[n] }", one)
                .contains(u"of 16 elements"));
    QVERIFY(refusal("op u(x: T[N]) -> y: T[N] { y[n] = z[n] }", one)
                .contains(u"there is no tensor 'z'"));
    QVERIFY(refusal("op u(x: T[N]) -> y: T[N] { y[n] = q + x[n] }", one)
                .contains(u"'q' is not known here"));
    QVERIFY(refusal("op u(x: T[N]) -> y: T[N] { let t[n] = x[n] }", one)
                .contains(u"no statement writes the output 'y'"));
    QVERIFY(
        refusal("op u(x: T[N]) -> y: T[N] { z[n] = x[n] }", one).contains(u"'z' is not an output"));
    QVERIFY(
        refusal("op u(x: T[N], x: T[N]) -> y: T[N] { y[n] = x[n] }", one).contains(u"used twice"));
    for (const char* text :
         {"op u(x: T[S...], attr S: int = 1) -> y: T[S...] { y[i...] = x[i...] }",
          "op u(x: T[N], attr N: int = 1) -> y: T[N] { y[n] = x[n] }",
          "op u(x: T[N], attr T: int = 1) -> y: f32[N] { y[n] = 1.0 }"})
        QVERIFY2(refusal(text, one).contains(u"is an attribute, and what the operand 'x' gives"),
                 text);
    QVERIFY(refusal("op u(x: T[N]) -> y: T[N] { y[n] = foo(x[n]) }", one)
                .contains(u"there is no function 'foo'"));
    QVERIFY(refusal("op u(x: T[N]) -> y: T[N] { y[n] = median(k in N : x[k]) }", one)
                .contains(u"there is no reduction 'median'"));
    QVERIFY(refusal("op u(x: T[N]) -> y: T[N] { y[n] = x[n, n] }", one)
                .contains(u"has 1 dimensions, read with 2 indices"));
    QVERIFY(refusal("op u(x: T[N]) -> y: bool[N] { y[n] = x[n] }", one)
                .contains(u"y is bool, the expression is f32"));
    QVERIFY(refusal("op u(x: T[N]) -> y: T[N] { y[n] = exp(x[n]) }", callOf({"i64[8]"}))
                .contains(u"exp() takes a float, not i64"));
    QVERIFY(
        refusal("op u(x: T[P..., Q...]) -> y: T[P..., Q...] { y[p..., q...] = x[p..., q...] }", one)
            .contains(u"is not decided"));
}

void TestOperators::zeroDividesNoPlace_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("said"); // empty: it is computed
    const auto row = [](const QString& signature, const QString& body, const QString& said = {}) {
        QTest::newRow(qPrintable(signature + u' ' + body))
            << QStringLiteral("op a(x: T[N], e: T[E], attr k: int, attr l: int[2], attr z: int = "
                              "0)\n  %1 {\n  %2 }")
                   .arg(signature, body)
            << said;
    };
    const QString fill = QStringLiteral("y[i] = pad(x[i], 0)");
    const QString place = QStringLiteral("t.fw:2:11: error OPR02: a: division by 0: ");
    for (const char* const extent : {"N / k", "N % k", "ceil_div(N, k)", "div(N, k)"})
        row(QStringLiteral("-> y: T[%1]").arg(QLatin1String(extent)), fill, place + "k is 0");
    row("-> y: T[N / l[1]]", fill, place + "l[1] is 0");
    row("-> y: T[N / (2 * k)]", fill, place + "the divisor is 0");
    row("-> y: T[select(k == 1, N, N / k)]", fill, "t.fw:2:29: error OPR02");
    row("-> y: T[N, ([N, N] / l)...]", "y[i, j, m] = x[i]",
        "error OPR02: a: division by 0: l has a 0");
    row("-> y: T[M] where M = N / k", fill, "t.fw:2:24: error OPR02: a: division by 0: k is 0");
    row("requires N % k == 0 -> y: T[N]", fill,
        "error SHP01: a: N % k == 0 cannot be decided: N = 4, k = 0, division by 0");
    row("requires l[0] / k >= 0 -> y: T[N]", fill,
        "l[0] / k >= 0 cannot be decided: l = [2, 0], k = 0, division by 0");
    row("-> y: T[N]", "y[i] = pad(x[i / k], 0)",
        "t.fw:3:16: error OPR02: a: division by 0: k is 0");
    row("-> y: T[N]", "y[i] = x[i % k]", "t.fw:3:12: error OPR02");
    row("-> y: T[N]", "y[i] = x[i] * sum(j in N / k : x[j])", "t.fw:3:26: error OPR02");
    row("-> y: T[N]", "y[i] = sum(j... in [N / k, 2] : x[i])", "t.fw:3:23: error OPR02");
    row("-> y: T[N / E]", fill, "t.fw:2:11: error SHP01: a: division by 0: E is 0");
    // What is left out divides nothing.
    row("-> y: T[select(k == 0, N, N / k)]", fill);
    row("-> y: T[select(k != 0 && N % k == 1, N / k, N)]", fill);
    row("requires k == 0 || N / k > 0 -> y: T[N]", fill);
    row("-> y: T[N]", "y[i] = select(k == 0, x[i], pad(x[i / k], 0))");
    // Elements, and places among no elements.
    row("-> y: T[N]", "y[i] = x[i] + cast(N / k, T)");
    row("-> y: T[N]", "y[i] = pad(e[i % E], 1)");
    row("-> y: T[N]", "y[i] = x[i] + sum(j in N / E : x[j])");
}

// Sizes, indices and how far reductions run, where an attribute is 0.
void TestOperators::zeroDividesNoPlace() {
    QFETCH(QString, text);
    QFETCH(QString, said);
    const QString told =
        refusal(qPrintable(text), callOf({"f32[4]", "f32[0]"},
                                         attrs({{"k", std::int64_t(0)}, {"l", Integers{2, 0}}})));
    QVERIFY2(said.isEmpty() ? told.isEmpty() : told.contains(said), qPrintable(told));
}

void TestOperators::optionalAndVariadic() {
    const OperatorSet ops = operatorsOf(
        "op lin(x: T[N, K], w: T[M, K], b?: T[M]) -> y: T[N, M] {\n"
        "  y[n, m] = sum(k in K : x[n, k] * w[m, k]) + given(b, b[m], 0) }\n"
        "op mask(x: T[B, N], bcast m?: T[B, N]) -> y: T[B, N] { y[b, n] = x[b, n] + given(m, m[b, "
        "n], 0) }\n"
        "op rows(x: T[P..., D...@axes, Q...], attr axes: int[] = []) -> y: T[P..., Q...] {\n"
        "  y[p..., q...] = sum(d... in D... : x[p..., d..., q...]) }\n",
        "t.fw");
    QVERIFY(textOf(*ops.find("lin"), callOf({"f32[2, 3]", "f32[4, 3]"})).count(u"b[") == 0);
    QVERIFY(
        textOf(*ops.find("lin"), callOf({"f32[2, 3]", "f32[4, 3]", "f32[4]"})).contains(u"+ b[m]"));
    QVERIFY(textOf(*ops.find("mask"), callOf({"f32[2, 3]", "f32[2, 1]"})).contains(u"m[b, 0]"));
    QVERIFY(textOf(*ops.find("mask"), callOf({"f32[2, 3]", "f32[3]"})).contains(u"m[n]"));
    QCOMPARE(inferred(*ops.find("mask"), callOf({"f32[2, 3]", "f32[4]"})),
             QStringLiteral("SHP01 mask: dimension 1 of x is 3 and dimension 0 of m is 4: they "
                            "must be equal, or the second 1"));
    QCOMPARE(inferred(*ops.find("rows"),
                      callOf({"f32[2, 3, 4, 5]"}, attrs({{"axes", Integers{-2, 1}}}))),
             QStringLiteral("f32[2, 5]"));
    QCOMPARE(inferred(*ops.find("rows"), callOf({"f32[2, 3]"})), QStringLiteral("f32[]"));
    QCOMPARE(
        inferred(*ops.find("rows"), callOf({"f32[2, 3, 4]"}, attrs({{"axes", Integers{0, 2}}}))),
        QStringLiteral("OPR02 rows: axes are not adjacent axes"));
    const auto inst = libraryTexts().find("concat")->instantiate(
        callOf({"f32[2, 3]", "f32[2, 0]", "f32[2, 5]"}, attrs({{"axis", std::int64_t(1)}})));
    QVERIFY2(inst.ok(), inst.ok() ? "" : inst.diag().text().c_str());
    QCOMPARE(inst->inputs[2].name.text(), std::string("xs2"));
    QCOMPARE(inst->stages[2].store[1].text(), inst->stages[2].space[1].var.text() + " + 3");
}

void TestOperators::namesAndCommutative() {
    const auto& ops = libraryTexts();
    QVERIFY(ops.find("add")->commutative());
    QVERIFY(ops.find("max")->commutative());
    QVERIFY(!ops.find("sub")->commutative());
    QVERIFY(!ops.find("greater")->commutative());
    QVERIFY(!ops.find("dense")->commutative());
    QCOMPARE(ops.find("conv2d")->inputNames(), (std::vector<std::string>{"x", "w"}));
    QCOMPARE(ops.find("layernorm")->outputNames(), (std::vector<std::string>{"y", "mean", "rstd"}));
    QCOMPARE(ops.find("softmax")->attrNames(), (std::vector<std::string>{"axis"}));
    QCOMPARE(ops.find("gelu")->signature(), std::string("gelu(x: T[S...]) -> y: T[S...]"));
    QVERIFY(!ops.find("gelu")->isNative());
}

FW_TEST(TestOperators, QCoreApplication)
#include "test_operators.moc"
