// How one operator fits a declaration: as which step, clause by clause, and in the match around it.
#include "common/test.h"
#include "session/asked.h"

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestProbe : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rows_data();
    void rows();
    void everyRowHasItsPlace();
    void declarationAtThePlace();
    void typesThatNothingInfers_data();
    void typesThatNothingInfers();
    void refusals();
};

namespace {

Arguments of(const std::string& text, const std::string& node, Arguments out) {
    out.rules = {mineFile};
    out.texts = {{mineFile, text}};
    out.nodes = {node};
    out.name = "r";
    return out;
}

QString textOf(const ProbeDocument& document) {
    QStringList out;
    for (const ProbeRow& row : document.rows)
        out << QString::fromStdString(row.kind.str() + " " + row.verdict.str() + " " + row.clause +
                                      (row.expected.empty() ? "" : ", expected " + row.expected) +
                                      (row.found.empty() ? "" : ", found " + row.found));
    return out.join(u'\n');
}

} // namespace

void TestProbe::rows_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("node");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* text, const char* node,
                        const char* expected) { QTest::newRow(name) << text << node << expected; };
    row("fits", "rule r { match y = relu(batch_norm(x, ...)) emit y = x }", "Relu_stem_relu",
        "step yes relu(batch_norm(x, ...))\n"
        "clause yes batch_norm(x, ...)\n"
        "match yes a match at Relu_stem_relu, found 2 operators");
    row("as an inner step", "rule r { match y = relu(batch_norm(x, ...)) emit y = x }",
        "BatchNormalization_stem_bn",
        "step yes batch_norm(x, ...)\n"
        "match yes a match at Relu_stem_relu, found 2 operators");
    row("every clause by itself",
        "rule r { match y = conv2d(x, w) {groups = 7, strides = [2, 2]} emit y = x }", "Conv_stem",
        "step no conv2d(x, w) {groups = 7, strides = [2, 2]}, expected groups = 7, found 1\n"
        "clause no groups = 7, expected groups = 7, found 1\n"
        "clause no strides = [2, 2], expected strides = [2, 2], found [1, 1]");
    row("conditions",
        "rule r { match y = relu(b = batch_norm(x, ...)) where used_once(b), "
        "dim(x, 1) == 7 emit y = b }",
        "Relu_stem_relu",
        "step yes relu(b = batch_norm(x, ...))\n"
        "clause yes b = batch_norm(x, ...)\n"
        "match no a match at Relu_stem_relu, expected every condition holds, "
        "found dim(x, 1) == 7 is false: dim(x, 1) = 16\n"
        "condition yes used_once(b), found used_once(b) = yes\n"
        "condition no dim(x, 1) == 7, found dim(x, 1) = 16");
    row("another operator", "rule r { match y = relu(tanh(x)) emit y = x }", "Conv_stem",
        "step no no step takes it, expected tanh(x), relu(tanh(x)), found conv2d");
    row("in a sequence",
        "rule r { match y = conv2d(x, w) >> batch_norm(^, ...) >> relu(^): f64 emit y = x }",
        "Relu_stem_relu",
        "step no relu(^): f64, expected f64, found f32[1, 16, 32, 32]\n"
        "clause yes batch_norm(^, ...)\n"
        "clause no f64, expected f64, found f32[1, 16, 32, 32]");
}

void TestProbe::rows() {
    QFETCH(QString, text);
    QFETCH(QString, node);
    QFETCH(QString, expected);
    Asked asked;
    const auto found = asked.get<ProbeDocument>(
        "probe", of(text.toStdString(), node.toStdString(), on("residual")));
    QCOMPARE(textOf(found), expected);
    QCOMPARE(found.rule, std::string("r"));
    QCOMPARE(QString::fromStdString(found.node), node);
}

// In shipped rules, whose patterns have every form: no clause without a place but the match itself.
void TestProbe::everyRowHasItsPlace() {
    Asked asked;
    const auto info = asked.get<GraphDocument>("graph", on("residual"));
    std::size_t rows = 0;
    for (const char* file : {"simplify.fw", "recognise.fw", "scales.fw", "views.fw"}) {
        Arguments match = on("residual");
        match.book = file;
        for (const RuleMatches& rule : asked.get<MatchDocument>("match", match).rules)
            for (const NodeRecord& node : info.nodes) {
                if (node.op == "input" || node.op == "constant")
                    continue;
                Arguments probe = on("residual");
                probe.position = TextPlace{file, rule.line, rule.column};
                probe.nodes = {"#" + std::to_string(node.id)};
                const auto found = asked.get<ProbeDocument>("probe", probe);
                QCOMPARE(found.rule, rule.name);
                QCOMPARE(found.nodeId, node.id);
                bool matches = false;
                for (const ProbeRow& row : found.rows) {
                    ++rows;
                    matches = matches || (row.kind == "match" && row.verdict == "yes");
                    const bool somewhere = row.kind == "match" || row.clause == "no step takes it";
                    QVERIFY2(somewhere || row.line > 0, row.clause.c_str());
                }
                const bool listed = std::any_of(
                    rule.matches.begin(), rule.matches.end(), [&](const MatchRecord& one) {
                        return std::find(one.nodeIds.begin(), one.nodeIds.end(), node.id) !=
                               one.nodeIds.end();
                    });
                QVERIFY2(!listed || matches, (rule.name + " at " + node.name).c_str());
            }
    }
    QVERIFY(rows > 500);
}

