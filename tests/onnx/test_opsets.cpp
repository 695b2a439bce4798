// In which opset a model is written: one that takes the element types of all its nodes, in which
// nodes that are handed on mean what they meant; and functions that readers can call.
#include "common/test.h"
#include "ir/graph_text.h"
#include "onnx/judge.h"
#include "onnx/model/tensor_proto.h"
#include "onnx/schema/standard_operators.h"
#include "onnx/schema/standard_types.h"

#include <QRegularExpression>

#include <set>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;
using Types = proto::TensorProto;

namespace {

struct WrittenOpset {
    std::string error;
    std::int64_t opset = 0;
    proto::ModelProto model;
    std::string bytes;

    const proto::NodeProto* node(const std::string& type) const {
        for (const auto& node : model.graph().node())
            if (node.op_type() == type)
                return &node;
        return nullptr;
    }
    const proto::TensorProto* initializer(const std::string& name) const {
        for (const auto& tensor : model.graph().initializer())
            if (tensor.name() == name)
                return &tensor;
        return nullptr;
    }
};

WrittenOpset writeOpset(const M& m) {
    WrittenOpset out;
    const auto read = test::read(m.bytes());
    if (!read) {
        out.error = "read: " + read.diag().text();
        return out;
    }
    const auto written = exportModel(*read->graph);
    if (!written) {
        out.error = written.diag().text();
        return out;
    }
    out.opset = written->opset;
    out.bytes = written->bytes;
    out.model.ParseFromString(written->bytes);
    return out;
}

// What is wrong with the functions of a model and the calls of them; empty: nothing.
std::string wrongFunctions(const proto::ModelProto& model) {
    for (const auto& function : model.functions()) {
        std::set<std::string> known(function.input().begin(), function.input().end());
        known.insert("");
        for (const auto& node : function.node()) {
            for (const std::string& input : node.input())
                if (!known.contains(input))
                    return function.name() + " reads " + input + ", which nobody makes";
            known.insert(node.output().begin(), node.output().end());
        }
        for (const std::string& output : function.output())
            if (!known.contains(output))
                return function.name() + " does not make " + output;
        for (const auto& node : model.graph().node())
            if (node.op_type() == function.name() && node.domain() == function.domain() &&
                node.output_size() != function.output_size())
                return fmt::format("{} gives {} results and is asked for {}", function.name(),
                                   function.output_size(), node.output_size());
    }
    return {};
}

} // namespace

class TestOpsets : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tableIsWellFormed();
    void typesByVersion_data();
    void typesByVersion();
    void typesOfResults();
    void typesRaiseTheOpset_data();
    void typesRaiseTheOpset();
    void typesThatNoOpsetHas_data();
    void typesThatNoOpsetHas();
    void attributesBecomeOperands_data();
    void attributesBecomeOperands();
    void attributesInsideBodies();
    void whatMeansTheSameLater_data();
    void whatMeansTheSameLater();
    void operatorsOfNoOpset();
    void functionsAreWhole_data();
    void functionsAreWhole();
    void depthOfTheTypeThatKernelsHave();
};

void TestOpsets::tableIsWellFormed() {
    int lines = 0;
    for (const QString& line : QString::fromStdString(std::string(standardTypesTable()))
                                   .split(u'\n', Qt::SkipEmptyParts)) {
        ++lines;
        static const QRegularExpression form(QStringLiteral(
            R"(^[A-Z]\w*( \d+\((:?\w*[*+]?( (?=[:\w]))?)*;(:?\w*[*+]?( (?=[:\w]))?)*(;(\w+=[BcCsSiIlLhbfdt]+( (?=\w))?)+)?\))+$)"));
        QVERIFY2(form.match(line).hasMatch(), qPrintable(line));
    }
    QVERIFY(lines > 190);
}

