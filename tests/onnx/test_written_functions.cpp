// Operators of books that bring their bodies along: as functions of the model that other programs
// compute, and what is written where ONNX cannot say the body. The reference judges: the operator
// and its function, read as a stranger reads it, on the same random operands.
#include "common/test.h"
#include "onnx/function_cases.h"
#include "onnx/graph_tools.h"
#include "onnx/model/proto.h"
#include "onnx/reading.h"
#include "onnx/schema/own.h"

#include <cmath>

using namespace fw;
using namespace fw::test;

namespace {

std::string difference(const std::vector<TensorData>& got, const std::vector<TensorData>& want) {
    for (std::size_t i = 0; i < want.size(); ++i) {
        if (!(got.at(i).type() == want[i].type()))
            return fmt::format("result {} is {}, not {}", i, got[i].type().text(),
                               want[i].type().text());
        const auto a = got[i].toDoubles(), b = want[i].toDoubles();
        for (std::size_t k = 0; k < b.size(); ++k)
            if (!(a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k])) ||
                  std::abs(a[k] - b[k]) <= 1e-5 + 1e-5 * std::abs(b[k])))
                return fmt::format("result {}, element {}: {} instead of {}", i, k, a[k], b[k]);
    }
    return {};
}

// Empty if a stranger to the operator reads its function and computes the same.
std::string strangerDiffers(const Written& one) {
    const auto read = importModelBytes(one.model.bytes, standardOperators());
    if (!read)
        return read.diag().text();
    if (!read->diagnostics.empty())
        return read->diagnostics.front().text();
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto operands = operandsOf(*one.graph, seed * 100);
        const auto want = evaluateBound(*one.graph, operands);
        const auto got = evaluateBound(*read->inlined, operands);
        if (!want || !got)
            return !want ? want.diag().text() : got.diag().text();
        if (const std::string differs = difference(*got, *want); !differs.empty())
            return differs;
    }
    return {};
}

} // namespace

class TestWrittenFunctions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bodiesAreWritten_data();
    void bodiesAreWritten();
    void whatCannotBeSaid_data();
    void whatCannotBeSaid();
    void attributesStayOpen();
    void readAsTheOperator();
    void freeDimensions();
    void oneFunctionForAllCalls();
    void noFunctionForTheStandardDomain();
};

void TestWrittenFunctions::bodiesAreWritten_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::vector<Call>>("calls");
    for (const BodyCase& one : bodyCases())
        QTest::newRow(one.name) << one.text << one.calls;
}

void TestWrittenFunctions::bodiesAreWritten() {
    QFETCH(std::string, text);
    QFETCH(std::vector<Call>, calls);
    for (const Call& call : calls) { // each alone: reads of free rank included
        const Written one = written(text, {call});
        QCOMPARE(one.model.decisions.size(), std::size_t(1));
        const Decision& decision = one.model.decisions.front();
        QVERIFY2(decision.code == ReasonCode::WrittenAsFunction, decision.evidence.c_str());
        QCOMPARE(decision.subject, std::string("mine"));
        const std::string differs = strangerDiffers(one);
        QVERIFY2(differs.empty(), (call.inputs.front().text() + ": " + differs).c_str());
    }
}

