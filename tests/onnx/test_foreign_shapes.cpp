// What is known of values whose elements are none of ours: shapes, and whether optionals that the
// model makes hold something.
#include "common/test.h"
#include "onnx/reading.h"

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

namespace {

// An input s of that type beside x -> Relu -> y.
M withInput(const proto::TypeProto& type) {
    M m(21, 10);
    auto& s = *m.graph().add_input();
    s.set_name("s");
    *s.mutable_type() = type;
    m.input("x", {"2", "3"}).output("y");
    m.node("Relu", "x", "y");
    return m;
}

proto::TypeProto textOf(const std::vector<std::string>& dims) {
    proto::ValueInfoProto value;
    M::declare(value, "x", dims, proto::TensorProto::STRING);
    return value.type();
}

} // namespace

class TestForeignShapes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shapesAreKnown();
    void optionalsThatTheModelMakesAreKnown();
};

// Of a value that nothing here computes with: what its type says is a constant.
void TestForeignShapes::shapesAreKnown() {
    for (const char* extent : {"2", "N"}) {
        M m = withInput(textOf({extent, "3"}));
        m.weights("w", {1}).output("filled").output("count", {}, proto::TensorProto::INT64);
        m.node("Shape", "s", "extents", "shape");
        m.node("ConstantOfShape", "extents", "zeros");
        m.node("Add", "zeros w", "filled", "filled");
        m.node("Size", "s", "count", "size");
        const auto result = read(m.bytes());
        QVERIFY2(result.ok(), result ? "" : result.diag().text().c_str());
        const bool isKnown = *extent == '2';
        QCOMPARE(result->diagnostics.empty(), isKnown);
        if (!isKnown) // no data of ours say what N is
            continue;
        const ValueRef filled = result->graph->results()[1].value;
        QCOMPARE(result->graph->type(filled).text(), std::string("f32[2, 3]"));
        const TensorData* count = result->graph->constant(result->graph->results()[2].value);
        QVERIFY(count != nullptr && count->toIntegers() == Integers{6});
    }
}

void TestForeignShapes::optionalsThatTheModelMakesAreKnown() {
    M m(18, 8);
    m.input("x", {"2", "3"}).output("y").output("yes", {}, proto::TensorProto::BOOL);
    m.output("no", {}, proto::TensorProto::BOOL).output("of", {}, proto::TensorProto::BOOL);
    m.node("Optional", "x", "some");
    m.node("OptionalHasElement", "some", "yes");
    m.node("OptionalHasElement", "", "no");
    m.node("OptionalHasElement", "x", "of");
    m.node("OptionalGetElement", "some", "inside");
    m.node("Relu", "inside", "y");
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result ? "" : result.diag().text().c_str());
    QVERIFY2(result->diagnostics.empty(),
             result->diagnostics.empty() ? "" : result->diagnostics[0].text().c_str());
    QCOMPARE(operatorsOf(*result->graph), std::string("relu"));
    const std::vector<std::int64_t> truths{1, 0, 1};
    for (std::size_t i = 0; i < truths.size(); ++i) {
        const TensorData* data = result->graph->constant(result->graph->results()[i + 1].value);
        QVERIFY(data != nullptr);
        QCOMPARE(data->integerAt(0), truths[i]);
    }
    proto::TypeProto optional;
    *optional.mutable_optional_type()->mutable_elem_type() = textOf({"2"});
    // One that is given holds what data say.
    M given = withInput(optional);
    given.node("OptionalHasElement", "s", "has", "has");
    given.output("has", {}, proto::TensorProto::BOOL);
    const auto open = read(given.bytes());
    QVERIFY2(open.ok(), open ? "" : open.diag().text().c_str());
    QCOMPARE(open->diagnostics.size(), std::size_t(1));
    QCOMPARE(open->diagnostics[0].where.node, std::string("has_OptionalHasElement"));
}

FW_TEST(TestForeignShapes, QCoreApplication)
#include "test_foreign_shapes.moc"
