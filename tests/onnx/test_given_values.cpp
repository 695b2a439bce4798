// Values that a user gives an input in place of a file: how they are written, and what a model
// becomes with them.
#include "common/test.h"
#include "onnx/model/given_value.h"
#include "onnx/reading.h"

using namespace fw;
using M = fw::test::ModelBuilder;

namespace {

Result<Imported> readTyped(const M& m, std::map<std::string, std::string> types) {
    ImportOptions options;
    options.types = std::move(types);
    return importModelBytes(m.bytes(), standardOperators(), options);
}

void addBranch(proto::NodeProto& node, const char* name, const char* op) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(proto::AttributeProto::GRAPH);
    auto* graph = attribute->mutable_g();
    graph->set_name(name);
    auto* line = graph->add_node();
    line->set_op_type(op);
    line->add_input("x");
    line->add_output(op);
    M::declare(*graph->add_output(), op, {"2"});
}

// y = rate == 16000 ? relu(x) : -x
M byRate(const std::vector<std::string>& rate) {
    M m(17);
    m.input("x", {"2"}).input("rate", rate, proto::TensorProto::INT64).output("y", {"2"});
    m.integers("wanted", {16000}, true);
    m.node("Equal", "rate wanted", "same");
    auto& node = m.node("If", "same", "y", "choose");
    addBranch(node, "then_branch", "Relu");
    addBranch(node, "else_branch", "Neg");
    return m;
}

std::string inlined(const Result<Imported>& read) {
    return read ? test::operatorsOf(*read->inlined) : read.diag().text();
}

} // namespace

class TestGivenValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void texts_data();
    void texts();
    void decideConditions();
    void areOfTheModel();
};

void TestGivenValues::texts_data() {
    QTest::addColumn<int>("dtype");
    QTest::addColumn<QString>("shape"); // declared: "2,N"; "-" none
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* text, DType dtype, const char* shape, const char* expected) {
        QTest::addRow("%s for %s %s", text, std::string(dtypeText(dtype)).c_str(), shape)
            << static_cast<int>(dtype) << QString::fromLatin1(shape)
            << QString::fromLatin1(expected);
    };
    row("16000", DType::I64, "", "[] 16000");
    row("16000", DType::I64, "1", "[1] 16000");
    row("0", DType::F32, "2,1,2", "[2,1,2] 0 0 0 0");
    row("-0.5", DType::F32, "", "[] -0.5");
    row("1e3", DType::I32, "", "[] 1000");
    row("inf", DType::F32, "", "[] inf");
    row("true", DType::Bool, "", "[] 1");
    row("true", DType::F32, "", "[] 1");
    row("[1, 2]", DType::I64, "2", "[2] 1 2");
    row("[1,2,3]", DType::F64, "N", "[3] 1 2 3");
    row("[[1, 2], [3, 4]]", DType::I32, "N,2", "[2,2] 1 2 3 4");
    row("[]", DType::F32, "N", "[0]");
    row("[[], []]", DType::F32, "2,N", "[2,0]");
    row("7", DType::I64, "-", "[] 7");
    row("[1, 2]", DType::I64, "-", "[2] 1 2");
    row("-9223372036854775808", DType::I64, "", "[] -9223372036854775808");
    row("9223372036854775807", DType::I64, "", "[] 9223372036854775807");
    row("9223372036854775808", DType::I64, "", "RUN01 9223372036854775808 is no i64");
    row("18446744073709551615", DType::U64, "", "[] -1"); // as the test reads its bits
    row("18446744073709551615", DType::I32, "", "RUN01 18446744073709551615 is no i32");
    row("1e19", DType::U64, "", "RUN01 1e+19 is no u64");
    row("300", DType::U8, "", "RUN01 300 is no u8");
    row("-1", DType::U64, "", "RUN01 -1 is no u64");
    row("0.5", DType::I64, "", "RUN01 0.5 is no i64");
    row("2", DType::Bool, "", "RUN01 2 is no bool");
    row("1", DType::F32, "N", "RUN01 one number for [N], of which not every size is known");
    row("[1, 2]", DType::F32, "3", "RUN01 a list of shape [2] for [3]");
    row("[1, 2]", DType::F32, "", "RUN01 a list of shape [2] for []");
    row("[[1], [2, 3]]", DType::F32, "2,2", "-");
    row("[1, [2]]", DType::F32, "2", "-");
    row("[1 2]", DType::F32, "2", "-");
    row("[1,]", DType::F32, "1", "-");
    row("1]", DType::F32, "1", "-");
    row("audio.npy", DType::F32, "", "-");
    row("./16000", DType::F32, "", "-");
    row("", DType::F32, "", "-");
}

void TestGivenValues::texts() {
    QFETCH(int, dtype);
    QFETCH(QString, shape);
    QFETCH(QString, expected);
    const std::string tag = QTest::currentDataTag();
    const std::string text = tag.substr(0, tag.find(" for "));
    QCOMPARE(isValueText(text), expected != u"-");
    std::optional<Shape> declared;
    if (shape != u"-") {
        declared.emplace();
        for (const QString& dim : shape.split(u',', Qt::SkipEmptyParts)) {
            bool isNumber = false;
            const int extent = dim.toInt(&isNumber);
            declared->push_back(isNumber ? Expr(extent) : varExpr(Symbol(dim.toStdString())));
        }
    }
    const auto data = valueFromText(text, static_cast<DType>(dtype), declared);
    if (expected == u"-") {
        QVERIFY(!data.ok());
        return;
    }
    QString got;
    if (data) {
        QStringList extents;
        for (const std::int64_t extent : data->extents())
            extents << QString::number(extent);
        got = u'[' + extents.join(u',') + u']';
        for (std::size_t i = 0; i < data->count(); ++i)
            got += u' ' + (isInteger(data->dtype()) || data->dtype() == DType::Bool
                               ? QString::number(data->integerAt(i))
                               : QString::number(data->at(i)));
        QCOMPARE(data->dtype(), static_cast<DType>(dtype));
    } else {
        got = QString::fromStdString(std::string(codeText(data.diag().code)) + " " +
                                     data.diag().message);
    }
    QCOMPARE(got, expected);
}

void TestGivenValues::decideConditions() {
    for (const std::vector<std::string>& shape :
         {std::vector<std::string>{}, std::vector<std::string>{"1"}}) {
        const M m = byRate(shape);
        QCOMPARE(inlined(readTyped(m, {{"rate", asGivenValue("16000")}})), std::string("relu"));
        QCOMPARE(inlined(readTyped(m, {{"rate", asGivenValue("8000")}})), std::string("neg"));
        const auto free = readTyped(m, {});
        QVERIFY(free.ok() && !free->diagnostics.empty()); // the condition is not known
        const auto read = readTyped(m, {{"rate", asGivenValue("16000")}});
        QCOMPARE(read->graph->inputs().size(), std::size_t{1});
        QVERIFY(read->diagnostics.empty());
    }
}

void TestGivenValues::areOfTheModel() {
    const auto unknown = readTyped(byRate({}), {{"sr", asGivenValue("16000")}});
    QVERIFY(!unknown.ok());
    QCOMPARE(unknown.diag().message, std::string("the model has no input sr"));
    QCOMPARE(unknown.diag().hint, std::string("its inputs are x, rate"));
    const auto wrong = readTyped(byRate({}), {{"rate", asGivenValue("0.5")}});
    QVERIFY(!wrong.ok());
    QCOMPARE(wrong.diag().message, std::string("the value given to input 'rate': 0.5 is no i64"));
}

FW_TEST(TestGivenValues, QCoreApplication)
#include "test_given_values.moc"
