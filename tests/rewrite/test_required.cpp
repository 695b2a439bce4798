// Sequences that a target requires: who begins one without going on is named, with what is there.
#include "common/test.h"
#include "rewrite/required.h"
#include "rewrite/rewriting.h"

using namespace fw;
using namespace rewriting;

namespace {

// "node: why" for each, joined by "; ".
QString missing(const std::string& book, const std::string& graph) {
    const FileTree tree = parseFile(book, "my.fw");
    if (!tree.errors.empty())
        qFatal("%s", tree.errors.front().text().c_str());
    PatternTable patterns;
    std::shared_ptr<const TargetTree> target;
    for (const DeclarationPtr& declaration : tree.declarations) {
        if (const auto pattern = declarationAs<PatternDeclTree>(declaration))
            patterns.insert_or_assign(pattern->name, pattern.get());
        else
            target = declarationAs<TargetTree>(declaration);
    }
    const GraphPtr parsed = graphOf(graph);
    const auto found = missingSequences(*parsed, target->required.front().pattern, patterns);
    if (!found)
        return QString::fromStdString(found.diag().text());
    QStringList out;
    for (const MissingSequence& one : *found)
        out << QString::fromStdString(parsed->node(one.node).name + ": " + one.why);
    return out.join(QStringLiteral("; "));
}

QString onGraph(const std::string& pattern, const std::string& body, const std::string& results) {
    return missing("target t on cpu { requires " + pattern + " }",
                   "graph g(x: f32[4]) -> " + results + " {\n" + body + "\n}");
}

} // namespace

class TestRequired : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wholeSequencesAreFine();
    void lonelyNodesAreNamed();
    void theNearestMissIsTold();
    void valuesUsedOutsideBreakIt();
    void nestedPatternsBeginInside();
    void alternativesAndChains();
    void everyNodeIsTold();
};

void TestRequired::wholeSequencesAreFine() {
    QCOMPARE(onGraph("exp(x) >> tanh(^)", "e = exp(x)  y = tanh(e)", "y"), QString());
    QCOMPARE(onGraph("exp(x) >> tanh(^)", "y = relu(x)", "y"), QString());
    QCOMPARE(onGraph("exp(x) >> tanh(^) >> relu(^)?", "e = exp(x)  y = tanh(e)", "y"), QString());
}

void TestRequired::lonelyNodesAreNamed() {
    QCOMPARE(onGraph("exp(x) >> tanh(^)", "e = exp(x)", "e"),
             QStringLiteral("exp: tanh(^) does not follow, nothing reads exp"));
    QCOMPARE(onGraph("exp(x) >> tanh(^)", "a = exp(x)  b = tanh(a)  c = exp(b)  d = relu(c)", "d"),
             QStringLiteral(
                 "exp_1: at relu, 0 of 2 operators matched: tanh(^) expected tanh, found relu"));
}

void TestRequired::theNearestMissIsTold() {
    QVERIFY(onGraph("exp(x) >> tanh(^) >> relu(^)", "a = exp(x)  b = tanh(a)  c = sqrt(b)", "c")
                .contains(QStringLiteral("at sqrt, 0 of 3")));
    QVERIFY(onGraph("exp(x) >> softmax(^) {axis = 1}", "a = exp(x)  b = softmax(a) {axis = 0}", "b")
                .contains(QStringLiteral("axis = 1")));
}

void TestRequired::valuesUsedOutsideBreakIt() {
    QCOMPARE(onGraph("exp(x) >> tanh(^)", "e = exp(x)  y = tanh(e)  z = relu(e)", "y, z"),
             QStringLiteral("exp: exp is used by relu outside the match"));
    QCOMPARE(onGraph("exp(x) >> tanh(^)", "e = exp(x)  y = tanh(e)", "y, e"),
             QStringLiteral("exp: exp is a result of the model"));
}

void TestRequired::nestedPatternsBeginInside() {
    QCOMPARE(onGraph("tanh(exp(x))", "e = exp(x)  y = tanh(e)", "y"), QString());
    QVERIFY(onGraph("tanh(exp(x))", "e = exp(x)", "e").startsWith(QStringLiteral("exp: tanh")));
    QCOMPARE(onGraph("tanh(exp(x))", "e = tanh(x)", "e"), QString());
}

void TestRequired::alternativesAndChains() {
    const std::string either = "exp(x) >> tanh(^) | sqrt(x) >> relu(^)";
    QCOMPARE(onGraph(either, "a = exp(x)  b = tanh(a)  c = sqrt(b)  d = relu(c)", "d"), QString());
    const QString both = onGraph(either, "a = exp(x)  b = relu(a)  c = sqrt(b)  d = tanh(c)", "d");
    QVERIFY2(
        both.contains(QStringLiteral("exp: at relu, 0 of 2 operators matched: tanh(^)")) &&
            both.contains(QStringLiteral("; sqrt: at tanh, 0 of 2 operators matched: relu(^)")),
        qPrintable(both));
    const std::string book = "chain tail = tanh(^) >> relu(^)\n"
                             "target t on cpu { requires kind elementwise(x) >> tail }";
    QCOMPARE(missing(book, "graph g(x: f32[4]) -> y { a = exp(x) b = tanh(a) y = relu(b) }"),
             QString());
    QVERIFY(missing(book, "graph g(x: f32[4]) -> y { a = exp(x) y = tanh(a) }")
                .contains(QStringLiteral("exp: ")));
}

// A thousand nodes that begin, of which none goes on.
void TestRequired::everyNodeIsTold() {
    std::string body = "v0 = relu(x)\n";
    for (int i = 1; i <= 1000; ++i)
        body += "v" + std::to_string(i) + " = exp(v" + std::to_string(i - 1) + ")\n";
    QCOMPARE(onGraph("exp(x) >> tanh(^) >> relu(^)", body, "v1000").count(QStringLiteral("; ")),
             999);
}

FW_TEST(TestRequired, QCoreApplication)
#include "test_required.moc"
