// What the language can say is seen in the editor, construct by construct: the steps that are
// counted, the nearest miss with its clause, and the drawing.
#include "common/test.h"
#include "session/asked.h"

#include "base/files.h"

#include <QTemporaryDir>

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestConstructs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void seen_data();
    void seen();

private:
    QTemporaryDir m_folder;
};

namespace {

const char* const constructedGraph = "graph g(x: f32[N, 4]) -> y, z, l, d {\n"
                                     "  w = const [1, 2, 3, 4] : f32[4]\n"
                                     "  a = relu(x)  b = tanh(a)  c = sigmoid(a)  y = add(b, c)\n"
                                     "  (p, q) = split(x) {axis = 1, sizes = [2, 2]}\n"
                                     "  z = concat(p, q, p) {axis = 1}\n"
                                     "  l = mul(x, w)  e = neg(x)  d = exp(e)\n"
                                     "}\n";

std::string stepsOf(const RuleMatches& rule) {
    std::vector<std::string> out;
    for (const FunnelStep& step : rule.funnel)
        out.push_back(fmt::format("{}{} {}", step.clause, step.optional ? " ?" : "", step.count));
    return fmt::format("{}", fmt::join(out, "; "));
}

// "kept relu(x); created exp(relu)": an operator by what it reads, outputs behind a dot.
std::string drawnOf(const DrawingDocument& drawing) {
    std::vector<std::string> out;
    const auto& nodes = drawing.graph.nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const NodeRecord& node = nodes[i];
        if (node.op == "input")
            continue;
        std::vector<std::string> reads;
        for (const InputRef& input : node.inputs) {
            const NodeRecord& from = nodes[std::size_t(input.node)];
            reads.push_back((from.op == "input" ? from.name : from.op) +
                            (input.output > 0 ? fmt::format(".{}", input.output) : ""));
        }
        std::string attributes;
        for (const auto& [name, text] : node.attributes)
            attributes += " {" + text + "}";
        const std::string& mark = drawing.nodes[i].mark;
        out.push_back(fmt::format("{}{}{}({}){}", mark, mark.empty() ? "" : " ", node.op,
                                  fmt::join(reads, ", "), attributes));
    }
    for (const auto& result : drawing.graph.results)
        if (drawing.kind == "fuse")
            out.push_back("result " + nodes[std::size_t(result.node)].op);
    return fmt::format("{}", fmt::join(out, "; "));
}

} // namespace