void TestOpsets::typesByVersion_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("operands");
    QTest::addColumn<int>("opset");
    QTest::addColumn<int>("takes"); // 0: none does
    QTest::newRow("from the beginning") << "Add"
                                        << "f32 f32" << 13 << 13;
    QTest::newRow("since 14") << "Add"
                              << "u8 u8" << 13 << 14;
    QTest::newRow("one type for both") << "Add"
                                       << "f32 f64" << 13 << 0;
    QTest::newRow("never") << "Conv"
                           << "i32 i32" << 17 << 0;
    QTest::newRow("bf16 since 22") << "Conv"
                                   << "bf16 bf16" << 17 << 22;
    QTest::newRow("truths since 20") << "ReduceMax"
                                     << "bool i64" << 17 << 20;
    QTest::newRow("texts since 19") << "Equal"
                                    << "text text" << 17 << 19;
    QTest::newRow("variadic") << "Concat"
                              << "f32 f32 i64" << 17 << 0;
    QTest::newRow("what is not known") << "Concat"
                                       << "f32 ? f32" << 17 << 17;
    QTest::newRow("another domain's") << "Frobnicate"
                                      << "bool" << 17 << 17;
    QTest::newRow("before the table") << "Abs"
                                      << "f32" << 7 << 7;
}

void TestOpsets::typesByVersion() {
    QFETCH(QString, type);
    QFETCH(QString, operands);
    QFETCH(int, opset);
    QFETCH(int, takes);
    proto::NodeProto node;
    node.set_op_type(type.toStdString());
    node.add_output("y");
    std::vector<KnownType> types;
    for (const QString& word : operands.split(u' ')) {
        node.add_input("x");
        types.push_back(parseDtype(word.toStdString()));
    }
    const auto found = opsetThatTakes(node, opset, types, {});
    QCOMPARE(found.value_or(0), std::int64_t{takes});
}

void TestOpsets::typesOfResults() {
    proto::NodeProto node;
    node.add_output("y");
    node.add_output("i");
    node.set_op_type("TopK");
    const KnownType types[] = {DType::F16, DType::I64};
    const auto found = resultTypes(node, 17, types);
    QVERIFY(found[0] == DType::F16 && found[1] == DType::I64);
    node.set_op_type("Cast");
    M::set(node, "to", Types::BOOL);
    QVERIFY(resultTypes(node, 17, types)[0] == DType::Bool);
}

void TestOpsets::typesRaiseTheOpset_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("element");
    QTest::addColumn<int>("opset");
    QTest::newRow("the usual one") << "Relu" << int(Types::FLOAT) << 17;
    QTest::newRow("integers since 14") << "Relu" << int(Types::INT32) << 17;
    // Where ONNX Runtime has a function in place of a kernel.
    QTest::newRow("a function of integers") << "Relu" << int(Types::INT64) << 18;
    QTest::newRow("a function of f64") << "Selu" << int(Types::DOUBLE) << 18;
    QTest::newRow("a kernel of f32") << "Selu" << int(Types::FLOAT) << 17;
    QTest::newRow("bf16 of a sine") << "Sin" << int(Types::BFLOAT16) << 22;
    QTest::newRow("the largest truth") << "ReduceMax" << int(Types::BOOL) << 20;
    QTest::newRow("the least truth") << "ReduceMin" << int(Types::BOOL) << 20;
    QTest::newRow("the largest number") << "ReduceMax" << int(Types::FLOAT) << 17;
    QTest::newRow("a larger update") << "ScatterND" << int(Types::FLOAT) << 18;
    QTest::newRow("a smaller update") << "ScatterElements" << int(Types::FLOAT) << 18;
    QTest::newRow("f16 to bytes") << "QuantizeLinear" << int(Types::FLOAT16) << 19;
    QTest::newRow("f32 to bytes") << "QuantizeLinear" << int(Types::FLOAT) << 17;
}

void TestOpsets::typesRaiseTheOpset() {
    QFETCH(QString, type);
    QFETCH(int, element);
    QFETCH(int, opset);
    M m(22);
    m.input("x", {"2", "3"}, element);
    if (type.startsWith(u"Reduce")) {
        m.integers("axes", {1});
        m.node(type.toStdString(), "x axes", "y");
    } else if (type == u"ScatterND") {
        m.input("i", {"1", "1"}, Types::INT64).input("u", {"1", "3"}, element);
        M::setText(m.node("ScatterND", "x i u", "y"), "reduction", "max");
    } else if (type == u"ScatterElements") {
        m.input("i", {"2", "3"}, Types::INT64).input("u", {"2", "3"}, element);
        M::setText(m.node("ScatterElements", "x i u", "y"), "reduction", "min");
    } else if (type == u"QuantizeLinear") {
        m.input("s", {}, element).input("z", {}, Types::UINT8);
        m.node("QuantizeLinear", "x s z", "y");
    } else {
        m.node(type.toStdString(), "x", "y");
    }
    m.output("y", {}, type == u"QuantizeLinear" ? int(Types::UINT8) : element);
    const WrittenOpset out = writeOpset(m);
    QCOMPARE(out.error, std::string());
    QCOMPARE(out.opset, std::int64_t{opset});
    const auto again = test::read(out.bytes);
    QVERIFY(again.ok() && again->diagnostics.empty());
}

