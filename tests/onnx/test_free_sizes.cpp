// Sizes that a model leaves open: what is assumed of them, and how they are called.
#include "common/test.h"
#include "onnx/reading.h"

#include <fmt/format.h>

#include <functional>
#include <limits>

using namespace fw;
using M = fw::test::ModelBuilder;
using fw::test::read;

class TestFreeSizes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void axesAreNamedOnce_data();
    void axesAreNamedOnce();
    void areAssumed();
    void dimensionsWithoutNames();
    void whatDoesNotFitIsNamedByTheModel();
    void anyOperatorComputesThem();
};

void TestFreeSizes::areAssumed() {
    const auto asked = [](const M& m) {
        const auto result = read(m.bytes());
        if (!result)
            return result.diag().text();
        if (!result->diagnostics.empty())
            return result->diagnostics.front().text();
        std::string out;
        for (const Assumption& assumption : result->graph->assumptions())
            out += (out.empty() ? "" : "; ") + assumption.condition.text();
        return out;
    };
    for (const char* mode : {"reflect", "edge", "wrap"}) {
        M pad(19, 9); // beside a free extent is put something, or nothing
        pad.input("a", {"N", "4"}).integers("pads", {1, 1, 0, 2}).output("y");
        M::setText(pad.node("Pad", "a pads", "y"), "mode", mode);
        QCOMPARE(asked(pad), std::string("1 <= N"));
        M inside(19, 9);
        inside.input("a", {"N", "4"}).integers("pads", {0, 1, 0, 2}).output("y");
        M::setText(inside.node("Pad", "a pads", "y"), "mode", mode);
        QCOMPARE(asked(inside), std::string());
    }
    M equal;
    equal.input("a", {"N", "4"}).output("q").output("r");
    M::set(equal.node("Split", "a", "q r"), "axis", 0);
    QCOMPARE(asked(equal), std::string("N == N / 2 * 2"));
    M taken; // by places that not every extent has
    taken.input("a", {"N", "4"}).integers("i", {0, 5, -7}).output("y");
    taken.node("Gather", "a i", "y");
    QCOMPARE(asked(taken), std::string("6 < N; 1 <= N"));
    M ends;
    ends.input("a", {"N", "4"}).integers("i", {0, -1}).output("y");
    ends.node("Gather", "a i", "y");
    QCOMPARE(asked(ends), std::string("1 <= N"));
    // As exporters write the end of an axis of any size, and its beginning.
    const auto cut = [](std::int64_t start, std::int64_t end, std::int64_t step) {
        M m;
        m.input("a", {"N", "4"}).integers("s", {start}).integers("e", {end}).integers("k", {step});
        m.integers("axes", {0}).output("y");
        m.node("Slice", "a s e axes k", "y");
        return m;
    };
    const auto type = [](const M& m) {
        return read(m.bytes()).value().graph->nodes().back()->outputs[0].type.text();
    };
    constexpr std::int64_t narrow = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t wide = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t end : {narrow, narrow + 1, wide}) {
        const std::string most = end == wide ? "" : fmt::format("N <= {}", end);
        QCOMPARE(asked(cut(0, end, 1)), most);
        QCOMPARE(type(cut(0, end, 1)), std::string("f32[N, 4]"));
        QCOMPARE(type(cut(1, end, 1)), std::string("f32[max(N - 1, 0), 4]"));
        QCOMPARE(type(cut(-3, end, 1)), std::string("f32[min(3, N), 4]"));
        QCOMPARE(type(cut(-1, -end, -1)), std::string("f32[N, 4]"));
        QCOMPARE(asked(cut(-1, -end - 1, -1)), most);
        QCOMPARE(type(cut(end, -end - 1, -1)), std::string("f32[N, 4]"));
    }
    QCOMPARE(asked(cut(0, narrow - 1, 1)), std::string());
    QCOMPARE(type(cut(0, narrow - 1, 1)), std::string("f32[min(2147483646, N), 4]"));
    M known; // where it is not free, nothing is asked
    known.input("a", {"7", "4"}).integers("s", {2}).integers("e", {narrow}).output("y");
    known.node("Slice", "a s e", "y");
    QCOMPARE(asked(known), std::string());
    M unequal; // matrices that are square where data say so
    unequal.input("a", {"N", "3", "4"}).input("b", {"N", "M", "M"}).output("y").output("z");
    unequal.node("Relu", "a", "y");
    unequal.node("Det", "b", "d");
    unequal.input("c", {"K", "3"}).node("Det", "c", "z");
    const auto partly = read(unequal.bytes());
    QVERIFY2(partly.ok(), partly.ok() ? "" : partly.diag().text().c_str());
    QVERIFY2(partly->diagnostics.front().text().find("K is free: data, or --dim K=...") !=
                 std::string::npos,
             partly->diagnostics.front().text().c_str());
    M squeezed;
    squeezed.input("a", {"N", "1", "4"}).output("y");
    squeezed.node("Squeeze", "a", "y");
    QCOMPARE(asked(squeezed), std::string("N != 1"));
}

