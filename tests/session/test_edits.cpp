// Small edits of a model: rules about one operator that `fw sketch --edit` writes, the edits behind
// them, and what is refused with which code.
#include "common/test.h"
#include "session/asked.h"

#include "base/files.h"

#include <QTemporaryDir>

#include <fmt/format.h>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestEdits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void edits_data();
    void edits();
    void editsFollowOneAnother();
    void whatRulesMadeIsEditedWhereItCameFrom();
    void refusals_data();
    void refusals();
    void changesAreToldAsAsked();
    void errorsAreLookedForBehindEdits();
    void aTestOfAnEditComparesNoValues();
    void changesCompute();

private:
    Arguments of(const std::string& graph, const std::string& book = {}) {
        Arguments out = on("");
        out.model = m_folder.filePath(QStringLiteral("model.fw")).toStdString();
        if (!writeFile(out.model, graph))
            qFatal("the model cannot be written");
        if (!book.empty()) {
            out.rules = {"/nowhere/edits.fw"};
            out.texts = {{"/nowhere/edits.fw", book}};
        }
        return out;
    }
    // "delete relu", "insert relu to=clip(^)", "attribute sum axes=[1]", "rewire add operand=1
    // to=x"
    static Arguments asked(Arguments out, const QString& words) {
        const QStringList all = words.split(u' ');
        out.edit = all.at(0).toStdString();
        out.nodes = {all.at(1).toStdString()};
        for (const QString& word : all.mid(2)) {
            const std::string key = word.section(u'=', 0, 0).toStdString(),
                              value = word.section(u'=', 1).toStdString();
            if (key == "to")
                out.to = value;
            else if (key == "operand")
                out.operand = std::stoi(value);
            else
                out.attributes[key] = value;
        }
        return out;
    }
    // Operators as they are rewritten, without the rules of the library: "relu(x)".
    QString behind(const std::string& graph, const std::string& book) {
        Arguments arguments = of(graph, book);
        arguments.stage = "rewritten";
        arguments.without = {"recognise.fw", "simplify.fw", "scales.fw", "views.fw"};
        const auto document = Asked().get<GraphDocument>("graph", arguments);
        QStringList out;
        std::map<NodeId, QString> names;
        for (const NodeRecord& node : document.nodes) {
            names[node.id] = QString::fromStdString(node.name);
            if (node.op == "input" || node.op == "constant")
                continue;
            QStringList operands;
            for (const InputRef& input : node.inputs)
                operands << names[input.node];
            out << QString::fromStdString(fmt::format("{}:{}", node.name, node.op)) + u'(' +
                       operands.join(u' ') + u')';
        }
        return out.join(u' ');
    }

    QTemporaryDir m_folder;
};

namespace {

const std::string stem = "graph g(x: f32[2, 3], z: f32[2, 3]) -> y {\n"
                         "  k = const [1, 2, 3] : f32[3]\n"
                         "  a = add(x, k) @node(\"stem/add\")  b = relu(a) @node(\"stem/relu\")\n"
                         "  c = softmax(b) {axis = 1} @node(\"soft\")  d = add(c, b) "
                         "@node(\"Sum_1\")\n"
                         "  y = tanh(d) @node(\"last\")\n}\n";

} // namespace

