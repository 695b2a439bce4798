// Types behind elements that nothing here computes with, where the operators between know them.
#include "common/test.h"
#include "onnx/reading.h"

#include "ir/missing_type.h"
#include "onnx/proto_types.h"

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

namespace {

using Integers64 = std::vector<std::int64_t>;

constexpr int text = proto::TensorProto::STRING, float8 = 17, float8e5m2 = 19, uint4 = 21,
              int4 = 22,
              float4 = 23; // float8e4m3fn, float4e2m1

void foreignWeights(M& m, const std::string& name, int element, const Integers64& dims,
                    std::size_t bytes) {
    auto* tensor = m.graph().add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(element);
    for (const std::int64_t dim : dims)
        tensor->add_dims(dim);
    tensor->set_raw_data(std::string(bytes, '\x21'));
}

// What depends on elements that nothing here computes with is not known; all else is.
struct ForeignCase {
    const char* name;
    void (*build)(M&); // from x, of which `y` is made
    const char* result;
    const char* operators; // without those that are unknown
    std::int64_t opset = 21;
};

const ForeignCase foreignCases[] = {
    {"float8 that is dequantized",
     [](M& m) {
         m.input("x", {"5", "N"}, float8).input("a", {"N"}).weights("s", {});
         m.node("DequantizeLinear", "x s", "q");
         m.node("Add", "q a", "y");
     },
     "f32[5, N]", "add"},
    {"another float8, by a scale in f16",
     [](M& m) {
         m.input("x", {"B", "N"}, float8e5m2).input("s", {}, f16);
         m.node("DequantizeLinear", "x s", "q");
         m.node("Relu", "q", "y");
     },
     "f16[B, N]", "relu"},
    {"uint4 with its zero",
     [](M& m) {
         m.input("x", {"2", "3"}, uint4).weights("s", {});
         foreignWeights(m, "z", uint4, {}, 1);
         m.node("DequantizeLinear", "x s z", "q");
         m.node("Sigmoid", "q", "y");
     },
     "f32[2, 3]", "sigmoid"},
    {"weights in int4, by blocks",
     [](M& m) {
         m.input("x", {"N", "4"}).weights("s", {2, 6});
         foreignWeights(m, "w", int4, {4, 6}, 12);
         auto& node = m.node("DequantizeLinear", "w s", "q");
         M::set(node, "axis", std::int64_t(0));
         M::set(node, "block_size", std::int64_t(2));
         m.node("MatMul", "x q", "y");
     },
     "f32[N, 6]", "batch_matmul"},
    {"weights in int4 that are turned round before",
     [](M& m) {
         m.input("x", {"N", "4"}).weights("s", {});
         foreignWeights(m, "w", int4, {6, 4}, 12);
         m.node("Transpose", "w", "t");
         m.node("DequantizeLinear", "t s", "q");
         m.node("MatMul", "x q", "y");
     },
     "f32[N, 6]", "batch_matmul"},
    {"weights in uint4 of another shape",
     [](M& m) {
         m.input("x", {"N", "4"}).weights("s", {}).integers("to", {4, -1});
         foreignWeights(m, "w", uint4, {2, 12}, 12);
         m.node("Reshape", "w to", "t");
         m.node("DequantizeLinear", "t s", "q");
         m.node("MatMul", "x q", "y");
     },
     "f32[N, 6]", "batch_matmul"},
    {"a constant in float4",
     [](M& m) {
         m.input("x", {"3"}).weights("s", {});
         auto* value = m.node("Constant", "", "w").add_attribute();
         value->set_name("value");
         value->set_type(proto::AttributeProto::TENSOR);
         value->mutable_t()->set_data_type(float4);
         value->mutable_t()->add_dims(3);
         value->mutable_t()->set_raw_data(std::string(2, '\x21'));
         m.node("DequantizeLinear", "w s", "q");
         m.node("Mul", "x q", "y");
     },
     "f32[3]", "mul", 23},
    {"to float8 and back",
     [](M& m) {
         m.input("x", {"B", "4"}).weights("s", {});
         foreignWeights(m, "z", float8, {}, 1);
         m.node("QuantizeLinear", "x s z", "q");
         m.node("DequantizeLinear", "q s z", "d");
         m.node("Exp", "d", "y");
     },
     "f32[B, 4]", "exp"},
    {"to what output_dtype names and back",
     [](M& m) {
         m.input("x", {"B", "4"}).weights("s", {});
         M::set(m.node("QuantizeLinear", "x s", "q"), "output_dtype", std::int64_t(int4));
         m.node("DequantizeLinear", "q s", "d");
         m.node("Exp", "d", "y");
     },
     "f32[B, 4]", "exp"},
    {"cast to float8 and on",
     [](M& m) {
         m.input("x", {"B", "4"});
         M::set(m.node("Cast", "x", "c"), "to", std::int64_t(float8));
         M::set(m.node("Cast", "c", "d"), "to", std::int64_t(f16));
         m.node("Neg", "d", "y");
     },
     "f16[B, 4]", "neg"},
    {"as another value",
     [](M& m) {
         m.input("x", {"B", "4"}, float8).input("a", {"9"}, f64);
         m.node("CastLike", "x a", "c");
         m.node("Abs", "c", "y");
     },
     "f64[B, 4]", "abs"},
    {"the type of the result is said",
     [](M& m) {
         m.input("x", {"B", "4"}, float8).weights("s", {});
         M::set(m.node("DequantizeLinear", "x s", "q"), "output_dtype", std::int64_t(f16));
         m.node("Abs", "q", "y");
     },
     "f16[B, 4]", "abs", 23},
    {"texts that are numbers",
     [](M& m) {
         m.input("x", {"B", "4"}, text);
         M::set(m.node("Cast", "x", "c"), "to", std::int64_t(f32));
         m.node("Abs", "c", "y");
     },
     "f32[B, 4]", "abs"},
    {"texts that are compared",
     [](M& m) {
         m.input("x", {"B", "1"}, text).input("a", {"4"}, text);
         m.node("Equal", "x a", "c");
         m.node("Not", "c", "y");
     },
     "bool[B, 4]", "not"},
    {"float8 that is picked",
     [](M& m) {
         m.input("x", {"B", "4"}, float8).input("i", {"7"}, i64).weights("s", {});
         M::set(m.node("Gather", "x i", "g"), "axis", std::int64_t(1));
         m.node("DequantizeLinear", "g s", "d");
         m.node("Abs", "d", "y");
     },
     "f32[B, 7]", "abs"},
    {"a function that dequantizes",
     [](M& m) {
         auto* entry = m.model.add_opset_import();
         entry->set_domain("own");
         entry->set_version(1);
         auto* function = m.model.add_functions();
         function->set_domain("own");
         function->set_name("Back");
         function->add_input("q");
         function->add_input("by");
         function->add_output("r");
         auto* opset = function->add_opset_import();
         opset->set_version(21);
         auto* inner = function->add_node();
         inner->set_op_type("DequantizeLinear");
         inner->add_input("q");
         inner->add_input("by");
         inner->add_output("r");
         m.input("x", {"B", "4"}, float8).weights("s", {});
         m.node("Back", "x s", "d").set_domain("own");
         m.node("Abs", "d", "y");
     },
     "f32[B, 4]", "abs"},
    {"float8 that is only moved",
     [](M& m) {
         m.input("x", {"B", "4"}, float8);
         m.node("Transpose", "x", "y");
     },
     "", ""},
    {"without a shape",
     [](M& m) {
         m.input("x", {}, float8).weights("s", {});
         m.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
         m.node("DequantizeLinear", "x s", "y");
     },
     "", ""},
    {"scales that do not fit",
     [](M& m) {
         m.input("x", {"2", "3"}, float8).weights("s", {5});
         m.node("DequantizeLinear", "x s", "y");
     },
     "", ""},
};

} // namespace