// What exporters write where they know no size is never one size for two axes.
void TestFreeSizes::dimensionsWithoutNames() {
    M m;
    m.input("x", {"?", "?", "-1", "-1", "None", ""}).output("y", {"?", "?", "-1", "-7", "", ""});
    m.node("Relu", "x", "y");
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    QCOMPARE(result->graph->results()[0].value.valid()
                 ? result->graph->type(result->graph->results()[0].value).text()
                 : std::string(),
             std::string("f32[X_d0, X_d1, X_d2, X_d3, X_d4, X_d5]"));
    M named;
    named.input("x", {"unk__12", "unk__12", "N"}).output("y");
    named.node("Relu", "x", "y");
    QCOMPARE(read(named.bytes())->graph->nodes().back()->outputs[0].type.text(),
             std::string("f32[Unk__12, Unk__12, N]"));
}

void TestFreeSizes::whatDoesNotFitIsNamedByTheModel() {
    const auto refusal = [](const M& m) {
        const auto result = read(m.bytes());
        return result ? std::string("read") : result.diag().text();
    };
    for (const char* op : {"Add", "MatMul"}) {
        M m;
        m.input("left", {"2", "3"}).input("right", {"4", "5"}).output("y");
        m.node(op, "left right", "y", "here");
        const std::string text = refusal(m);
        QVERIFY2(text.find("node here") != std::string::npos, text.c_str());
        QVERIFY2(text.find("'left' is f32[2, 3], 'right' is f32[4, 5]") != std::string::npos,
                 text.c_str());
    }
    M m;
    m.input("image", {"1", "N", "8", "8"}).weights("w", {2, 4, 11, 11}).output("y");
    m.node("Conv", "image w", "y");
    const std::string text = refusal(m);
    QVERIFY2(text.find("'image' is f32[1, N, 8, 8], 'w' is f32[2, 4, 11, 11]") != std::string::npos,
             text.c_str());
}

// By its own tensor expression, so that a target becomes an attribute whoever computes it.
void TestFreeSizes::anyOperatorComputesThem() {
    const auto viewed = [](const std::function<void(M&)>& compute) {
        M m(18, 9);
        m.input("x", {"N", "4", "6"}).output("y").integers("at", {1}).integers("all", {-1});
        m.integers("two", {2}).integers("none", {0, 0, 0}).integers("zero", {0});
        m.node("Shape", "x", "s");
        compute(m);
        m.node("Reshape", "x t", "y");
        const auto result = read(m.bytes());
        if (!result)
            return result.diag().text();
        std::string out;
        for (const NodePtr& node : result->graph->nodes())
            out += node->isInput() ? "" : node->op + " " + node->outputs[0].type.text() + " ";
        return out;
    };
    QCOMPARE(viewed([](M& m) { m.node("ScatterElements", "s at all", "t"); }),
             std::string("reshape f32[N, 4, 6] "));
    QCOMPARE(viewed([](M& m) { m.node("Sum", "s none none", "t"); }),
             std::string("reshape f32[N, 4, 6] "));
    QCOMPARE(viewed([](M& m) { m.node("Abs", "s", "t"); }), std::string("reshape f32[N, 4, 6] "));
    QCOMPARE(viewed([](M& m) {
                 m.node("Div", "s two", "h");
                 m.node("Gather", "h at", "a");
                 m.node("Gather", "s zero", "n");
                 M::set(m.node("Concat", "n a all", "t"), "axis", 0);
             }),
             std::string("reshape f32[N, 2, 12] "));
}

void TestFreeSizes::axesAreNamedOnce_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("extent"); // of x, twice of which is the operand with the sizes
    for (const char* type : {"Pad", "Slice"})
        for (const char* extent : {"N", "3"})
            QTest::addRow("%s of %s", type, extent) << type << extent;
}

void TestFreeSizes::axesAreNamedOnce() {
    QFETCH(QString, type);
    QFETCH(QString, extent);
    const bool isPad = type == u"Pad";
    M m(18);
    m.input("x", {extent.toStdString(), "2"}).output("y");
    m.integers("zero", {0}).integers("none", {0, 0}).integers("axes", {0, 0});
    m.node("Shape", "x", "whole");
    m.node("Gather", "whole zero", "size");
    M::set(m.node("Concat", isPad ? "size size size size" : "size size", "sizes"), "axis", 0);
    auto& node = m.node(type.toStdString(), isPad ? "x sizes" : "x none sizes axes", "y", "cut");
    if (isPad) {
        node.add_input("");
        node.add_input("axes");
    }
    const auto result = read(m.bytes());
    QVERIFY(!result.ok());
    QVERIFY2(result.diag().message.find(type.toStdString() + ": axis 0 is named twice") !=
                 std::string::npos,
             result.diag().text().c_str());
}

FW_TEST(TestFreeSizes, QCoreApplication)
#include "test_free_sizes.moc"
