// Candidates against the reference: what is judged exactly and what within a bound, which sizes,
// what a wrong element is told as; libraries that are wrong:
// tests/extern/test_verify_libraries.cpp.
#include "asked.h"

#include "book/book.h"
#include "common/test.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "onnx/model/tensor_file.h"
#include "session/candidates.h"
#include "session/folded.h"
#include "session/graph_file.h"
#include "session/judgement.h"
#include "session/smallest_differing.h"

#include <QFile>
#include <QTemporaryDir>

#include <algorithm>

using namespace fw;
using namespace fw::snapshot;
using fw::test::Asked;

namespace {

// What resources/docs/command-line.md says of fw verify.
constexpr std::int64_t kinds = 3;    // of values: integers, random, random with a NaN
constexpr std::int64_t sizes = 3;    // of a free dimension: 7, 1 and 0; a NaN at the first
constexpr std::int64_t runs = 2 * 2; // on one thread and on two, twice each

GraphPtr graph(const std::string& text) {
    return parseGraph(text, standardOperators()).value();
}

const VerifyRow* rowOf(const VerifyModel& model, const std::string& group,
                       const std::string& implementation) {
    for (const VerifyRow& row : model.rows)
        if (row.group.starts_with(group) && row.implementation == implementation)
            return &row;
    return nullptr;
}

TensorData changed(const TensorData& data, std::size_t at, double by) {
    std::vector<double> values = data.toDoubles();
    values[at] += by;
    return dataFromDoubles(data.dtype(), data.extents(), values);
}

} // namespace

class TestVerify : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCandidateOfASample();
    void entriesThatWereRefused();
    void denormalsInBetween();
    void equalGroupsOnce();
    void freeDimensions();
    void weightsBesidePadding();
    void sizesThatAreRuledOut();
    void sizesThatAreAskedFor();
    void severalModels();
    void cancelled();
    void exactWhereIntegersAdd();
    void withinWhereRealsAdd();
    void byTheNorm();
    void wrongShape();
    void standsIn();
    void filesBesideTheText();
    void constantsThatWereFolded();
    void aWrongConstant();
    void anEvaluatorThatIsWrong();

private:
    QString write(const char* name, const char* text) {
        QFile file(m_folder.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0)
            throw InternalError("cannot write");
        return file.fileName();
    }
    VerifyModel verify(const QString& path, std::vector<std::string> rules = {}) {
        Arguments arguments;
        arguments.rules = std::move(rules);
        arguments.model = path.toStdString();
        arguments.target = "x86-64 -libs=";
        return Asked().get<VerifyDocument>("verify", arguments).models.at(0);
    }

    QTemporaryDir m_folder;
};

void TestVerify::everyCandidateOfASample() {
    Asked asked;
    const VerifyDocument document = asked.get<VerifyDocument>("verify", test::on("mlp"));
    QCOMPARE(document.models.size(), std::size_t(1));
    const VerifyModel& model = document.models[0];
    QCOMPARE(model.differing + model.notRun, std::int64_t(0));
    const auto refused =
        std::count_if(model.rows.begin(), model.rows.end(), [](const VerifyRow& row) {
            return row.implementation == "fold_constants" ||
                   (row.verdict == "refused" &&
                    row.reason.starts_with("the implementation has no code"));
        });
    QCOMPARE(model.agreeing + refused, static_cast<std::int64_t>(model.rows.size()));
    QCOMPARE(model.judged, model.elements);
    const VerifyRow* dense = rowOf(model, "dense", "generated.tiled");
    QVERIFY(dense != nullptr);
    QCOMPARE(dense->verdict, std::string("exact"));
    QCOMPARE(dense->integers, std::optional<double>(0));
    QVERIFY(dense->random > 0 && dense->share < 1);
    QCOMPARE(dense->comparisons, kinds * runs);
    const VerifyRow* softmax = rowOf(model, "softmax", "generated.rowwise");
    QVERIFY(softmax != nullptr);
    QCOMPARE(softmax->verdict, std::string("within"));
    QVERIFY(rowOf(model, "softmax", "generated.plain") != nullptr);
    QVERIFY(std::count(asked.stages.begin(), asked.stages.end(), "verify") >= model.groups);
}