class TestForeignTypes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void foreignElementsLeaveTypes_data();
    void foreignElementsLeaveTypes();
};

void TestForeignTypes::foreignElementsLeaveTypes_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < std::size(foreignCases); ++i)
        QTest::newRow(foreignCases[i].name) << static_cast<int>(i);
}

void TestForeignTypes::foreignElementsLeaveTypes() {
    QFETCH(int, index);
    const ForeignCase& one = foreignCases[index];
    M m(one.opset, 10);
    one.build(m);
    m.graph().add_output()->set_name("y");
    const auto opened = read(m.bytes());
    QVERIFY2(opened.ok(), opened ? "" : opened.diag().text().c_str());
    const auto check = [&](const Graph& graph) {
        const ValueRef value = graph.results().at(0).value;
        const std::string type = missingType(graph, value) ? "" : graph.type(value).text();
        QCOMPARE(type, std::string(one.result));
        std::string operators;
        for (const NodePtr& node : graph.nodes())
            if (!node->isUnknown() && !node->isInput() && !node->isConstant() && node->op != "call")
                operators += (operators.empty() ? "" : " ") + node->op;
        QCOMPARE(QString::fromStdString(operators), QString::fromUtf8(one.operators));
    };
    check(*opened->graph);
    const auto again = writtenAndRead(*opened->graph);
    QVERIFY2(again.ok(), again ? "" : again.diag().text().c_str());
    check(*again->graph);
}

FW_TEST(TestForeignTypes, QCoreApplication)
#include "test_foreign_types.moc"