void TestConstructs::seen_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("miss");
    QTest::addColumn<QString>("drawn");
    const auto row = [](const char* name, const char* text, const char* steps, const char* miss,
                        const char* drawn) {
        QTest::newRow(name) << text << steps << miss << drawn;
    };
    row("typed captures", "pattern p(x) = mul(x: f32[N, 4], w: f32[5])",
        "mul(x: f32[N, 4], w: f32[5]) 0", "w: f32[5]: expected f32[5], found f32[4]",
        "kept mul(x: f32[N, 4], w: f32[5])");
    row("names of extents", "pattern p(x) = mul(x: T[N, K], w: T[K + 1])",
        "mul(x: T[N, K], w: T[K + 1]) 0", "w: T[K + 1]: expected T[K + 1]: 5, found 4",
        "kept mul(x: T[N, K], w: T[K + 1])");
    row("dominated", "pattern p(x) = dominated(relu(x), kind elementwise(^, ...), mul(^, ^))",
        "relu(x) 1; dominated(relu(x), kind elementwise(^, ...), mul(^, ^)) 0",
        "dominated(relu(x), kind elementwise(^, ...), mul(^, ^)): expected kind elementwise(^, "
        "...) on every path, found constant w",
        "kept relu(x); kept kind elementwise *(relu, ...); kept mul(kind elementwise *, kind "
        "elementwise *)");
    row("lists", "pattern p(x) = concat(x, ...rest) {axis = 0}", "concat(x, ...rest) {axis = 0} 0",
        "concat(x, ...rest) {axis = 0}: expected axis = 0, found 1",
        "kept concat(x, rest) {axis = 0}");
    row("further ones that are all one", "pattern p(x) = concat(x, ...split(any))",
        "concat(x, ...split(any)) 0",
        "split(any): expected the first result of split, found result 1",
        "kept split(); kept concat(x, split)");
    row("not", "pattern p(x) = exp(not neg(x))", "exp(not neg(x)) 0",
        "not neg(x): expected not neg(x), found neg", "kept neg(x); not(neg); kept exp(not)");
    row("several results", "pattern p(x) = concat(s = split(x), out(0, s), ...)",
        "split(x) 1; concat(s = split(x), out(0, s), ...) 0",
        "out(0, s): expected result 0, found result 1",
        "kept split(x); kept concat(split, split, ...)");
    row("alternatives, options, repetitions",
        "pattern p(x) = add(tanh(relu(x)) | exp(x), neg(relu(x))* {1..2} >> exp(^)?)",
        "relu(x) ? 1; tanh(relu(x)) ? 1; exp(x) ? 1; relu(x) 1; neg(relu(x)) 0; exp(^) ? 0; "
        "add(tanh(relu(x)) | exp(x), neg(relu(x))* {1..2} >> exp(^)?) 0",
        "exp(^): expected exp, found sigmoid",
        "kept relu(x); kept tanh(relu); kept exp(x); either(tanh, exp); kept relu *1..2(x); kept "
        "neg *1..2(relu *1..2); kept exp ?(neg *1..2); kept add(either, exp ?)");
    row("assoc", "pattern p(x) = assoc add(tanh(x), neg(any))",
        "tanh(x) 1; neg(any) 1; assoc add(tanh(x), neg(any)) 0",
        "neg(any): expected neg, found sigmoid",
        "kept tanh(x); kept neg(); kept assoc add(tanh, neg)");
    row("kind", "pattern p(x) = exp(kind reduction(x))",
        "kind reduction(x) 0; exp(kind reduction(x)) 0",
        "kind reduction(x): expected kind reduction, found neg",
        "kept kind reduction(x); kept exp(kind reduction)");
    row("conditions",
        "rule p { match y = mul(x, w: const) where all(w > 1), rank(x) == 2 emit y = x }",
        "mul(x, w: const) 1; all(w > 1) 0; rank(x) == 2 0",
        "where: expected every condition holds, found all(w > 1) is false: w[0] = 1",
        "erased mul(x, w: const)");
    row("several roots, lists on the right",
        "rule p { match a = exp(n = neg(x)), z = concat(v, ...rest) {*k} emit a = n, "
        "z = concat(...rest, v) {*k} }",
        "neg(x) 1; exp(n = neg(x)) 1; concat(v, ...rest) {*k} 1", "1 matches",
        "kept neg(x); erased exp(neg); erased concat(v, rest) {*k}; created concat(rest, v) {*k}");
    row("an operator in place of its name",
        "rule p { match y = exp(neg(x)) emit y = op (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] "
        "}(x) }",
        "neg(x) 1; exp(neg(x)) 1", "1 matches", "erased neg(x); erased exp(neg); created p.op1(x)");
    row("results by name",
        "rule p { match y = add(b, c) let (u, v) = split(b) {axis = 1, sizes = [2, 2]} emit y = "
        "concat(v, u) {axis = 1} }",
        "add(b, c) 1", "1 matches",
        "erased add(b, c); created split(b) {axis = 1} {sizes = [2, 2]}; created concat(split.1, "
        "split) {axis = 1}");
    row("fuse", "fuse p { match exp(n = neg(x)) expose n as stacked }",
        "neg(x) 1; exp(n = neg(x)) 1", "1 matches",
        "kept neg(x); kept exp(neg); result exp; result neg");
}

void TestConstructs::seen() {
    QFETCH(QString, text);
    QFETCH(QString, steps);
    QFETCH(QString, miss);
    QFETCH(QString, drawn);
    Arguments wanted;
    wanted.model = m_folder.filePath(QStringLiteral("model.fw")).toStdString();
    QVERIFY(writeFile(wanted.model, constructedGraph));
    wanted.rules = {mineFile};
    wanted.texts = {{mineFile, text.toStdString()}};
    wanted.target = "x86-64 -libs=";
    Asked asked;
    const auto found = asked.get<MatchDocument>("match", wanted);
    QCOMPARE(found.rules.size(), std::size_t(1));
    const RuleMatches& rule = found.rules.front();
    for (const Diag& diag : rule.diagnostics)
        QVERIFY2(diag.severity != Severity::Error, diag.text().c_str());
    QCOMPARE(QString::fromStdString(stepsOf(rule)), steps);
    const std::string nearest =
        rule.nearMisses.empty()
            ? fmt::format("{} matches", rule.matches.size())
            : fmt::format("{}: expected {}, found {}", rule.nearMisses[0].clause,
                          rule.nearMisses[0].expected, rule.nearMisses[0].found);
    QCOMPARE(QString::fromStdString(nearest), miss);
    for (const NearMissRecord& one : rule.nearMisses)
        QVERIFY(one.range.line > 0 || one.clause == "where");
    wanted.book = mineFile;
    wanted.position = TextPlace{mineFile, 1, 3};
    const auto drawing = asked.get<DrawingDocument>("drawing", wanted);
    QCOMPARE(QString::fromStdString(drawnOf(drawing)), drawn);
}

FW_TEST(TestConstructs, QCoreApplication)
#include "test_constructs.moc"
