// The commands that look inside: match, values by name, times of groups by themselves.
#include "base/files.h"
#include "common/test.h"
#include "library/library.h"
#include "onnx/model/tensor_file.h"
#include "onnx/read/import.h"
#include "session/asked.h"
#include "session/group_graph.h"
#include "tensor/evaluate_graph.h"

#include <QRegularExpression>
#include <QTemporaryDir>

#include <cmath>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

namespace {

const RuleMatches* ruleOf(const MatchDocument& document, const std::string& name) {
    for (const RuleMatches& rule : document.rules)
        if (rule.name == name)
            return &rule;
    return nullptr;
}

} // namespace

class TestInspect : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void matchesOfTheLibrary();
    void matchesOfABook();
    void matchRefuses();
    void valuesEqualTheReference_data();
    void valuesEqualTheReference();
    void valuesLeaveTheOutputsAlone();
    void unknownValuesAreNamed();
    void measureTimesEveryGroup();
    void measureBindsFreeDimensions();
    void eachTimesEveryOperator();
    void whatWasMisjudgedMostIsNamed();

private:
    std::string write(const char* name, const QByteArray& text) {
        QFile file(m_folder.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write");
        file.write(text);
        return file.fileName().toStdString();
    }

    QTemporaryDir m_folder;
};

void TestInspect::matchesOfTheLibrary() {
    Asked a;
    const auto found = a.get<MatchDocument>("match", on("mobilenet"));
    QCOMPARE(found.stage, std::string("imported"));
    const RuleMatches* fold = ruleOf(found, "fold_batch_norm");
    QVERIFY(fold != nullptr);
    QCOMPARE(fold->matches.size(), std::size_t(27));
    QCOMPARE(fold->matches[0].nodes,
             (std::vector<std::string>{"Conv_stem", "BatchNormalization_stem_bn"}));
    QCOMPARE(fold->matches[0].bindings.at("x"), std::string("image: f32[1, 3, 64, 64]"));
    QCOMPARE(fold->matches[0].bindings.at("eps"), std::string("0.001"));
    QVERIFY(fold->matches[0].bindings.at("*a").find("strides = [2, 2]") != std::string::npos);
    QVERIFY(ruleOf(found, "merge_bias")->matches.empty());
    Arguments later = on("mobilenet");
    later.stage = "rewritten";
    later.name = "fold_batch_norm";
    const auto nothing = a.get<MatchDocument>("match", later);
    QCOMPARE(nothing.rules.size(), std::size_t(1));
    QVERIFY(nothing.rules[0].matches.empty());
}

void TestInspect::matchesOfABook() {
    const std::string book = write("book.fw", R"(chain tail = relu(^)?
pattern block(x, w: const) "a convolution with its tail" = conv2d(x, w) >> bias(^, b: const)? >> tail
rule never { match y = relu(batch_norm(conv2d(x, w) {groups = 7}, ...)) emit y = x }
rule broken { match y = rellu(x) emit y = x }
rule torn { match y = relu(x }
)");
    Asked a;
    Arguments arguments = on("residual");
    arguments.rules = {book};
    const auto found = a.get<MatchDocument>("match", arguments);
    QCOMPARE(found.diagnostics.size(), std::size_t(1)); // torn; the rest of the book is tried
    QVERIFY(ruleOf(found, "fold_batch_norm") == nullptr);
    const RuleMatches* block = ruleOf(found, "block");
    QVERIFY(block != nullptr);
    QCOMPARE(block->matches.size(), std::size_t(4)); // the norms stand between conv and relu
    QCOMPARE(block->matches[0].nodes, std::vector<std::string>{"Conv_stem"});
    QVERIFY(!block->nearMisses.empty()); // with the batch norm behind it
    QCOMPARE(block->nearMisses[0].root, std::string("BatchNormalization_stem_bn"));
    QCOMPARE(block->nearMisses[0].expected, std::string("one of bias, relu"));
    QCOMPARE(block->nearMisses[0].found, std::string("batch_norm"));
    const RuleMatches* never = ruleOf(found, "never");
    QVERIFY(never != nullptr && never->matches.empty());
    QVERIFY(!never->nearMisses.empty());
    const NearMissRecord& miss = never->nearMisses.front();
    QCOMPARE(miss.root, std::string("Relu_stem_relu"));
    QCOMPARE(miss.matched, std::int64_t(2));
    QCOMPARE(miss.total, std::int64_t(3));
    QCOMPARE(miss.expected, std::string("groups = 7"));
    QCOMPARE(miss.found, std::string("1"));
    QVERIFY(miss.clause.find("conv2d(x, w)") == 0);
    QCOMPARE(ruleOf(found, "broken")->diagnostics.at(0).code, DiagCode::UnknownOperator);
}

void TestInspect::matchRefuses() {
    Asked a;
    Arguments arguments = on("residual");
    arguments.name = "nobody";
    QCOMPARE(a.ask("match", arguments).diag().code, DiagCode::UnknownName);
    arguments.name.clear();
    arguments.stage = "fused";
    QCOMPARE(a.ask("match", arguments).diag().code, DiagCode::Usage);
    arguments.stage.clear();
    arguments.rules = {m_folder.filePath(QStringLiteral("absent.fw")).toStdString()};
    QCOMPARE(a.ask("match", arguments).diag().code, DiagCode::FileMissing);
}

void TestInspect::valuesEqualTheReference_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("names");
    QTest::addColumn<QString>("notice");
    QTest::newRow("inside a group") << "lenet"
                                    << "relu1 conv1"
                                    << "lies inside the group";
    QTest::newRow("folded away") << "residual"
                                 << "stem left2_bn Add_sum"
                                 << "stem";
    QTest::newRow("by its operator") << "mlp"
                                     << "Relu_relu1"
                                     << "";
    QTest::newRow("input and output") << "mlp"
                                      << "image probabilities"
                                      << "";
    QTest::newRow("free batch") << "free_batch"
                                << "pool"
                                << "";
}

