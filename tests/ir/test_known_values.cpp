// What operators compute of integers over free dimensions follows from their own tensor
// expressions: every operator here is text or stands behind the same interface.
#include "common/test.h"
#include "ir/known_values.h"

#include "graph/builder.h"

#include <cstdint>

using namespace fw;
using namespace fw::test;

namespace {

// The elements at some sizes: two expressions are one if they agree there.
std::string written(const Exprs& elements) {
    std::string out;
    for (const auto& [batch, channels] : {std::pair(0, 1), {1, 2}, {2, 5}, {9, 4}}) {
        const Bindings sizes{{Symbol("N"), batch}, {Symbol("C"), channels}};
        for (const Expr& element : elements)
            out += std::to_string(evalIndex(element, sizes).value()) + " ";
        out += "; ";
    }
    return out;
}

// A graph under construction and what is known of it.
class Sizes : public Builder {
public:
    // [N, C, 8], elements not known.
    ValueRef image() {
        return editor.addInput("x", {DType::F32, {varExpr("N"), varExpr("C"), Expr(8)}});
    }
    ValueRef list(const Integers& values, DType dtype = DType::I64) {
        return editor.addConstant(
            "list", dataFromIntegers(dtype, {static_cast<std::int64_t>(values.size())}, values));
    }
    // What the model computes of the dimensions, or of other things.
    ValueRef sizes(const Exprs& values, DType dtype = DType::I64) {
        const auto count = static_cast<std::int64_t>(values.size());
        const ValueRef out = editor.addInput("s", {dtype, {Expr(count)}});
        known.give(out, SmallTensor{dtype, {count}, values});
        return out;
    }
    std::string text(ValueRef value) {
        const KnownValue* found = known.find(value);
        if (found == nullptr)
            return "not known";
        return written(integersIn(*found).value().elements);
    }
    std::string text(const std::string& operation, std::vector<ValueRef> inputs,
                     const std::vector<std::pair<std::string, AttrValue>>& attributes = {}) {
        return text(op(operation, std::move(inputs), attrs(attributes)));
    }

    std::shared_ptr<const OperatorSet> operators = standardOperators();
    KnownValues known{editor, *operators};
};

const Expr n = varExpr("N"), c = varExpr("C");

} // namespace

class TestKnownValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void extentsOfWhatIsNotKnown();
    void arithmetic();
    void whatTypesDoNotHold();
    void truthsAreProved();
    void elementsByPlace();
    void reductions();
    void numbersByTheReference();
    void extentsOfMovements();
    void nothingIsGuessed();
};

void TestKnownValues::extentsOfWhatIsNotKnown() {
    Sizes s;
    const ValueRef x = s.image();
    QCOMPARE(s.text("shape", {x}), written({n, c, 8}));
    QCOMPARE(s.text(x), std::string("not known"));
    QCOMPARE(s.text("relu", {x}), std::string("not known"));
    QCOMPARE(s.text("arg_max", {x}, {{"axis", std::int64_t(2)}}), std::string("not known"));
}

void TestKnownValues::arithmetic() {
    Sizes s;
    const ValueRef sizes = s.sizes({n, c, Expr(8)});
    const auto with = [&](const std::string& op, std::int64_t by) {
        return s.text(op, {sizes, s.list({by})});
    };
    QCOMPARE(with("add", 2), written({n + 2, c + 2, 10}));
    QCOMPARE(with("sub", 2), written({n - 2, c - 2, 6}));
    QCOMPARE(with("mul", 3), written({n * 3, c * 3, 24}));
    QCOMPARE(with("div", 2), written({floorDivExpr(n, 2), floorDivExpr(c, 2), 4}));
    QCOMPARE(with("mod", 3), written({modExpr(n, 3), modExpr(c, 3), 2}));
    QCOMPARE(with("max", 8), written({maxExpr(n, 8), maxExpr(c, 8), 8}));
    QCOMPARE(with("min", 0), written({0, 0, 0}));
    QCOMPARE(s.text("neg", {sizes}), written({-n, -c, -8}));
    QCOMPARE(s.text("abs", {sizes}), written({n, c, 8}));
    QCOMPARE(s.text("cast", {sizes}, {{"to", DType::I32}}), written({n, c, 8}));
    // Back and forth through floats that hold every size.
    const ValueRef real = s.op("cast", {sizes}, attrs({{"to", DType::F64}}));
    QCOMPARE(s.text(real), std::string("not known")); // which are no integers themselves
    // Nothing says of which sign they are.
    QCOMPARE(s.text("div", {s.sizes({n - c}), s.list({2})}), std::string("not known"));
    QCOMPARE(s.text("div", {s.list({2}), s.sizes({n})}), std::string("not known")); // N may be 0
}

void TestKnownValues::whatTypesDoNotHold() {
    Sizes s;
    const ValueRef sizes = s.sizes({n, c});
    QCOMPARE(s.text("cast", {sizes}, {{"to", DType::U8}}), std::string("not known"));
    QCOMPARE(s.text("cast", {sizes}, {{"to", DType::U64}}), std::string("not known"));
    QCOMPARE(s.text("mul", {s.sizes({n, Expr(INT64_MAX)}), s.list({2})}), std::string("not known"));
    QCOMPARE(s.text("neg", {s.sizes({n, Expr(INT64_MIN)})}), std::string("not known"));
    QCOMPARE(s.text("add", {s.sizes({n, Expr(2147483647)}, DType::I32), s.list({1}, DType::I32)}),
             std::string("not known"));
}

