// What came of each kind of declaration in a model, place by place, and the same in every answer.
#include "common/test.h"
#include "session/asked.h"

#include "base/files.h"

#include <QTemporaryDir>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestWhatCame : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyKind_data();
    void everyKind();
    void rowsLeadToPlaces();
    void booksBesideThePlan();
    void whatIsNotAskedSaysWhy();
    void aLineIsAPlace();
    void sameInEveryAnswer();
    void stepsSayWhereCandidatesEnd();

private:
    Arguments askedOf(const std::string& book) const {
        Arguments out;
        out.model = m_folder.filePath(QStringLiteral("model.fw")).toStdString();
        out.target = "x86-64 -libs=";
        out.rules = {mineFile};
        out.texts = {{mineFile, book}};
        return out;
    }
    UsesDocument came(const std::string& book, int line) const {
        Arguments wanted = askedOf(book);
        wanted.position = TextPlace{mineFile, line, 0};
        Asked asked;
        return asked.get<UsesDocument>("uses", wanted);
    }

    QTemporaryDir m_folder;
};

namespace {

const char* const threeChains = "graph g(x: f32[4], p: f32[3], q: f32[5]) -> y, z, c {\n"
                                "  a = relu(x) @node(\"first\")  y = tanh(a) @node(\"second\")\n"
                                "  z = sigmoid(x) @node(\"apart\")\n"
                                "  c = concat(p, q) { axis = 0 } @node(\"joined\")\n"
                                "}\n";

QStringList rowsOf(const UsesDocument& document) {
    QStringList out;
    for (const CameRecord& row : document.came)
        out << QString::fromStdString(row.how.str() + " " + row.what + ": " + row.why);
    return out;
}

} // namespace

void TestWhatCame::initTestCase() {
    if (!writeFile(m_folder.filePath(QStringLiteral("model.fw")).toStdString(), threeChains))
        qFatal("the model cannot be written");
}

void TestWhatCame::everyKind_data() {
    QTest::addColumn<QString>("book");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("said");
    QTest::addColumn<QString>("first"); // a part of the first row; empty: there is none
    const auto row = [](const char* name, const char* book, int line, const char* said,
                        const char* first) {
        QTest::newRow(name) << QString::fromLatin1(book) << line << QString::fromLatin1(said)
                            << QString::fromLatin1(first);
    };
    const char* const two = "rule one { match y = relu(x) emit y = neg(x) }\n"
                            "rule pair { match y = tanh(relu(x)) emit y = exp(x) }\n";
    row("a rule that acts", two, 1, "applied at 1 place",
        "applied first: RUL11 a rule was applied: number 1");
    row("a rule that comes too late", two, 2, "taken by others at 1 place",
        "taken second: RUL20 an earlier application took a part of the match: number 1, one "
        "(/nowhere/mine.fw:1), took first");
    row("a rule that is undone", "rule bad { match y = concat(a, b) emit y = add(a, b) }\n", 1,
        "undone at 1 place", "undone joined: RUL16 the application was undone: bad at ");
    row("a rule that matches nothing", "rule none { match y = softmax(x) emit y = x }\n", 1,
        "nothing came of it", "");
    row("a fusion rule", "fuse both { match tanh(relu(x)) as stacked }\n", 1, "made 1 group",
        "formed relu_tanh_0: FUR01 a fusion rule puts them together: both at /nowhere/mine.fw:1");
    row("a fusion rule behind another",
        "fuse first { match tanh(relu(x)) as stacked }\n"
        "fuse again { match tanh(relu(x)) as stacked }\n",
        2, "taken by others at 1 place",
        "CLM01 another group has it: relu_tanh_0, by fuse first at /nowhere/mine.fw:1");
    row("a pattern", "pattern both(x) = tanh(relu(x))\nfuse f { match both(x) as stacked }\n", 1,
        "made 1 group", "formed relu_tanh_0: through fuse f");
    row("growth that is closed", "grow elementwise -> elementwise never\n", 1, "closed 1 edge",
        "closed first -> second: KND01 ");
    row("growth that is open", "grow elementwise -> elementwise forward\n", 1, "opened 1 edge",
        "opened first -> second: ");
    row("an operator",
        "op relu2(x: T[S...]) -> y: T[S...] { y[i...] = x[i...] }\n"
        "rule r { match y = relu(x) emit y = relu2(x) }\n",
        1, "used at 1 place", "in group ");
    row("implementations", "implementations sigmoid(...) on any { generated.plain priority 99 }\n",
        1, "used at 1 place", "generated.plain: CHO");
    row("a target", "target mine on x86-64 { threads = 1 }\n", 1,
        "what is planned is planned for x86-64 -libs=", "");
    row("a pin that is followed", "pin { use generated.plain for apart }\n", 1, "used at 1 place",
        "used apart: followed");
    row("a pin of nothing", "pin { use generated.plain for nobody }\n", 1, "refused at 1 place",
        "PIN03 a pin cannot be followed");
    const char* const tests =
        "rule one { match y = relu(x) emit y = neg(x) }\n"
        "test \"acts\" { graph g(x: f32[4]) -> y { y = relu(x) } expect match 1 }\n"
        "test \"does not\" { graph g(x: f32[4]) -> y { y = relu(x) } expect match 2 }\n";
    row("a test that passes", tests, 2, "passes", "passed acts");
    row("a test that fails", tests, 3, "fails", "failed does not: ");
    row("a graph", "graph other(x: f32[4]) -> y { y = relu(x) }\n", 1,
        "a graph: it is what is planned when its book is opened as a model", "");
}