void TestEdits::edits_data() {
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("graph");
    const QString before = QStringLiteral("stem/add:add(x k) ");
    const auto row = [](const char* name, const char* words, const char* text, const char* graph) {
        QTest::newRow(name) << QString(words) << QString(text) << QString(graph);
    };
    row("delete", "delete stem/relu",
        "rule delete_stem_relu \"stem/relu is taken out\" {\n"
        "  match    y = relu(x)\n"
        "  where    name(y) == \"stem/relu\"\n"
        "  emit     y = x\n"
        "  strategy once\n"
        "  changes\n"
        "}\n",
        "stem/add:add(x k) soft:softmax(stem/add) Sum_1:add(soft stem/add) last:tanh(Sum_1)");
    row("delete, what is computed stays", "delete stem/add", nullptr,
        "stem/relu:relu(x) soft:softmax(stem/relu) Sum_1:add(soft stem/relu) last:tanh(Sum_1)");
    row("delete, another operand", "delete Sum_1 operand=1", nullptr,
        "stem/add:add(x k) stem/relu:relu(stem/add) last:tanh(stem/relu)");
    row("insert", "insert stem/relu to=neg",
        "rule insert_stem_relu \"neg stands behind stem/relu\" {\n"
        "  match    y = relu(x)\n"
        "  where    name(y) == \"stem/relu\"\n"
        "  let      v = relu(x)\n"
        "  emit     y = neg(v)\n"
        "  name     y = \"stem/relu_neg\"\n"
        "  strategy once\n"
        "  changes\n"
        "}\n",
        "stem/add:add(x k) stem/relu:relu(stem/add) stem/relu_neg:neg(stem/relu) "
        "soft:softmax(stem/relu_neg) Sum_1:add(soft stem/relu_neg) last:tanh(Sum_1)");
    row("insert the same", "insert stem/relu to=relu", nullptr,
        "stem/add:add(x k) stem/relu:relu(stem/add) stem/relu_relu:relu(stem/relu) "
        "soft:softmax(stem/relu_relu) Sum_1:add(soft stem/relu_relu) last:tanh(Sum_1)");
    row("insert a call", "insert last to=add(^,node(\"z\"))", nullptr,
        "stem/add:add(x k) stem/relu:relu(stem/add) soft:softmax(stem/relu) "
        "Sum_1:add(soft stem/relu) last:tanh(Sum_1) last_add:add(last z)");
    row("rewire", "rewire Sum_1 operand=1 to=z",
        "rule rewire_Sum_1 \"operand 1 of Sum_1 is z\" {\n"
        "  match    y = add(a, b)\n"
        "  where    name(y) == \"Sum_1\"\n"
        "  emit     y = add(a, node(\"z\"))\n"
        "  strategy once\n"
        "  changes\n"
        "}\n",
        "stem/add:add(x k) stem/relu:relu(stem/add) soft:softmax(stem/relu) Sum_1:add(soft z) "
        "last:tanh(Sum_1)");
    row("attribute", "attribute soft axis=0",
        "rule attribute_soft \"soft with axis = 0\" {\n"
        "  match    y = softmax(x) {*a}\n"
        "  where    name(y) == \"soft\"\n"
        "  emit     y = softmax(x) {*a, axis = 0}\n"
        "  strategy once\n"
        "  changes\n"
        "}\n",
        "stem/add:add(x k) stem/relu:relu(stem/add) soft:softmax(stem/relu) "
        "Sum_1:add(soft stem/relu) last:tanh(Sum_1)");
    row("rename", "rename stem/relu to=stem/first",
        "rule rename_stem_relu \"stem/relu is called stem/first\" {\n"
        "  match    y = relu(x)\n"
        "  where    name(y) == \"stem/relu\"\n"
        "  emit     y = relu(x)\n"
        "  name     y = \"stem/first\"\n"
        "  strategy once\n"
        "}\n",
        "stem/add:add(x k) stem/first:relu(stem/add) soft:softmax(stem/first) "
        "Sum_1:add(soft stem/first) last:tanh(Sum_1)");
}

void TestEdits::edits() {
    QFETCH(QString, words);
    QFETCH(QString, text);
    const auto made = Asked().get<SketchDocument>("sketch", asked(of(stem), words));
    if (!text.isNull())
        QCOMPARE(QString::fromStdString(made.text), text);
    QVERIFY(made.edit);
    QTEST(behind(stem, made.text), "graph");
    // A name that may come from a place is told.
    const bool ofPlace = words.contains(u"Sum_1");
    QCOMPARE(made.notices.size(), std::size_t(ofPlace ? 1 : 0));
    if (ofPlace)
        QVERIFY2(made.notices[0].starts_with("EDT11"), made.notices[0].c_str());
}