// Computed in a wider type between casts, with the same values; or a message, and nothing written.
void TestOpsets::typesThatNoOpsetHas_data() {
    QTest::addColumn<QString>("dtype");
    QTest::addColumn<QString>("call");
    QTest::addColumn<QString>("refused");
    const auto row = [](const char* dtype, const char* call, const char* refused = "") {
        QTest::addRow("%s of %s", call, dtype)
            << QString::fromLatin1(dtype) << QString::fromLatin1(call)
            << QString::fromLatin1(refused);
    };
    for (const char* dtype : {"i8", "i16", "u8", "u16", "i32", "u32", "i64", "u64"}) {
        for (const char* call :
             {"reduce_sum(x) {axes = [1]}", "reduce_prod(x) {axes = [1]}", "cumsum(x) {axis = 1}",
              "dense(x, w)", "int_pow(x, x)", "relu(x)", "neg(x)"})
            row(dtype, call);
        if (std::string_view(dtype) != "u64")
            for (const char* call : {"reduce_max(x) {axes = [1]}", "reduce_min(x) {axes = [0]}"})
                row(dtype, call);
    }
    row("i8", "reduce_mean(x) {axes = [1]}", "ONNX has no ReduceMean of i8");
    row("u16", "reduce_mean(x) {axes = [1]}", "ONNX has no ReduceMean of u16");
    row("u64", "gather_nd(x, i)"); // its places are i64
}

void TestOpsets::typesThatNoOpsetHas() {
    QFETCH(QString, dtype);
    QFETCH(QString, call);
    QFETCH(QString, refused);
    const auto graph = parseGraph(fmt::format("graph g(x: {0}[2, 3]) -> y {{\n"
                                              "  w = const [3, 2, 1, 100, 7, 5] : {0}[2, 3]\n"
                                              "  i = const [1, 2] : i32[2]\n  y = {1}\n}}",
                                              dtype.toStdString(), call.toStdString()),
                                  standardOperators());
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.diag().text().c_str());
    const auto written = exportModel(**graph);
    if (!refused.isEmpty()) {
        QVERIFY(!written.ok());
        QVERIFY2(QString::fromStdString(written.diag().message).startsWith(refused),
                 written.diag().text().c_str());
        return;
    }
    QVERIFY2(written.ok(), written.ok() ? "" : written.diag().text().c_str());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(written->bytes));
    std::map<std::string, KnownType> types;
    const auto remember = [&](const auto& infos) {
        for (const auto& info : infos)
            types[info.name()] = dtypeFromOnnx(info.type().tensor_type().elem_type());
    };
    remember(model.graph().input());
    for (const auto& data : model.graph().initializer())
        types[data.name()] = dtypeFromOnnx(data.data_type());
    for (const auto& node : model.graph().node()) {
        std::vector<KnownType> operands;
        for (const std::string& input : node.input())
            operands.push_back(types[input]);
        const auto results = resultTypes(node, written->opset, operands);
        QVERIFY2(opsetThatTakes(node, written->opset, operands, results) == written->opset,
                 node.op_type().c_str());
        for (int i = 0; i < node.output_size(); ++i)
            types[node.output(i)] = results[static_cast<std::size_t>(i)];
    }
    const auto again = importModelBytes(written->bytes, standardOperators());
    QVERIFY(again.ok() && again->diagnostics.empty());
    const TensorData x = dataFromIntegers((*graph)->type({(*graph)->inputs()[0], 0}).dtype, {2, 3},
                                          {3, 100, 127, 2, 1, 90});
    const auto before = test::evaluateBound(**graph, {x}),
               behind = test::evaluateBound(*again->graph, {x});
    QVERIFY(before.ok() && behind.ok());
    QVERIFY((*behind)[0] == (*before)[0]);
}

void TestOpsets::attributesBecomeOperands_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("attribute");
    QTest::addColumn<int>("opset");
    QTest::newRow("squeeze") << "Squeeze"
                             << "axes" << 11;
    QTest::newRow("unsqueeze") << "Unsqueeze"
                               << "axes" << 11;
    QTest::newRow("sum") << "ReduceSum"
                         << "axes" << 11;
    QTest::newRow("split") << "Split"
                           << "split" << 11;
    QTest::newRow("two moves") << "TopK"
                               << "k" << 9;
}