void TestWhatCame::everyKind() {
    QFETCH(QString, book);
    QFETCH(int, line);
    QFETCH(QString, said);
    QFETCH(QString, first);
    const UsesDocument found = came(book.toStdString(), line);
    const QStringList rows = rowsOf(found);
    QCOMPARE(QString::fromStdString(found.said), said);
    QCOMPARE(found.declared.line, line);
    QVERIFY(found.takesPart);
    QCOMPARE(rows.isEmpty(), first.isEmpty());
    QVERIFY2(first.isEmpty() || rows.front().contains(first), qPrintable(rows.join(u'\n')));
    for (const CameRecord& row : found.came)
        QVERIFY(!row.nodes.empty() || found.kind == "test" || found.kind == "pin");
}

// A step that a group refuses is the place in the text; a group has its time.
void TestWhatCame::rowsLeadToPlaces() {
    const UsesDocument entries =
        came("implementations sigmoid(...) on any {\n  generated.plain priority 99\n}\n", 1);
    QCOMPARE(entries.came.size(), std::size_t(1));
    QCOMPARE(entries.came[0].line, 2);
    QVERIFY(entries.came[0].group && entries.came[0].estUs);
    const UsesDocument schedule =
        came("schedule turned {\n  anchor.split(outermost, a, b, 2, guard)\n"
             "  anchor.vectorize(a)\n}\n"
             "implementations sigmoid(...) on any { mine by schedule turned priority 99 }\n",
             2);
    QCOMPARE(schedule.said, std::string("refused at 1 place"));
    QCOMPARE(schedule.came[0].line, 3);
    QVERIFY2(schedule.came[0].why.find("innermost") != std::string::npos,
             schedule.came[0].why.c_str());
}

void TestWhatCame::booksBesideThePlan() {
    Arguments wanted = askedOf("rule one { match y = relu(x) emit y = neg(x) }\n");
    wanted.rules.clear();
    wanted.position = TextPlace{mineFile, 1, 0};
    Asked asked;
    const auto found = asked.get<UsesDocument>("uses", wanted);
    QVERIFY(!found.takesPart && found.came.empty());
    QCOMPARE(found.said, std::string("its book takes no part in the plan"));
}