// The plan passed the group on, and the row says why.
void TestVerify::entriesThatWereRefused() {
    const QString book = write("wide.fw", R"(schedule wide { each.vectorize(outermost) }
implementations relu(...) on any { mine by schedule wide priority 40 }
)");
    const VerifyModel model = verify(
        write("relu.fw", "graph g(x: f32[200]) -> y { y = relu(x) }\n"), {book.toStdString()});
    const VerifyRow* mine = rowOf(model, "relu", "mine");
    QVERIFY(mine != nullptr);
    QCOMPARE(mine->verdict, std::string("refused"));
    QVERIFY2(mine->reason.find("i0 has 200 lanes, at most 64 can be had") != std::string::npos,
             mine->reason.c_str());
    QCOMPARE(model.notRun, std::int64_t(0));
    QVERIFY(rowOf(model, "relu", "generated.map") != nullptr);
}

// Shares of a softmax are denormals of f16, off by up to half of the least one each, and the sum
// that reads them in the same group is off by all of these.
void TestVerify::denormalsInBetween() {
    const VerifyModel model = verify(
        write("half.fw",
              R"(graph g(x: f16[1, 2, 64, 32], k: f16[1, 2, 32, 64], v: f16[1, 2, 64, 32]) -> y {
  c = batch_matmul(x, k)
  s = softmax(c) {axis = -1}
  y = batch_matmul(s, v)
}
)"),
        {"melted.fw"});
    const VerifyRow* plain = rowOf(model, "batch_matmul_softmax_batch_matmul", "generated.plain");
    QVERIFY(plain != nullptr);
    QVERIFY2(plain->verdict == "within", plain->worst.c_str());
}

void TestVerify::equalGroupsOnce() {
    const VerifyModel model = verify(write("twice.fw", R"(graph g(x: f32[8, 16]) -> y {
  v = const random(1) : f32[16, 16]
  w = const random(2) : f32[16, 16]
  a = dense(x, v)
  s = softmax(a) {axis = 1}
  y = dense(s, w)
}
)"));
    const VerifyRow* dense = rowOf(model, "dense", "generated.tiled");
    QVERIFY(dense != nullptr);
    QCOMPARE(dense->groups.size(), std::size_t(2));
    QCOMPARE(model.groups, std::int64_t(2));
}

void TestVerify::freeDimensions() {
    const VerifyModel model = verify(write("free.fw", R"(graph g(x: f32[N, 16]) -> y {
  w = const random(1) : f32[5, 16]
  a = dense(x, w)
  y = relu(a)
}
)"));
    QCOMPARE(model.differing + model.notRun, std::int64_t(0));
    QCOMPARE(model.notices.size(), std::size_t(0));
    const VerifyRow* dense = rowOf(model, "dense", "generated.tiled");
    QVERIFY(dense != nullptr);
    QCOMPARE(dense->comparisons, ((kinds - 1) * sizes + 1) * runs);
}

// A NaN of a weight at a pad is none of the results: padding is not multiplied. The image has one.
void TestVerify::weightsBesidePadding() {
    const VerifyModel model =
        verify(write("padded.fw", R"(graph g(x: f32[1, 3, H, 5], v: f32[4, 3, 3, 3]) -> y {
  w = mul(v, v)
  y = conv2d(x, w) {pads = [1, 1, 1, 1]}
}
)"));
    QCOMPARE(model.differing, std::int64_t(0));
    const VerifyRow* row = rowOf(model, "conv2d", "generated.plain");
    QVERIFY(row != nullptr);
    QCOMPARE(row->comparisons, ((kinds - 1) * sizes + 1) * runs);
}