// Behind an operator that is not known, whose result has no type: read from an opset that the rest
// of the model is not written in.
void TestOpsets::attributesBecomeOperands() {
    QFETCH(QString, type);
    QFETCH(QString, attribute);
    QFETCH(int, opset);
    M m(opset);
    m.input("x", {"2", "3"}).output("y").output("z");
    m.node("Frobnicate", "x", "t", "odd").set_domain("com.example");
    auto* entry = m.model.add_opset_import();
    entry->set_domain("com.example");
    entry->set_version(1);
    auto& node = m.node(type.toStdString(), "t", type == u"TopK" ? "y i" : "y", "moved");
    if (type == u"TopK")
        M::set(node, "k", 1);
    else
        M::set(node, attribute.toStdString(), std::vector<std::int64_t>{1});
    m.node("Relu", "x", "z");
    const WrittenOpset out = writeOpset(m);
    QCOMPARE(out.error, std::string());
    QCOMPARE(out.opset, std::int64_t{17});
    const proto::NodeProto* moved = out.node(type.toStdString());
    QVERIFY(moved != nullptr && moved->input_size() == 2);
    QVERIFY(std::none_of(moved->attribute().begin(), moved->attribute().end(),
                         [&](const auto& one) { return one.name() == attribute.toStdString(); }));
    const proto::TensorProto* operand = out.initializer(moved->input(1));
    QVERIFY(operand != nullptr && operand->data_type() == Types::INT64 && operand->dims(0) == 1);
    const auto again = test::read(out.bytes);
    QVERIFY2(again.ok(), again ? "" : again.diag().text().c_str());
}

void TestOpsets::attributesInsideBodies() {
    M m(11);
    m.input("x", {"1", "4"}).input("c", {}, Types::BOOL).output("y", {"4"}).output("z");
    auto& choice = m.node("If", "c", "y", "choice");
    for (const char* branch : {"then_branch", "else_branch"}) {
        auto* attribute = choice.add_attribute();
        attribute->set_name(branch);
        attribute->set_type(proto::AttributeProto::GRAPH);
        auto& body = *attribute->mutable_g();
        body.set_name(branch);
        auto* node = body.add_node();
        node->set_op_type("Squeeze");
        node->add_input("x");
        node->add_output(std::string(branch) + ".y");
        M::set(*node, "axes", std::vector<std::int64_t>{0});
        M::declare(*body.add_output(), std::string(branch) + ".y", {"4"});
    }
    m.node("Relu", "x", "z");
    const WrittenOpset out = writeOpset(m);
    QCOMPARE(out.error, std::string());
    QCOMPARE(out.opset, std::int64_t{17});
    for (const auto& attribute : out.node("If")->attribute()) {
        QCOMPARE(attribute.g().node_size(), 2);
        QCOMPARE(attribute.g().node(0).op_type(), std::string("Constant"));
        QCOMPARE(attribute.g().node(1).input_size(), 2);
        QCOMPARE(attribute.g().node(1).input(1), attribute.g().node(0).output(0));
    }
    QVERIFY(test::read(out.bytes).ok());
}

void TestOpsets::whatMeansTheSameLater_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("axis");
    QTest::addColumn<int>("opset");
    QTest::addColumn<bool>("same");
    QTest::newRow("the last axis") << "Softmax" << -1 << 11 << true;
    QTest::newRow("axes as one") << "Softmax" << 1 << 11 << false;
    QTest::newRow("one result of statistics") << "BatchNormalization" << 0 << 9 << true;
}

void TestOpsets::whatMeansTheSameLater() {
    QFETCH(QString, type);
    QFETCH(int, axis);
    QFETCH(int, opset);
    QFETCH(bool, same);
    proto::NodeProto node;
    node.set_op_type(type.toStdString());
    node.add_output("y");
    for (int i = 0; i < (type == u"Softmax" ? 1 : 5); ++i)
        node.add_input("x");
    if (type == u"Softmax")
        M::set(node, "axis", axis);
    QCOMPARE(opsetsOf(node, opset).most, same ? newestOpset : 12);
}