// What keeps a declaration from acting is named, not left out.
void TestWhatCame::whatIsNotAskedSaysWhy() {
    Asked asked;
    Arguments twice = askedOf("rule one { strategy once match y = relu(a) emit y = neg(a) }\n");
    twice.model = m_folder.filePath(QStringLiteral("twice.fw")).toStdString();
    QVERIFY(writeFile(twice.model, "graph g(x: f32[4], z: f32[4]) -> y, w {\n"
                                   "  y = relu(x) @node(\"first\")  w = relu(z) @node(\"last\")\n"
                                   "}\n")
                .ok());
    twice.position = TextPlace{mineFile, 1, 0};
    const QStringList once = rowsOf(asked.get<UsesDocument>("uses", twice));
    QCOMPARE(once.size(), 2);
    QVERIFY2(once[0].startsWith(QStringLiteral("applied first: ")), qPrintable(once[0]));
    QVERIFY2(once[1].startsWith(QStringLiteral("refused last: ")) &&
                 once[1].contains(QStringLiteral("strategy once: it was applied")),
             qPrintable(once[1]));
    Arguments keyed = askedOf("rule keyed on x86-64-v3 { match y = relu(x) emit y = neg(x) }\n");
    keyed.target = "x86-64 -mcpu=x86-64-v2 -libs=";
    keyed.position = TextPlace{mineFile, 1, 0};
    const std::string said = asked.get<UsesDocument>("uses", keyed).said;
    QVERIFY2(said.starts_with("it is for x86-64-v3, which x86-64 -mcpu=x86-64-v2"), said.c_str());
    const UsesDocument through = came("pattern one(x) = relu(x)\n"
                                      "rule r { match y = one(x) emit y = neg(x) }\n",
                                      1);
    QCOMPARE(rowsOf(through), QStringList({QStringLiteral("used first: through rule r")}));
}

void TestWhatCame::aLineIsAPlace() {
    Arguments wanted =
        askedOf("# a remark\n\nrule one {\n  match y = relu(x)\n  emit y = neg(x)\n}\n");
    wanted.name = mineFile + ":4";
    Asked asked;
    QCOMPARE(asked.get<UsesDocument>("uses", wanted).name, std::string("one"));
    wanted.name = mineFile + ":1";
    QVERIFY(!asked.ask("uses", wanted).ok());
}

// `match` says of each match what came of it, `rewrite` which rule was undone, and where it stands.
void TestWhatCame::sameInEveryAnswer() {
    const std::string book = "\nrule bad { match y = concat(a, b) emit y = add(a, b) }\n";
    const UsesDocument told = came(book, 2);
    Asked asked;
    const auto matched = asked.get<MatchDocument>("match", askedOf(book));
    QCOMPARE(matched.rules.at(0).matches.size(), std::size_t(1));
    QVERIFY(matched.rules[0].matches[0].came == CameHow("undone"));
    QCOMPARE(matched.rules[0].matches[0].outcome, told.came.at(0).why);
    const auto rewritten = asked.get<RewriteDocument>("rewrite", askedOf(book));
    QCOMPARE(rewritten.diagnostics.size(), std::size_t(1));
    QCOMPARE(rewritten.diagnostics[0].where.line, 2);
    QCOMPARE(rewritten.diagnostics[0].where.file, mineFile);
    QVERIFY(told.came[0].why.find(rewritten.diagnostics[0].message.substr(
                rewritten.diagnostics[0].message.find("undone"))) != std::string::npos);
}

// A step counts from what it reads, not from the row above it.
void TestWhatCame::stepsSayWhereCandidatesEnd() {
    Asked asked;
    const auto found = asked.get<MatchDocument>(
        "match", askedOf("rule two { match y = add(softmax(a), tanh(relu(b))) emit y = a }\n"
                         "rule either { match y = tanh(relu(x) | sigmoid(x)) emit y = x }\n"));
    const auto steps = [&](std::size_t rule) {
        QStringList out;
        for (const FunnelStep& step : found.rules.at(rule).funnel)
            out << QStringLiteral("%1 %2%3%4")
                       .arg(QString::fromStdString(step.clause))
                       .arg(step.count)
                       .arg(step.before ? QStringLiteral(" of %1").arg(*step.before) : QString(),
                            step.alternative ? QStringLiteral(" |") : QString());
        return out;
    };
    QCOMPARE(steps(0), QStringList({QStringLiteral("softmax(a) 0"), QStringLiteral("relu(b) 1"),
                                    QStringLiteral("tanh(relu(b)) 1 of 1"),
                                    QStringLiteral("add(softmax(a), tanh(relu(b))) 0 of 0")}));
    QCOMPARE(steps(1), QStringList({QStringLiteral("relu(x) 1 |"), QStringLiteral("sigmoid(x) 1 |"),
                                    QStringLiteral("tanh(relu(x) | sigmoid(x)) 1 of 1")}));
}

FW_TEST(TestWhatCame, QCoreApplication)
#include "test_what_came.moc"