void TestVerify::sizesThatAreRuledOut() {
    const VerifyModel model = verify(write("two.fw", R"(graph g(x: f32[N, 4], z: f32[M, 4]) -> y {
  y = concat(x, z) {axis = 1}
}
)"));
    QCOMPARE(model.differing, std::int64_t(0));
    QVERIFY(std::any_of(model.notices.begin(), model.notices.end(), [](const std::string& text) {
        return text.find("not judged at") != std::string::npos;
    }));
    const VerifyRow* row = rowOf(model, "concat", "generated.plain");
    QVERIFY(row != nullptr && row->comparisons > 0);
}

// What an operator asks to be one number is tried at that number.
void TestVerify::sizesThatAreAskedFor() {
    const VerifyModel model = verify(write("asked.fw", R"(graph g(x: f32[N, 8], w: f32[4, K]) -> y {
  y = dense(x, w)
})"));
    QCOMPARE(model.differing + model.notRun, std::int64_t(0));
    QCOMPARE(model.notices.size(), std::size_t(0));
    const VerifyRow* row = rowOf(model, "dense", "generated.tiled");
    QVERIFY(row != nullptr && row->comparisons > 0);
}

void TestVerify::severalModels() {
    Arguments arguments = test::on("mlp");
    arguments.models = {test::samples + "mlp", test::samples + "lenet"};
    const VerifyDocument document = Asked().get<VerifyDocument>("verify", arguments);
    QCOMPARE(document.models.size(), std::size_t(2));
    QCOMPARE(document.models[1].differing, std::int64_t(0));
}

void TestVerify::cancelled() {
    Asked asked;
    CancelToken token;
    asked.context.cancel = token;
    asked.context.progress = [&](const StageProgress& step) {
        if (step.stage == "verify")
            token.cancel();
    };
    const Result<std::string> answer = asked.ask("verify", test::on("mlp"));
    QVERIFY(!answer.ok());
    QCOMPARE(answer.diag().code, DiagCode::Cancelled);
}

void TestVerify::exactWhereIntegersAdd() {
    const GraphPtr part = withValues(*graph(R"(graph g(x: f32[3, 50]) -> y {
  w = const random(1) : f32[4, 50]
  y = dense(x, w)
}
)"),
                                     ValueKind::Whole, 1)
                              .value();
    const Instance instance = instanceOf(*part, {}, ValueKind::Whole, 1, {}).value();
    QCOMPARE(instance.judged, std::size_t(12));
    std::vector<double> right;
    for (const fw::Value& value : instance.wanted[0].values.data)
        right.push_back(value.real);
    const TensorData got = dataFromDoubles(DType::F32, {3, 4}, right);
    const Judgement good = judge(*part, instance, {got}, Measure::Elements);
    QVERIFY(!good.differs && good.exact && good.largest == 0);
    // One unit in one element.
    const Judgement bad = judge(*part, instance, {changed(got, 5, 1)}, Measure::Elements);
    QVERIFY(bad.differs);
    QCOMPARE(bad.largest, 1.0);
    QVERIFY2(bad.worst.starts_with("y[1, 1]: "), bad.worst.c_str());
}