// Each names what the edits before it left.
void TestEdits::editsFollowOneAnother() {
    std::string book;
    for (const char* words :
         {"rename stem/relu to=stem/first", "insert stem/relu to=neg", "insert stem/first to=exp",
          "attribute soft axis=0", "attribute soft axis=1", "delete stem/first_neg",
          "rename stem/first to=stem/relu"}) {
        const auto made = Asked().get<SketchDocument>("sketch", asked(of(stem, book), words));
        book += made.text + "\n";
    }
    QCOMPARE(behind(stem, book),
             QStringLiteral("stem/add:add(x k) stem/relu:relu(stem/add) "
                            "stem/first_exp:exp(stem/relu) soft:softmax(stem/first_exp) "
                            "Sum_1:add(soft stem/first_exp) last:tanh(Sum_1)"));
}

void TestEdits::whatRulesMadeIsEditedWhereItCameFrom() {
    const std::string graph = "graph g(x: f32[2]) -> y, z {\n p = neg(x) @node(\"a\")  q = neg(p) "
                              "@node(\"b\")  y = relu(q) @node(\"r\")  z = exp(x) @node(\"e\")\n}";
    const std::string rules = "rule both { match y = relu(neg(neg(x))) emit y = tanh(x) }\n"
                              "rule one { match y = exp(x) emit y = cos(x) }";
    const auto made =
        Asked().get<SketchDocument>("sketch", asked(of(graph, rules), QStringLiteral("delete e")));
    QVERIFY(made.text.find("name(y) == \"e\"") != std::string::npos);
    Arguments arguments = of(graph, rules);
    arguments.stage = "rewritten";
    const auto after = Asked().get<GraphDocument>("graph", arguments);
    for (const NodeRecord& node : after.nodes)
        if (node.op == "cos" && node.name != "e") // made of one: that one is meant
            QVERIFY(Asked()
                        .get<SketchDocument>(
                            "sketch",
                            asked(of(graph, rules), QStringLiteral("rename %1 to=there")
                                                        .arg(QString::fromStdString(node.name))))
                        .text.find("name(y) == \"e\"") != std::string::npos);
        else if (node.op == "tanh" && node.name != "r") {
            const auto refused = Asked().ask(
                "sketch",
                asked(of(graph, rules),
                      QStringLiteral("delete %1").arg(QString::fromStdString(node.name))));
            QVERIFY(!refused.ok());
            QCOMPARE(codeText(refused.diag().code), std::string_view("EDT01"));
        }
}