void TestKnownValues::truthsAreProved() {
    Sizes s;
    const ValueRef sizes = s.sizes({n + Expr(1), Expr(8), c});
    QCOMPARE(s.text("equal", {sizes, s.sizes({Expr(0), Expr(8), c})}), written({0, 1, 1}));
    QCOMPARE(s.text("equal", {sizes, s.list({4})}), std::string("not known"));
    QCOMPARE(s.text("greater", {sizes, s.list({-1})}), written({1, 1, 1}));
    const ValueRef truths = s.op("less", {s.list({0, 9, 0}), sizes});
    QCOMPARE(s.text(truths), std::string("not known")); // 0 < C
    const ValueRef known = s.op("less", {s.list({0, 9, -1}), sizes});
    QCOMPARE(s.text(known), written({1, 0, 1}));
    QCOMPARE(s.text("where", {known, sizes, s.list({7})}), written({n + 1, 7, c}));
    QCOMPARE(s.text("not", {known}), written({0, 1, 0}));
}

void TestKnownValues::elementsByPlace() {
    Sizes s;
    const ValueRef sizes = s.op("shape", {s.image()});
    QCOMPARE(s.text("gather", {sizes, s.list({-1, 0})}, {{"axis", std::int64_t(0)}}),
             written({8, n}));
    QCOMPARE(s.text("concat", {s.list({4}), sizes}, {{"axis", std::int64_t(0)}}),
             written({4, n, c, 8}));
    QCOMPARE(s.text("reshape", {sizes}, {{"shape", Integers{3, 1}}}), written({n, c, 8}));
    QCOMPARE(s.text("slice", {sizes},
                    {{"starts", Integers{-1}},
                     {"ends", Integers{-3}},
                     {"axes", Integers{0}},
                     {"steps", Integers{-1}}}),
             written({8, c}));
    QCOMPARE(s.text("tile", {sizes}, {{"repeats", Integers{2}}}), written({n, c, 8, n, c, 8}));
    QCOMPARE(s.text("gather", {sizes, s.sizes({n})}, {{"axis", std::int64_t(0)}}),
             std::string("not known"));
}

void TestKnownValues::reductions() {
    Sizes s;
    const ValueRef sizes = s.op("shape", {s.image()});
    const auto over = [&](const std::string& op) {
        return s.text(op, {sizes}, {{"axes", Integers{0}}, {"keepdims", std::int64_t(0)}});
    };
    QCOMPARE(over("reduce_prod"), written({n * c * 8}));
    QCOMPARE(over("reduce_sum"), written({n + c + 8}));
    QCOMPARE(over("reduce_max"), written({maxExpr(maxExpr(n, c), 8)}));
}

void TestKnownValues::numbersByTheReference() {
    Sizes s;
    const ValueRef half = s.editor.addConstant("half", dataFromDoubles(DType::F32, {1}, {0.5}));
    const ValueRef real = s.op("cast", {s.list({3, 4})}, attrs({{"to", DType::F32}}));
    const ValueRef scaled = s.op("mul", {real, half});
    QCOMPARE(numbersIn(s.known.find(scaled))->toDoubles(), (std::vector<double>{1.5, 2.0}));
    QCOMPARE(s.text("cast", {s.op("floor", {scaled})}, {{"to", DType::I64}}), written({1, 2}));
}

// The texts of resources/library/sizes.fw say it once.
void TestKnownValues::extentsOfMovements() {
    Sizes s;
    const ValueRef extents = s.op("shape", {s.image()});
    QCOMPARE(
        s.text("reshape_extents", {s.list({0, -1, 4}), extents}, {{"keep_zero", std::int64_t(0)}}),
        written({n, floorDivExpr(n * c * 8, maxExpr(n * 4, 1)), 4}));
    QCOMPARE(s.text("unsqueeze_extents", {extents, s.list({0, -1})}), written({1, n, c, 8, 1}));
    QCOMPARE(s.text("reduced_extents", {extents, s.list({-2})}), written({n, 1, 8}));
    const auto parts = [&](const Exprs& starts, const Exprs& ends, const Integers& steps) {
        GraphEditor::NewNode node;
        node.op = "slice_extents";
        node.inputs = {s.sizes(starts), s.sizes(ends), s.list({0, 2}), s.list(steps), extents};
        return s.text(s.editor.add(node).value().at(2));
    };
    QCOMPARE(parts({Expr(1), Expr(-2)}, {n, Expr(100)}, {1, 1}),
             written({maxExpr(n - 1, 0), c, 2}));
    const Expr end(INT64_MAX); // what files write for it
    QCOMPARE(parts({Expr(2), -end}, {end, end}, {1, 1}), written({maxExpr(n - 2, 0), c, 8}));
    QCOMPARE(parts({Expr(0), Expr(0)}, {n, Expr(8)}, {2, 3}),
             written({floorDivExpr(n + 1, 2), c, 3}));
    GraphEditor::NewNode pads;
    pads.op = "pad_extents";
    pads.inputs = {s.sizes({n}), s.list({1}), s.list({1}), extents};
    QCOMPARE(s.text(s.editor.add(pads).value().at(1)), written({n, c + n + 1, 8}));
}

void TestKnownValues::nothingIsGuessed() {
    Sizes s;
    const ValueRef large = s.editor.addInput("l", {DType::I64, {Expr(2000)}});
    QCOMPARE(s.text("neg", {large}), std::string("not known"));
    const ValueRef open = s.editor.addInput("o", {DType::I64, {n}});
    QCOMPARE(s.text("neg", {open}), std::string("not known"));
    QCOMPARE(s.text("add", {s.editor.addInput("i", {DType::I64, {Expr(1)}}), s.sizes({n})}),
             std::string("not known"));
}

FW_TEST(TestKnownValues, QCoreApplication)
#include "test_known_values.moc"