void TestVerify::withinWhereRealsAdd() {
    const GraphPtr part = withValues(*graph(R"(graph g(x: f32[3, 50]) -> y {
  w = const random(1) : f32[4, 50]
  y = dense(x, w)
}
)"),
                                     ValueKind::Random, 1)
                              .value();
    const Instance instance = instanceOf(*part, {}, ValueKind::Random, 1, {}).value();
    std::vector<double> right;
    for (const fw::Value& value : instance.wanted[0].values.data)
        right.push_back(value.real);
    const TensorData got = dataFromDoubles(DType::F32, {3, 4}, right);
    QVERIFY(!judge(*part, instance, {changed(got, 5, 1e-6)}, Measure::Elements).differs);
    QVERIFY(judge(*part, instance, {changed(got, 5, 1e-3)}, Measure::Elements).differs);
    // A result that is hardly a number may be flushed to 0, another may not.
    Instance tiny = instance;
    tiny.wanted[0].values.data[5].real = 2e-38;
    tiny.wanted[0].errors[5] = 1e-45;
    QVERIFY(!judge(*part, tiny, {changed(got, 5, -got.at(5))}, Measure::Elements).differs);
    tiny.wanted[0].values.data[5].real = -1.45e-36; // swish(-87)
    QVERIFY(!judge(*part, tiny, {changed(got, 5, -got.at(5))}, Measure::Elements).differs);
    tiny.wanted[0].values.data[5].real = 1e-35;
    QVERIFY(judge(*part, tiny, {changed(got, 5, -got.at(5))}, Measure::Elements).differs);
    const TensorData nothing = changed(got, 5, std::nan(""));
    QVERIFY(judge(*part, instance, {nothing}, Measure::Elements).differs);
}

void TestVerify::byTheNorm() {
    const GraphPtr part = graph("graph g(x: f32[1000]) -> y {\n  y = relu(x)\n}\n");
    const Instance instance = instanceOf(*part, {}, ValueKind::Whole, 1, {}).value();
    std::vector<double> right;
    for (const fw::Value& value : instance.wanted[0].values.data)
        right.push_back(value.real);
    const TensorData got = dataFromDoubles(DType::F32, {1000}, right);
    // 2e-4 in one element of a thousand is far below 2e-5 of the norm, 1 is above.
    const TensorData near = changed(got, 7, 2e-4);
    QVERIFY(!judge(*part, instance, {near}, Measure::Norm).differs);
    QVERIFY(judge(*part, instance, {near}, Measure::Elements).differs);
    QVERIFY(judge(*part, instance, {changed(got, 7, 1)}, Measure::Norm).differs);
    QVERIFY(judge(*part, instance, {changed(got, 7, std::nan(""))}, Measure::Norm).differs);
}

void TestVerify::wrongShape() {
    const GraphPtr part = graph("graph g(x: f32[6]) -> y {\n  y = relu(x)\n}\n");
    const Instance instance = instanceOf(*part, {}, ValueKind::Whole, 1, {}).value();
    const TensorData got = randomData(DType::F32, {5}, 1);
    QVERIFY(judge(*part, instance, {got}, Measure::Elements).differs);
}

void TestVerify::standsIn() {
    const TensorData weights = dataFromDoubles(DType::F32, {3}, {-1.5, 0, 2.5});
    QVERIFY(standIn(weights, ValueKind::Random, 7) == randomData(DType::F32, {3}, 7));
    for (const double value : standIn(weights, ValueKind::Whole, 7).toDoubles())
        QCOMPARE(value, std::round(value));
    const TensorData variance = dataFromDoubles(DType::F32, {3}, {0.5, 0.1, 2.5});
    for (const ValueKind kind : {ValueKind::Random, ValueKind::Whole})
        for (const double value : standIn(variance, kind, 7).toDoubles())
            QVERIFY(value > 0);
    const TensorData index = dataFromIntegers(DType::I64, {2}, {5, 6});
    QVERIFY(standIn(index, ValueKind::Random, 7) == index);
    const TensorData epsilon = dataFromDoubles(DType::F32, {}, {1e-5});
    QVERIFY(standIn(epsilon, ValueKind::Random, 7) == epsilon);
}