void TestEdits::refusals_data() {
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, const std::string& graph, const char* words,
                        const char* code, const char* said) {
        QTest::newRow(name) << QString::fromStdString(graph) << QString(words) << QString(code)
                            << QString(said);
    };
    const std::string bodies =
        "graph g(c: bool[], x: f32[4]) -> z, w {\n"
        "  y = call(x) {domain = \"local\", op_type = \"twice\"} @node(\"fun\")\n"
        "    body twice(0) graph twice(v: f32[4]) -> s { t = relu(v) @node(\"in\")  s = add(t, t) "
        "@node(\"sum\") }\n"
        "  z = unknown \"\" \"If\"(c, y, x) {captures = [\"y\", \"x\"]} : f32[4] @node(\"if\")\n"
        "    body else_branch(2) graph e(x: f32[4]) -> a { a = neg(x) @node(\"inner\") }\n"
        "    body then_branch(1) graph t(y: f32[4]) -> b { b = relu(y) @node(\"twice_there\") }\n"
        "  w = relu(x) @node(\"twice_there\")\n}";
    row("a function", bodies, "delete fun", "EDT01", "fun stands for the operators of a function");
    row("inside a branch", bodies, "delete inner", "EDT01", "inner stands inside if");
    row("two of a name", bodies, "delete twice_there", "EDT02",
        "an operator inside if is called twice_there, too");
    row("with graphs inside", bodies, "delete if", "EDT03", "which no pattern can name");
    const std::string parts = "graph g(x: f32[4], n: f32[]) -> y {\n  (a, b) = split(x) {axis = 0, "
                              "sizes = [2, 2]} @node(\"parts\")\n  c = add(a, b) @node(\"sum\")  y "
                              "= transpose(c) {perm = [0]} @node(\"t\")\n}";
    row("several results", parts, "delete parts", "EDT04", "2 results of parts are read");
    const std::string turned = "graph g(x: f32[2, 3]) -> y {\n  a = relu(x) @node(\"r\")  y = "
                               "transpose(a) {perm = [1, 0]} @node(\"t\")\n}";
    row("a result of the model", turned, "delete t", "EDT05", "y from f32[3, 2] into f32[2, 3]");
    row("types that do not fit", stem, "insert soft to=transpose(^){perm=[1,0]}", "EDT06", "");
    row("no operator", stem, "insert stem/relu to=rellu", "EDT06",
        "there is no operator named rellu");
    row("no call", stem, "insert stem/relu to=neg(^", "EDT06", "expected");
    row("more than a call", stem, "insert stem/relu to=neg(^)}rule", "EDT06", "");
    row("nothing", stem, "insert stem/relu to=", "EDT06", "what is inserted has no name");
    row("no operand", stem, "rewire Sum_1 operand=2 to=z", "EDT06",
        "Sum_1 has 2 operands, counted from 0: there is no operand 2");
    row("no value", stem, "rewire Sum_1 operand=1 to=zz", "EDT06",
        "no operator and no value of the graph is called \"zz\"");
    row("a circle", stem, "rewire stem/relu operand=0 to=last", "EDT06", "its own result");
    row("no attribute", stem, "attribute soft", "EDT06", "no attribute is given");
    row("of others", stem, "attribute soft axes=1", "EDT06", "axes");
    row("no value of it", stem, "attribute soft axis=there", "EDT06", "there");
    row("as it is", stem, "attribute soft axis=1", "EDT06", "the right side is what was matched");
    row("drops what it stands behind", stem, "insert stem/relu to=mul(x,2)", "EDT06",
        "mul(x,2) does not read what stem/relu makes, which would be lost");
    row("of another edit: --to", stem, "delete stem/relu to=x", "USE01",
        "the edit delete takes no --to");
    row("of another edit: --operand", stem, "rename soft operand=0 to=there", "USE01",
        "the edit rename takes no --operand");
    row("of another edit: --attr", stem, "delete soft axis=0", "USE01",
        "the edit delete takes no --attr");
    row("its own name", stem, "rename soft to=soft", "EDT06", "soft is called so already");
    row("inside a branch, by its path", bodies, "delete if/else_branch/inner", "EDT01",
        "if/else_branch/inner stands inside if");
    row("taken", stem, "rename soft to=last", "EDT07",
        "the graph has an operator or a value "
        "called \"last\"");
    row("empty", stem, "rename soft to=", "EDT06", "the name is empty");
    row("nobody", stem, "delete nobody", "USE03", "there is no operator named nobody");
    row("an input", stem, "delete x", "USE03", "there is no operator named x");
}

void TestEdits::refusals() {
    QFETCH(QString, graph);
    QFETCH(QString, words);
    QFETCH(QString, said);
    const auto answer = Asked().ask("sketch", asked(of(graph.toStdString()), words));
    QVERIFY2(!answer.ok(), answer.ok() ? answer->c_str() : "");
    QTEST(QString::fromUtf8(codeText(answer.diag().code).data()), "code");
    QVERIFY2(answer.diag().message.find(said.toStdString()) != std::string::npos,
             answer.diag().text().c_str());
}