void TestWrittenFunctions::whatCannotBeSaid_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::vector<Extents>>("shapes");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* name, const std::string& text,
                        const std::vector<Extents>& shapes, const char* why) {
        QTest::newRow(name) << text << shapes << QString::fromLatin1(why);
    };
    row("a window",
        op("(x: T[N], w: T[K]) -> y: T[M] where M = N - K + 1",
           "y[m] = sum(k in K : x[m + k] * w[k])"),
        {{5}, {2}}, "x is read at a computed place");
    row("a read that may leave", op("(x: T[N]) -> y: T[N]", "y[n] = pad(x[n - 1], 0)"), {{5}},
        "pad() is no composition of operators of ONNX");
    row("an index that is read",
        op("(x: T[N], k: T[M]) -> y: T[M]", "y[m] = x[wrap(cast(k[m], i64), N)]"), {{3}, {4}},
        "x is read at a computed place");
    row("a part", op("(x: T[N]) -> y: T[M] where M = N - 1", "y[m] = x[m]"), {{5}},
        "x is read over M, and its axis is another");
    row("the diagonal", op("(x: T[N, N]) -> y: T[N]", "y[n] = x[n, n]"), {{3, 3}},
        "x is read along its diagonal");
    row("backwards", op("(x: T[N]) -> y: T[N]", "y[N - 1 - n] = x[n]"), {{3}},
        "y is written at a computed place");
    row("any number", op("(xs*: T[D]) -> y: T[total(D)]", "each xs: y[before(D) + d] = xs[d]"),
        {{3}}, "'xs' is any number of operands");
    row("integers by what may be 0", op("(x: T[N]) -> y: i32[N]", "y[n] = 6 / cast(x[n], i32)"),
        {{3}}, "integers are divided by what may be 0");
    row("half of the sum", op("(x: T[N]) -> y: T[]", "y[] = sum(n in N / 2 : x[n])"), {{4}},
        "how far 'n' runs is computed");
}

void TestWrittenFunctions::whatCannotBeSaid() {
    QFETCH(std::string, text);
    QFETCH(std::vector<Extents>, shapes);
    QFETCH(QString, why);
    Call call;
    for (const Extents& extents : shapes)
        call.inputs.push_back(f32Type(extents));
    const Written one = written(text, {call});
    QCOMPARE(one.model.decisions.size(), std::size_t(1));
    const Decision& decision = one.model.decisions.front();
    QVERIFY(decision.code == ReasonCode::WrittenWithoutBody);
    QCOMPARE(QString::fromStdString(decision.evidence), why);
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(one.model.bytes));
    QCOMPARE(model.functions_size(), 0);
    QCOMPARE(model.metadata_props(0).key(), std::string(operatorsKey));
}

// A function names the attributes of its calls, under the names that the clause gives them.
void TestWrittenFunctions::attributesStayOpen() {
    const std::string text = op(
        "(x: T[S...], attr s: float = 2, attr k: int[2] = [1, 2], attr hard: bool = false) -> y: "
        "T[S...]",
        "y[i...] = select(hard, x[i...] * s, x[i...] * k[1])",
        "{s = scale, k = steps, mode == \"fast\"} ");
    const auto attrs = [](double s, std::int64_t second, bool hard) {
        Attrs out;
        out.set("s", s);
        out.set("k", Integers{0, second});
        out.set("hard", std::int64_t{hard});
        return out;
    };
    const Written one = written(text, {{{f32Type({3})}, attrs(0.5, 3, true)},
                                       {{f32Type({2, 2})}, attrs(1, -7, false)},
                                       {{f32Type({1})}, {}}});
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(one.model.bytes));
    QCOMPARE(model.functions_size(), 1);
    const proto::FunctionProto& function = model.functions(0);
    QCOMPARE(function.domain(), std::string("com.me"));
    QCOMPARE(function.name(), std::string("Mine"));
    const std::set<std::string> names(function.attribute().begin(), function.attribute().end());
    QVERIFY((names == std::set<std::string>{"scale", "steps", "hard", "mode"}));
    QCOMPARE(function.opset_import(0).version(), one.model.opset);
    const std::string differs = strangerDiffers(one);
    QVERIFY2(differs.empty(), differs.c_str());
}

// With its text or its book it is the operator again, and nothing is told of the function.
void TestWrittenFunctions::readAsTheOperator() {
    const Written one =
        written(op("(x: T[S...]) -> y: T[S...]", "y[i...] = x[i...] + 1"), {{{f32Type({3})}, {}}});
    ImportOptions options;
    options.define = withModelOperators;
    for (const auto& operators : {one.operators, standardOperators()}) {
        const auto read = importModelBytes(one.model.bytes, operators, options);
        QVERIFY2(read.ok(), read ? "" : read.diag().text().c_str());
        QVERIFY2(read->diagnostics.empty(),
                 read->diagnostics.empty() ? "" : read->diagnostics.front().text().c_str());
        QCOMPARE(operatorsOf(*read->graph), std::string("mine"));
        QCOMPARE(exportModel(*read->graph)->bytes, one.model.bytes);
    }
}