void TestVerify::filesBesideTheText() {
    const GraphPtr part = graph(R"(graph g(x: f32[3, 50]) -> y {
  w = const random(1) : f32[4, 50]
  y = dense(x, w)
}
)");
    for (const ValueKind kind : {ValueKind::Random, ValueKind::Whole}) {
        Differing what{part, "dense", "generated.tiled", kind, {}, 1, {}};
        const std::string folder = m_folder.filePath(QStringLiteral("files")).toStdString();
        const std::string path = writeDiffering(what, folder, "part", {"it differs"}).value();
        const Imported read = readGraphFile(path, standardOperators(), {}).value();
        QCOMPARE(read.graph->hash().hex(), withValues(*part, kind, 1).value()->hash().hex());
        QFile text(QString::fromStdString(path));
        QVERIFY(text.open(QIODevice::ReadOnly));
        const QByteArray bytes = text.readAll();
        QVERIFY(bytes.startsWith("# it differs\n"));
        QCOMPARE(bytes.contains("random("), kind == ValueKind::Random);
    }
    QVERIFY(QFile::exists(m_folder.filePath(QStringLiteral("files/w.npy"))));
    // Another content than the text says is refused.
    QVERIFY(writeTensorFile(m_folder.filePath(QStringLiteral("files/w.npy")).toStdString(),
                            {"w", randomData(DType::F32, {4, 50}, 9)})
                .ok());
    const auto read = readGraphFile(
        m_folder.filePath(QStringLiteral("files/part.fw")).toStdString(), standardOperators(), {});
    QVERIFY(!read.ok());
    QCOMPARE(read.diag().code, DiagCode::InputMismatch);
}

namespace {

// A convolution whose batch norm goes into its weights, in f16, with a mean of 0.
constexpr const char* folding = R"(graph g(x: f16[1, 2, 5, 5]) -> y {
  w = const random(1) : f16[3, 2, 3, 3]
  g = const [1, 0.5, 2] : f16[3]
  t = const [0, 0, 1] : f16[3]
  m = const [0, 0.25, 0] : f16[3]
  v = const [1, 4, 0.5] : f16[3]
  c = conv2d(x, w) {pads = [1, 1, 1, 1]}
  y = batch_norm(c, g, t, m, v)
}
)";

std::vector<VerifyRow> folded(const GraphPtr& graph, const std::vector<Application>& applications) {
    PipelineInputs inputs;
    inputs.target = "x86-64 -libs=";
    Pipeline pipeline(inputs);
    std::vector<std::string> notices;
    auto rows = verifyFolded(graph, applications, pipeline, {}, notices);
    if (!rows)
        throw InternalError(rows.diag().text());
    for (const std::string& notice : notices)
        qInfo("%s", notice.c_str());
    return rows.take();
}

// Those of the rows that differ.
QStringList differing(const std::vector<VerifyRow>& rows) {
    QStringList out;
    for (const VerifyRow& row : rows)
        if (row.differs)
            out << QString::fromStdString(row.group + ": " + row.worst);
    return out;
}

// The reference is 0.25 where it should be 0.
class ZeroIsAQuarter final : public Operator {
public:
    explicit ZeroIsAQuarter(const Operator& real) : m_real(real) {}
    const std::string& name() const override { return m_real.name(); }
    const std::string& doc() const override { return m_real.doc(); }
    std::string signature() const override { return m_real.signature(); }
    std::string body() const override { return m_real.body(); }
    std::vector<std::string> inputNames() const override { return m_real.inputNames(); }
    std::vector<std::string> outputNames() const override { return m_real.outputNames(); }
    Arity arity() const override { return m_real.arity(); }
    std::optional<AttrType> attrType(std::string_view attr) const override {
        return m_real.attrType(attr);
    }
    std::vector<std::string> attrNames() const override { return m_real.attrNames(); }
    Result<Inferred> infer(const OpCall& call) const override { return m_real.infer(call); }
    Result<OpInst> instantiate(const OpCall& call) const override {
        return m_real.instantiate(call);
    }
    Result<Facts> facts(const OpCall& call) const override { return m_real.facts(call); }
    Result<std::vector<TensorData>>
    reference(const OpCall& call, const std::vector<const TensorData*>& inputs) const override {
        FW_TRY(std::vector<TensorData> out, m_real.reference(call, inputs));
        for (TensorData& data : out) {
            std::vector<double> values = data.toDoubles();
            for (double& value : values)
                value = value == 0 ? 0.25 : value;
            data = dataFromDoubles(data.dtype(), data.extents(), values);
        }
        return out;
    }
    bool isNative() const override { return m_real.isNative(); }

private:
    const Operator& m_real;
};

} // namespace