void TestInspect::valuesEqualTheReference() {
    QFETCH(QString, sample);
    QFETCH(QString, names);
    QFETCH(QString, notice);
    Asked a;
    Arguments arguments = on(sample.toStdString());
    for (const QString& name : names.split(u' '))
        arguments.values.push_back(name.toStdString());
    arguments.output = m_folder.filePath(sample).toStdString();
    const auto run = a.get<RunDocument>("run", arguments);
    QCOMPARE(run.values.size(), arguments.values.size());
    QString said;
    for (const std::string& one : run.notices)
        said += QString::fromStdString(one) + u'\n';
    QVERIFY2(said.contains(notice), qPrintable(said));

    const auto imported = importModel(arguments.model + "/model.onnx", standardOperators()).value();
    const Graph& graph = *imported.graph;
    std::vector<NamedValue> wanted;
    for (const std::string& name : arguments.values) {
        const Node* node = graph.findByName(name);
        QVERIFY(node != nullptr);
        wanted.push_back({name, {node->id, 0}});
    }
    const GraphPtr part = partOf(graph, {{graph.inputs()[0], 0}}, wanted).value();
    const auto input = readTensorFile(arguments.model + "/test_data_set_0/input_0.pb").value().data;
    const auto expected = evaluateGraph(*part, {input});
    QVERIFY2(expected.ok(), expected.ok() ? "" : expected.diag().text().c_str());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const TensorData got = readTensorFile(run.values[i].file).value().data;
        const TensorData& want = (*expected)[i];
        QCOMPARE(run.values[i].name, wanted[i].name);
        QVERIFY(got.type() == want.type());
        for (std::size_t k = 0; k < got.count(); ++k)
            QVERIFY2(std::fabs(got.at(k) - want.at(k)) <= 1e-5 + 1e-3 * std::fabs(want.at(k)),
                     wanted[i].name.c_str());
    }
}

void TestInspect::valuesLeaveTheOutputsAlone() {
    Asked a;
    Arguments arguments = on("lenet");
    const auto before = a.get<RunDocument>("run", arguments);
    arguments.values = {"conv1", "relu3"};
    const auto after = a.get<RunDocument>("run", arguments);
    QVERIFY(before.outputs == after.outputs && before.sets == after.sets);
    QVERIFY(before.values.empty());
}

void TestInspect::unknownValuesAreNamed() {
    Asked a;
    Arguments arguments = on("lenet");
    arguments.values = {"nobody"};
    const auto answer = a.ask("run", arguments);
    QCOMPARE(answer.diag().code, DiagCode::UnknownName);
    QVERIFY(answer.diag().message.find("nobody") != std::string::npos);
}