// CastLike is no operator of opset 5, and with one operand none of any.
void TestOpsets::operatorsOfNoOpset() {
    M m(5);
    m.input("x", {"2"}).output("y", {"2"}).output("z", {"2"});
    m.node("CastLike", "x", "y", "odd");
    m.node("Neg", "x", "z");
    const WrittenOpset out = writeOpset(m);
    QCOMPARE(out.error, std::string());
    QCOMPARE(out.opset, std::int64_t{14});
    const auto again = test::read(out.bytes);
    QVERIFY2(again.ok(), again ? "" : again.diag().text().c_str());
}

void TestOpsets::functionsAreWhole_data() {
    QTest::addColumn<QString>("type");
    for (const char* type :
         {"Slice", "Pad", "Squeeze", "Unsqueeze", "Reshape", "ReduceSum", "ReduceMean", "ReduceMax",
          "ReduceProd", "ReduceLogSumExp", "Range", "NonZero"})
        QTest::newRow(type) << type;
}

// Sizes that are computed while the model runs: functions of the library's own domain.
void TestOpsets::functionsAreWhole() {
    QFETCH(QString, type);
    M m(18);
    m.input("x", {"3", "4"}).output("y", {}, type == u"NonZero" ? int(Types::INT64) : 1);
    const auto vector = [&](const char* name, int count) {
        m.input(name, {std::to_string(count)}, Types::INT64);
    };
    std::vector<TensorData> inputs{reals({3, 4}, numbers(12, 1))};
    const auto given = [&](const Integers& values) {
        inputs.push_back(
            dataFromIntegers(DType::I64, {static_cast<std::int64_t>(values.size())}, values));
    };
    if (type == u"Slice") {
        vector("a", 2), vector("b", 2);
        given({1, 0}), given({3, 3});
        m.node("Slice", "x a b", "y");
    } else if (type == u"Pad") {
        vector("a", 4);
        given({1, 0, 0, 2});
        m.node("Pad", "x a", "y");
    } else if (type == u"Range") {
        M::set(m.node("ReduceSum", "x", "s"), "keepdims", 0);
        m.weights("zero", {}, {0}).weights("one", {}, {1});
        m.node("Range", "zero s one", "y");
    } else if (type == u"NonZero") {
        m.node("NonZero", "x", "y");
    } else {
        const bool shapes = type == u"Reshape";
        vector("a", type == u"Squeeze" || type.startsWith(u"Reduce") ? 1 : 2);
        given(shapes ? Integers{4, 3} : type == u"Unsqueeze" ? Integers{0, 3} : Integers{0});
        if (type == u"Squeeze") {
            m.integers("zero", {0}).integers("one", {1});
            m.node("Slice", "x zero one", "row");
            m.node("Squeeze", "row a", "y");
        } else {
            m.node(type.toStdString(), "x a", "y");
        }
    }
    const WrittenOpset out = writeOpset(m);
    QCOMPARE(out.error, std::string());
    QCOMPARE(wrongFunctions(out.model), std::string());
    const auto read = test::read(m.bytes()), again = test::read(out.bytes);
    QVERIFY(read.ok() && again.ok());
    const auto left = test::evaluateBound(*read->graph, inputs),
               right = test::evaluateBound(*again->graph, inputs);
    QVERIFY(left.ok() && right.ok());
    QCOMPARE((*left)[0].toDoubles(), (*right)[0].toDoubles());
}

void TestOpsets::depthOfTheTypeThatKernelsHave() {
    for (const auto& [index, values, wanted] :
         {std::tuple(Types::INT32, Types::FLOAT, Types::INT32),
          std::tuple(Types::INT64, Types::FLOAT, Types::INT64),
          std::tuple(Types::INT64, Types::INT64, Types::INT64),
          std::tuple(Types::INT32, Types::INT64, Types::INT64),
          std::tuple(Types::INT64, Types::INT32, Types::FLOAT)}) {
        M m(13);
        m.input("i", {"4"}, index).input("v", {"2"}, values).integers("d", {3}, true);
        m.output("y", {}, values);
        m.node("OneHot", "i d v", "y");
        const WrittenOpset out = writeOpset(m);
        QCOMPARE(out.error, std::string());
        const proto::NodeProto* node = out.node("OneHot");
        QVERIFY(node != nullptr);
        QCOMPARE(out.initializer(node->input(1))->data_type(), int{wanted});
        QCOMPARE(out.node("Cast") != nullptr, index == Types::INT32 && values == Types::INT64);
    }
}

FW_TEST(TestOpsets, QCoreApplication)
#include "test_opsets.moc"