void TestEdits::changesAreToldAsAsked() {
    const std::string book =
        Asked()
            .get<SketchDocument>("sketch", asked(of(stem), QStringLiteral("delete stem/relu")))
            .text;
    for (const char* command : {"run", "fuse", "rewrite", "verify"}) {
        const std::string text = Asked().ask(command, of(stem, book)).value();
        QVERIFY2(text.find("RUL24 delete_stem_relu: what the model computes is changed, as asked: "
                           "/nowhere/edits.fw:1") != std::string::npos,
                 text.c_str());
        QVERIFY(text.find("RUL23") == std::string::npos);
    }
    Arguments check = on("");
    check.rules = {"/nowhere/edits.fw"};
    check.texts = {{"/nowhere/edits.fw", book}};
    const auto checked = Asked().get<CheckDocument>("check", check);
    const CheckItem& item = checked.items.at(0);
    QCOMPARE(item.verdict, std::string("changes results"));
    QVERIFY(stands(item));
    QCOMPARE(item.diagnostics.size(), std::size_t(1));
    QVERIFY(item.diagnostics[0].severity == Severity::Note);
    QVERIFY2(item.diagnostics[0].message.ends_with(", as asked"),
             item.diagnostics[0].text().c_str());
    QVERIFY(!item.counterexample.empty());
}

// An edit begins anew: the rule behind it that breaks the outputs is the one that is found.
void TestEdits::errorsAreLookedForBehindEdits() {
    const std::string graph =
        "graph g(x: f32[2, 3]) -> y {\n a = relu(x) @node(\"r\")  b = neg(a) @node(\"n\")\n c = "
        "abs(b) @node(\"third\")  y = tanh(c)\n}";
    const std::string edit =
        "rule out_with_it { match y = relu(x) where name(y) == \"r\" emit y = x "
        "strategy once changes }\n";
    const auto right = Asked().get<BisectDocument>("bisect", of(graph, edit));
    QVERIFY(!right.first);
    QCOMPARE(*right.maxAbs, 0.0);
    QCOMPARE(right.notices.size(), std::size_t(1));
    const std::string wrong = "rule wrong { match y = abs(x) emit y = exp(x) }\n";
    for (const std::string& book : {edit + wrong, wrong + edit}) {
        Arguments arguments = of(graph, book);
        for (const bool each : {false, true}) {
            arguments.each = each;
            const auto found = Asked().get<BisectDocument>("bisect", arguments);
            QVERIFY(found.first);
            QCOMPARE(found.first->rule, std::string("wrong"));
        }
    }
}

void TestEdits::aTestOfAnEditComparesNoValues() {
    const std::string book =
        "rule edit { match y = relu(x) where name(y) == \"r\" emit y = neg(x) strategy once%1 }\n"
        "test \"it is another\" { graph g(x: f32[2]) -> y { y = relu(x) @node(\"r\") }\n"
        "  expect match 1  expect becomes graph g(x: f32[2]) -> y { y = neg(x) } }\n";
    for (const bool changes : {false, true}) {
        Arguments check = on("");
        check.rules = {"/nowhere/edits.fw"};
        check.texts = {
            {"/nowhere/edits.fw", QString::fromStdString(book)
                                      .arg(changes ? QStringLiteral(" changes") : QString())
                                      .toStdString()}};
        const auto checked = Asked().get<CheckDocument>("check", check);
        QCOMPARE(checked.items.at(1).verdict, std::string(changes ? "ok" : "failed"));
    }
}

// What is run is what was written by hand.
void TestEdits::changesCompute() {
    std::string book;
    for (const char* words : {"delete stem/add", "insert stem/relu to=mul(^,0.5)",
                              "attribute soft axis=0", "rewire Sum_1 operand=1 to=z"})
        book += Asked().get<SketchDocument>("sketch", asked(of(stem, book), QString(words))).text +
                "\n";
    const std::string byHand = "graph g(x: f32[2, 3], z: f32[2, 3]) -> y {\n  b = relu(x)  h = "
                               "mul(b, 0.5)\n  c = softmax(h) {axis = 0}  d = add(c, z)  y = "
                               "tanh(d)\n}";
    const auto sampled = [&](const Arguments& arguments) {
        Arguments with = arguments;
        with.seed = 7;
        return Asked().get<RunDocument>("run", with);
    };
    const RunDocument edited = sampled(of(stem, book)), written = sampled(of(byHand));
    QCOMPARE(edited.outputs.size(), std::size_t(1));
    QCOMPARE(edited.outputs.at(0).summary, written.outputs.at(0).summary);
}

FW_TEST(TestEdits, QCoreApplication)
#include "test_edits.moc"