void TestInspect::measureTimesEveryGroup() {
    Asked a;
    Arguments arguments = on("residual");
    arguments.measure = true;
    arguments.seconds = 0.05;
    const auto plan = a.get<FuseDocument>("fuse", arguments);
    std::size_t split = 0;
    for (const GroupRecord& group : plan.groups) {
        if (group.implementation == "view")
            continue;
        QVERIFY2(group.aloneUs && *group.aloneUs > 0, group.name.c_str());
        QCOMPARE(group.splitUs.has_value(), group.nodes.size() > 1);
        if (group.splitUs) {
            ++split;
            QVERIFY(*group.splitUs > 0);
            QVERIFY2(group.agree && *group.agree, group.name.c_str());
        }
    }
    QVERIFY(split >= 3);
    arguments.measure.reset();
    const auto plain = a.get<FuseDocument>("fuse", arguments);
    QCOMPARE(plain.groups.size(), plan.groups.size());
    QVERIFY(!plain.groups.front().aloneUs);
}

void TestInspect::measureBindsFreeDimensions() {
    Asked a;
    Arguments arguments = on("free_batch");
    arguments.measure = true;
    arguments.seconds = 0.02;
    const auto plan = a.get<FuseDocument>("fuse", arguments);
    QVERIFY(std::find(plan.notices.begin(), plan.notices.end(), "measured with N = 1") !=
            plan.notices.end());
    arguments.dims = {{"N", 5}};
    arguments.model += "/model.onnx";
    const auto five = a.get<FuseDocument>("fuse", arguments);
    QVERIFY(std::any_of(five.groups.begin(), five.groups.end(),
                        [](const GroupRecord& group) { return group.splitUs.has_value(); }));
}

void TestInspect::eachTimesEveryOperator() {
    Asked a;
    Arguments arguments = on("free_batch");
    arguments.each = true;
    arguments.seconds = 0.1;
    const auto profile = a.get<ProfileDocument>("profile", arguments);
    std::size_t operators = 0;
    for (const ProfileRow& row : profile.rows) {
        if (row.groupId < 0)
            continue;
        QVERIFY2(row.aloneUs && *row.aloneUs > 0, row.group.c_str());
        for (const ShareRecord& node : row.nodes) {
            QVERIFY2(node.aloneUs && *node.aloneUs >= 0, node.name.c_str());
            ++operators;
        }
    }
    QVERIFY(operators >= 5);
    arguments.each.reset();
    const auto plain = a.get<ProfileDocument>("profile", arguments);
    QVERIFY(!plain.rows.front().aloneUs);
}

// By a profile of a machine that is a thousand times slower than any. Times that other work
// disturbed are no misses.
void TestInspect::whatWasMisjudgedMostIsNamed() {
    QTemporaryDir folder;
    const std::string machine = folder.filePath(QStringLiteral("slow")).toStdString();
    QVERIFY(writeFile(machine, "gflops 0.01\nl2_gbps 0.01\nl3_gbps 0.01\nmemory_gbps 0.01\n"
                               "launch_us 1\nfork_us 1\n")
                .ok());
    qputenv("FUSEWRIGHT_MACHINE", machine.c_str());
    Arguments arguments = on("lenet");
    arguments.target = "x86-64 -libs= -threads=1"; // whose figures nobody asked for before
    arguments.seconds = 0.02;
    std::size_t named = 0;
    for (int round = 0; named == 0 && round < 25; ++round) {
        Asked a;
        const auto profile = a.get<ProfileDocument>("profile", arguments);
        named = profile.misses.size();
        QVERIFY(named <= 3);
        double before = HUGE_VAL;
        for (const std::string& miss : profile.misses) {
            const auto parts =
                QRegularExpression(
                    QStringLiteral(
                        "^(\\S+) by (\\S+): ([\\d.]+) us expected, ([\\d.]+) us measured$"))
                    .match(QString::fromStdString(miss));
            QVERIFY2(parts.hasMatch(), miss.c_str());
            const auto row =
                std::find_if(profile.rows.begin(), profile.rows.end(), [&](const ProfileRow& one) {
                    return one.group == parts.captured(1).toStdString();
                });
            QVERIFY2(row != profile.rows.end() && row->estUs && !row->disturbed, miss.c_str());
            const double off = std::abs(row->medianUs - *row->estUs);
            QVERIFY2(off <= before, miss.c_str());
            before = off;
        }
        // Nothing that was measured is further off.
        for (const ProfileRow& row : profile.rows)
            if (named == 3 && row.estUs && !row.disturbed &&
                std::none_of(profile.misses.begin(), profile.misses.end(),
                             [&](const std::string& miss) {
                                 return miss.starts_with(std::string(row.group) + " by ");
                             }))
                QVERIFY(std::abs(row.medianUs - *row.estUs) <= before);
    }
    qunsetenv("FUSEWRIGHT_MACHINE");
    QVERIFY(named > 0);
}

FW_TEST(TestInspect, QCoreApplication)
#include "test_inspect.moc"