// Every constant that rewriting computes has been judged once, and those of a sample agree.
void TestVerify::constantsThatWereFolded() {
    const GraphPtr model = graph(folding);
    const Rewritten rewritten = rewriteGraph(model, readBooks({}).rules, {}).value();
    const std::vector<VerifyRow> rows = folded(model, rewritten.trace.applications);
    QVERIFY(rows.size() >= 3);
    QVERIFY2(differing(rows).isEmpty(), qPrintable(differing(rows).join(u'\n')));
    const auto scaled = std::find_if(rows.begin(), rows.end(), [](const VerifyRow& row) {
        return row.verdict == "within" && row.implementation == "fold_constants";
    });
    QVERIFY(scaled != rows.end() && scaled->comparisons >= 2 && scaled->groups.empty());
    const VerifyModel whole = verify(write("folding.fw", folding));
    QCOMPARE(whole.differing + whole.notRun, std::int64_t(0));
    QVERIFY(std::count_if(whole.rows.begin(), whole.rows.end(), [](const VerifyRow& row) {
                return row.implementation == "fold_constants";
            }) >= 3);
}

// One element of one constant, of each in turn.
void TestVerify::aWrongConstant() {
    const GraphPtr model = graph(folding);
    const Rewritten rewritten = rewriteGraph(model, readBooks({}).rules, {}).value();
    int planted = 0;
    for (std::size_t i = 0; i < rewritten.trace.applications.size(); ++i) {
        if (rewritten.trace.applied[rewritten.trace.applications[i].entry].rule != "fold_constants")
            continue;
        for (std::size_t k = 0; k < rewritten.trace.applications[i].step.edits.size(); ++k) {
            std::vector<Application> applications = rewritten.trace.applications;
            NodePtr& made = applications[i].step.edits[k].after;
            if (applications[i].step.edits[k].before || !made || !made->isConstant())
                continue;
            Node other = *made;
            other.data = std::make_shared<const TensorData>(
                changed(*made->data, made->data->count() - 1, 0.25));
            made = std::make_shared<const Node>(std::move(other));
            const QStringList found = differing(folded(model, applications));
            QVERIFY2(!found.isEmpty() && found[0].contains(u"kept as a constant"),
                     qPrintable(found.join(u'\n')));
            ++planted;
        }
    }
    QVERIFY(planted >= 3);
}

// What every group reads alike no group shows.
void TestVerify::anEvaluatorThatIsWrong() {
    auto operators = std::make_shared<OperatorSet>(*standardOperators());
    QVERIFY(
        operators->add(std::make_shared<ZeroIsAQuarter>(*standardOperators()->find("sub"))).ok());
    const GraphPtr model = parseGraph(R"(graph g(x: f16[3]) -> y {
  a = const [1, 2, 3] : f16[3]
  b = const [1, 1, 3] : f16[3]
  d = sub(a, b)
  y = mul(x, d)
}
)",
                                      operators)
                               .value();
    const Rewritten rewritten = rewriteGraph(model, readBooks({}).rules, {}).value();
    const QStringList found = differing(folded(model, rewritten.trace.applications));
    QVERIFY2(found.size() == 1 &&
                 found[0].startsWith(u"sub: d[0]: 0.25 instead of 0, exact; kept as a constant"),
             qPrintable(found.join(u'\n')));
}

FW_TEST(TestVerify, QCoreApplication)
#include "test_verify.moc"