void TestProbe::declarationAtThePlace() {
    Arguments wanted =
        of("pattern a(x) = relu(x)\npattern b(x) = tanh(x)\n", "Relu_stem_relu", on("residual"));
    wanted.name.clear();
    wanted.position = TextPlace{mineFile, 2, 5};
    Asked asked;
    QCOMPARE(asked.get<ProbeDocument>("probe", wanted).rule, std::string("b"));
    // What decides about groups looks at the graph behind the rules.
    wanted.texts = {{mineFile, "fuse c { match bias(conv2d(x, w), b) as stacked }\n"}};
    wanted.position = TextPlace{mineFile, 1, 5};
    wanted.nodes = {"Conv_stem"};
    const auto found = asked.get<ProbeDocument>("probe", wanted);
    QCOMPARE(found.stage, std::string("rewritten"));
    QCOMPARE(found.rows.back().verdict, std::string("yes"));
}

void TestProbe::typesThatNothingInfers_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("found");
    const auto row = [](const char* text, const char* found) {
        QTest::newRow(text) << text << found;
    };
    row("pattern r(x) = relu(x: f32[N, ...])",
        "Relu, of which nothing infers the type of found: MyConv (MyConv_found) is not known");
    row("pattern r(x) = kind opaque(x: f32[N, ...])",
        "nothing infers the type of found: MyConv (MyConv_found) is not known");
    row("pattern r(x) = kind opaque(x: T)",
        "nothing infers the type of found: MyConv (MyConv_found) is not known");
    row("rule r { match y = kind opaque(x) where dtype(x) == f32 emit y = x }",
        "dtype(x) is not known: nothing infers the type of found: MyConv (MyConv_found) is not "
        "known");
    row("rule r { match y = kind opaque(x) where rank(x) == 1 emit y = x }",
        "rank(x) is not known: nothing infers the type of found: MyConv (MyConv_found) is not "
        "known");
    row("rule r { match y = kind opaque(x) where dim(x, 0) > 0 emit y = x }",
        "dim(x, 0) is not known: nothing infers the type of found: MyConv (MyConv_found) is not "
        "known");
}

// A made-up type is no type: what asks for one says which inference is missing.
void TestProbe::typesThatNothingInfers() {
    QFETCH(QString, text);
    QFETCH(QString, found);
    Asked asked;
    const std::string node = "Relu_y";
    const auto said =
        asked.get<ProbeDocument>("probe", of(text.toStdString(), node, on("own-operator/custom")));
    QVERIFY2(textOf(said).contains(found), qPrintable(textOf(said)));
    for (const ProbeRow& row : said.rows)
        QVERIFY2(row.kind != "match" || row.verdict != "yes", row.clause.c_str());
    Arguments match = of(text.toStdString(), node, on("own-operator/custom"));
    const auto matched = asked.get<MatchDocument>("match", match);
    QVERIFY(matched.rules.at(0).matches.empty());
    QVERIFY(matched.rules.at(0).diagnostics.at(0).message.find(
                "MyConv (MyConv_found) is not known") != std::string::npos);
}

void TestProbe::refusals() {
    Asked asked;
    const auto why = [&](Arguments arguments) {
        const auto answer = asked.ask("probe", std::move(arguments));
        return answer ? std::string() : answer.diag().message;
    };
    QCOMPARE(why(of("pattern p(x) = relu(x)", "Relu_stem_relu", on("residual"))),
             std::string("the books have no rule, pattern or chain r"));
    QVERIFY(why(of("pattern r(x) = relu(x)", "nobody", on("residual"))).find("nobody") !=
            std::string::npos);
    Arguments none = of("pattern r(x) = relu(x)", "Relu_stem_relu", on("residual"));
    none.nodes.clear();
    QCOMPARE(why(none), std::string("a declaration and an operator are needed"));
    const auto wrong = asked.get<ProbeDocument>(
        "probe", of("pattern r(x) = nosuch(x)", "Relu_stem_relu", on("residual")));
    QVERIFY(wrong.rows.empty());
    QVERIFY(hasErrors(wrong.diagnostics));
}

FW_TEST(TestProbe, QCoreApplication)
#include "test_probe.moc"