void TestWrittenFunctions::freeDimensions() {
    const Written one = written(op("(x: T[P..., D], g: T[D]) -> y: T[P..., D]",
                                   "y[p..., d] = x[p..., d] * g[d] / sum(k in D : x[p..., k]) / D"),
                                {{{TensorType{DType::F32, {varExpr("N"), varExpr("D")}},
                                   TensorType{DType::F32, {varExpr("D")}}},
                                  {}}});
    for (const std::int64_t n : {0, 1, 5}) {
        ImportOptions options;
        options.dims = {{"N", n}, {"D", 3}};
        const auto own = importModelBytes(one.model.bytes, one.operators, options);
        const auto read = importModelBytes(one.model.bytes, standardOperators(), options);
        QVERIFY2(own.ok() && read.ok(), read ? "" : read.diag().text().c_str());
        const auto operands = operandsOf(*own->graph, 5);
        const auto want = evaluateBound(*own->graph, operands);
        const auto got = evaluateBound(*read->inlined, operands);
        QVERIFY2(want.ok() && got.ok(), got ? "" : got.diag().text().c_str());
        const std::string differs = difference(*got, *want);
        QVERIFY2(differs.empty(), differs.c_str());
    }
    const auto open = importModelBytes(one.model.bytes, standardOperators());
    QVERIFY2(open.ok() && open->diagnostics.empty(), open ? "" : open.diag().text().c_str());
    QCOMPARE(open->graph->type(open->graph->results()[0].value).text(), std::string("f32[N, D]"));
}

// What calls differ in stays open, or there is no function.
void TestWrittenFunctions::oneFunctionForAllCalls() {
    const std::string map = op("(x: T[S...]) -> y: T[S...]", "y[i...] = x[i...] * x[i...] + 3");
    const TensorType integers{DType::I32, fixedShape({4})};
    const Written both = written(map, {{{f32Type({2, 3})}, {}}, {{integers}, {}}});
    QVERIFY(both.model.decisions.front().code == ReasonCode::WrittenAsFunction);
    QVERIFY2(strangerDiffers(both).empty(), strangerDiffers(both).c_str());
    const auto why = [](const Written& one) {
        return QString::fromStdString(one.model.decisions.front().evidence);
    };
    const std::string half = op("(x: T[S...]) -> y: T[S...]", "y[i...] = x[i...] / 2");
    QVERIFY(why(written(half, {{{f32Type({2})}, {}}, {{integers}, {}}}))
                .startsWith(QStringLiteral("'/' means something else")));
    const Written one = written(half, {{{integers}, {}}});
    QVERIFY2(strangerDiffers(one).empty(), strangerDiffers(one).c_str());
    const std::string first =
        op("(x: T[N, P...], b: T[N]) -> y: T[N, P...]", "y[n, p...] = x[n, p...] * b[n]");
    QVERIFY(why(written(first, {{{f32Type({2, 3}), f32Type({2})}, {}},
                                {{f32Type({2, 3, 1}), f32Type({2})}, {}}}))
                .contains(QStringLiteral("differs between the calls")));
    const std::string optional =
        op("(x: T[N], b?: T[N]) -> y: T[N]", "y[n] = x[n] + given(b, b[n], 7)");
    QCOMPARE(why(written(optional, {{{f32Type({2}), f32Type({2})}, {}}, {{f32Type({2})}, {}}})),
             QStringLiteral("some calls give 'b' and others do not"));
}

// Its nodes mean what the standard says, for whoever reads them.
void TestWrittenFunctions::noFunctionForTheStandardDomain() {
    const Written one = written("op mine (x: T[S...]) -> y: T[S...] onnx \"\" \"Relu\" since 7 { "
                                "y[i...] = max(x[i...], 0) }",
                                {{{f32Type({3})}, {}}});
    QVERIFY(one.model.decisions.empty());
}

FW_TEST(TestWrittenFunctions, QCoreApplication)
#include "test_written_functions.moc"
