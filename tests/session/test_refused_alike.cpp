// What a run refuses before it computes anything, `info` says, and `fuse` shows the same reason;
// and nothing goes on without end because a book or a model says a large number.
#include "base/files.h"
#include "common/test.h"
#include "session/asked.h"

#include <QTemporaryDir>

#include <algorithm>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestRefusedAlike : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void infoSaysWhatRunRefuses_data();
    void infoSaysWhatRunRefuses();
    void whatIsAroundIsPlanned();
    void freeSizesAreDecidedByTheRun();
    void largeNumbersEnd_data();
    void largeNumbersEnd();
    void largeNumbersOfRulesEnd();
    void theReferenceHasALimit();
    void textIsNeverComputed_data();
    void textIsNeverComputed();
    void untriedRulesSayWhy_data();
    void untriedRulesSayWhy();
    void pinsWithoutCode_data();
    void pinsWithoutCode();

private:
    Arguments asked(const std::string& text) const {
        const std::string file = m_folder.filePath(QStringLiteral("net.fw")).toStdString();
        if (!writeFile(file, text))
            throw std::runtime_error("net.fw cannot be written");
        Arguments out = on("");
        out.model = file;
        return out;
    }

    QTemporaryDir m_folder;
};

void TestRefusedAlike::infoSaysWhatRunRefuses_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("said");
    QTest::addColumn<bool>("isGroup"); // that nothing computes
    const auto row = [](const char* name, const char* text, const char* code, const char* said,
                        bool isGroup = true) {
        QTest::newRow(name) << QByteArray(text) << QString::fromLatin1(code)
                            << QString::fromLatin1(said) << isGroup;
    };
    row("a read that leaves its operand at these sizes",
        "op far (x: T[N], w: T[M]) -> y: T[N] { y[n] = x[n] * w[clamp(n, 0, 5)] }\n"
        "graph g(x: f32[4], w: f32[3]) -> y { y = far(x, w) }\n",
        "TXT04", "w[n] may lie outside f32[3]");
    row("a read that is not proved",
        "op far (x: T[N]) requires N >= 7 -> y: T[M] where M = N - 6 { y[m] = x[m * m / 40] }\n"
        "graph g(x: f32[100]) -> y { y = far(x) }\n",
        "TXT04", "x[m * m / 40] may lie outside f32[100]");
    row("an attribute that leads outside",
        "op far (x: T[N], attr k: int = 0) -> y: T[N] { y[n] = x[n - k] }\n"
        "graph g(x: f32[4]) -> y { y = far(x) {k = 2} }\n",
        "TXT04", "x[n - 2] may lie outside f32[4]");
    row("an element that is written twice at these sizes",
        "op fold (x: T[N]) -> y: T[N] {\n  y[n - n / 100] = x[n] }\n"
        "graph g(x: f32[200]) -> y { y = fold(x) }\n",
        "TXT04", "y[99] is written more than once");
    row("elements that are not written at these sizes",
        "op gap (x: T[N]) -> y: T[M] where M = N + N / 100 { y[n + 0] = x[n] }\n"
        "graph g(x: f32[200]) -> y { y = gap(x) }\n",
        "TXT04", "200 of 202 elements of y are written");
    row("a sum without end",
        "op many (x: T[N], attr k: int = 3) -> y: T[N] { y[n] = sum(j in k : x[n] + j) }\n"
        "graph g(x: f32[4]) -> y { y = many(x) {k = 4611686018427387904} }\n",
        "LIM01", "y takes 4 x 4611686018427387904 steps");
    row("a sum whose extent leaves 64 bits",
        "op many (x: T[N], attr k: int = 3) -> y: T[N] { y[n] = sum(j in k * k : x[n]) }\n"
        "graph g(x: f32[4]) -> y { y = many(x) {k = 4611686018427387904} }\n",
        "SHP04", "4611686018427387904 * 4611686018427387904 does not fit in 64 bits");
    row("a sum inside of a sum",
        "op many (x: T[N], attr k: int = 3) -> y: T[N] { y[n] = sum(i in k : sum(j in k : x[n])) "
        "}\n"
        "graph g(x: f32[4]) -> y { y = many(x) {k = 100000000} }\n",
        "LIM01", "y takes 4 x 100000000 x 100000000 steps");
    row("a sum inside of an expression inside of a sum",
        "op many (x: T[N], attr k: int = 3) -> y: T[N] {\n"
        "  y[n] = 1 + max(i in 2, l in k : 1 + sum(j in k : x[n])) }\n"
        "graph g(x: f32[4]) -> y { y = many(x) {k = 100000000} }\n",
        "LIM01", "y takes 4 x 2 x 100000000 x 100000000 steps");
    row("sizes that exclude each other",
        "graph g(x: f32[M], g: f32[2], b: f32[3]) -> y { (y, m, r) = layernorm(x, g, b) }\n",
        "RUN02", "no sizes fit: ", false);
    row("sizes of two operators that exclude each other",
        "op pair (x: T[N], z: T[N]) -> y: T[N] { y[n] = x[n] + z[n] }\n"
        "graph g(x: f32[M], a: f32[2], b: f32[3]) -> y { s = pair(x, a)  y = pair(s, b) }\n",
        "RUN02", "no sizes fit: ", false);
    row("sizes that a requirement excludes",
        "op few (x: T[N]) requires N <= 3 -> y: T[N] { y[n] = x[n] }\n"
        "op pair (x: T[N], z: T[N]) -> y: T[N] { y[n] = x[n] + z[n] }\n"
        "graph g(x: f32[M], a: f32[5]) -> y { s = few(x)  y = pair(s, a) }\n",
        "RUN02", "no sizes fit: ", false);
    row("a value beyond the memory of a machine",
        "op wide (attr n: int = 3) -> y: f32[n] { y[i] = i }\n"
        "graph g() -> y { y = wide() {n = 20000000000000} }\n",
        "SHP04", "y is too large for this machine's memory: f32[20000000000000]", false);
    row("an input beyond the memory of a machine",
        "graph g(x: f32[20000000000000]) -> y { y = shape(x) }\n", "SHP04",
        "x is too large for this machine's memory: f32[20000000000000]", false);
    row("a value beyond any memory",
        "op wide (x: T[N], attr k: int = 3) -> y: T[M] where M = k { y[m] = sum(n in N : x[n]) }\n"
        "graph g(x: f32[4]) -> y { y = wide(x) {k = 70368744177664} }\n",
        "SHP04", "y is too large for any memory: f32[70368744177664]", false);
    row("a result that is text", "graph g(x: f32[4], t: text[2]) -> y, t { y = relu(x) }\n",
        "RUN02", "t is text, which no code works with", false);
    row("an input that is text", "graph g(x: f32[4], t: text[2]) -> y { y = relu(x) }\n", "RUN02",
        "t is text, which no code works with", false);
}

void TestRefusedAlike::infoSaysWhatRunRefuses() {
    QFETCH(QByteArray, text);
    QFETCH(QString, code);
    QFETCH(QString, said);
    QFETCH(bool, isGroup);
    Asked a;
    const Arguments arguments = asked(text.toStdString());
    const auto info = a.get<InfoDocument>("info", arguments);
    QVERIFY(!info.runnable);
    QCOMPARE(info.diagnostics.size(), std::size_t(1));
    const Diag& told = info.diagnostics.front();
    QCOMPARE(QString::fromStdString(std::string(codeText(told.code))), code);
    QVERIFY2(QString::fromStdString(told.message).contains(said), told.text().c_str());
    for (const char* command : {"run", "bench", "export"}) {
        Arguments also = arguments;
        also.output = m_folder.filePath(QStringLiteral("out")).toStdString();
        const auto answer = a.ask(command, also);
        QVERIFY2(!answer.ok(), command);
        QCOMPARE(answer.diag().code, told.code);
        QCOMPARE(answer.diag().message, told.message);
        QCOMPARE(answer.diag().where.line, told.where.line);
        QCOMPARE(answer.diag().where.column, told.where.column);
    }
    const auto plan = a.get<FuseDocument>("fuse", arguments);
    const bool isTold =
        std::any_of(plan.notices.begin(), plan.notices.end(), [&](const std::string& notice) {
            return notice.starts_with("OPQ02 ") && notice.find(told.message) != std::string::npos;
        });
    QCOMPARE(isTold, isGroup);
    for (const std::string& notice : plan.notices)
        QVERIFY2(!notice.starts_with("HST01"), notice.c_str());
}

void TestRefusedAlike::whatIsAroundIsPlanned() {
    Asked a;
    Arguments arguments =
        asked("op far (x: T[N], attr k: int = 0) -> y: T[N] { y[n] = x[n - k] }\n"
              "graph g(x: f32[4]) -> z {\n"
              "  a = relu(x)  y = far(a) {k = 2} @node(\"far1\")  z = exp(y) @node(\"exp1\") }\n");
    const auto plan = a.get<FuseDocument>("fuse", arguments);
    QCOMPARE(plan.groups.size(), std::size_t(3));
    const auto group =
        std::find_if(plan.groups.begin(), plan.groups.end(),
                     [](const GroupRecord& one) { return one.implementation == "opaque"; });
    QVERIFY(group != plan.groups.end());
    QCOMPARE(group->nodes, std::vector<std::string>{"far1"});
    arguments.nodes = {"far1"};
    const auto why = a.get<ExplainDocument>("explain", arguments);
    QCOMPARE(why.code, std::string("OPQ02"));
    QVERIFY(why.sentence.find("may lie outside f32[4]") != std::string::npos);
    arguments.nodes = {"far1", "exp1"};
    QCOMPARE(a.get<ExplainDocument>("explain", arguments).code, std::string("OPQ01"));
    // Timed with made-up values behind it.
    arguments.nodes.clear();
    arguments.seconds = 0.02;
    QCOMPARE(a.get<ProfileDocument>("profile", arguments).rows.size(), std::size_t(2));
}

// The same operator fits one size and not another.
void TestRefusedAlike::freeSizesAreDecidedByTheRun() {
    Asked a;
    Arguments arguments =
        asked("op far (x: T[N], w: T[M]) -> y: T[N] { y[n] = x[n] * w[clamp(n, 0, 5)] }\n"
              "graph g(x: f32[N], w: f32[M]) -> y { y = far(x, w) }\n");
    QVERIFY(a.get<InfoDocument>("info", arguments).runnable);
    arguments.dims = {{"N", 3}, {"M", 3}};
    QVERIFY(a.get<InfoDocument>("info", arguments).runnable);
    QVERIFY(a.ask("run", arguments).ok());
    arguments.dims = {{"N", 4}, {"M", 3}};
    QVERIFY(!a.get<InfoDocument>("info", arguments).runnable);
    QVERIFY(!a.ask("run", arguments).ok());
}

void TestRefusedAlike::largeNumbersEnd_data() {
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* name, const char* body, const char* given) {
        QTest::newRow(name) << QByteArray((std::string("op many (x: T[N], attr k: int = 3) ") +
                                           body + "\ngraph g(x: f32[4]) -> y { y = many(x) " +
                                           given + " }\n")
                                              .c_str());
    };
    for (const char* k :
         {"{k = 4611686018427387904}", "{k = 9223372036854775807}", "{k = 140737488355328}"}) {
        row("a sum", "-> y: T[N] { y[n] = sum(j in k : x[n] + j) }", k);
        row("a maximum", "-> y: T[N] { y[n] = max(j in k : x[n]) }", k);
        row("a sum in another statement",
            "-> y: T[N] { let h[n] = sum(j in k : x[n]) y[n] = h[n] + 1 }", k);
        row("a sum inside of an expression", "-> y: T[N] { y[n] = x[n] + 2 * sum(j in k : x[n]) }",
            k);
        row("two sums inside each other",
            "-> y: T[N] { y[n] = sum(j in k : sum(i in k : x[n] + i + j)) }", k);
        row("several variables", "-> y: T[N] { y[n] = sum(i in k, j in k, l in 3 : x[n] + l) }", k);
    }
    // A product beyond 64 bits.
    row("a product of extents", "-> y: T[N] { y[n] = sum(j in k * k : x[n] + j) }",
        "{k = 4611686018427387904}");
    row("a product of small ones", "-> y: T[N] { y[n] = sum(a in k, b in k, c in k : x[n] + a) }",
        "{k = 4000000}");
}

void TestRefusedAlike::largeNumbersEnd() {
    QFETCH(QByteArray, text);
    Asked a;
    Arguments arguments = asked(text.toStdString());
    const QDeadlineTimer end(60000);
    const auto info = a.get<InfoDocument>("info", arguments);
    QVERIFY(!info.runnable);
    const auto run = a.ask("run", arguments);
    QVERIFY(!run.ok());
    QCOMPARE(run.diag().code, info.diagnostics.at(0).code);
    QCOMPARE(exitCode(run.diag().code), 2);
    QVERIFY2(run.diag().where.line == 1 && run.diag().where.column > 1, run.diag().text().c_str());
    QVERIFY(a.ask("fuse", arguments).ok());
    QVERIFY(a.ask("verify", arguments).ok());
    Arguments sketch = arguments;
    sketch.nodes = {"many"};
    sketch.kind = "op";
    sketch.name = "mine";
    const auto sketched = a.ask("sketch", sketch); // its text is tried as others are
    QVERIFY(sketched.ok() || exitCode(sketched.diag().code) == 2);
    Arguments check;
    check.rules = {arguments.model};
    QVERIFY(a.ask("check", check).ok());
    QVERIFY(!end.hasExpired());
}

// A rule that writes them, a test of it, and constants that would be folded.
void TestRefusedAlike::largeNumbersOfRulesEnd() {
    Asked a;
    const std::string file = m_folder.filePath(QStringLiteral("book.fw")).toStdString();
    QVERIFY(writeFile(file, R"(
op many (x: T[N], attr k: int = 3) -> y: T[N] { y[n] = max(j in k : x[n]) }
rule large { match y = relu(relu(x)) emit y = many(relu(x)) {k = 1099511627776} }
rule beyond { match y = relu(neg(x)) emit y = many(relu(x)) {k = 4611686018427387904} }
test "folded" of large {
  graph g() -> y { c = const [1, 2] : f32[2]  a = many(c) {k = 1099511627776}  y = relu(a) }
  expect none
}
)")
                .ok());
    Arguments arguments;
    arguments.rules = {file};
    const QDeadlineTimer end(120000);
    QVERIFY(a.ask("check", arguments).ok());
    QVERIFY(!end.hasExpired());
    const Arguments folded =
        asked("op many (x: T[N], attr k: int = 3) -> y: T[N] { y[n] = max(j in k : x[n]) }\n"
              "graph g(x: f32[2]) -> y {\n"
              "  c = const [1, 2] : f32[2]  a = many(c) {k = 1099511627776}  y = add(a, x) }\n");
    QVERIFY(a.ask("fuse", folded).ok());
}

// What code could compute in hours is nothing for the reference.
void TestRefusedAlike::theReferenceHasALimit() {
    Asked a;
    const Arguments arguments =
        asked("op many (x: T[N], attr k: int = 3) -> y: T[N] { y[n] = max(j in k : x[n]) }\n"
              "graph g(x: f32[2]) -> y { y = many(x) {k = 1099511627776} }\n");
    QVERIFY(a.get<InfoDocument>("info", arguments).runnable);
    const auto verified = a.ask("verify", arguments);
    const std::string said = verified ? *verified : verified.diag().text();
    QVERIFY2(said.find("steps, the limit is") != std::string::npos, said.c_str());
}

void TestRefusedAlike::textIsNeverComputed_data() {
    QTest::addColumn<QByteArray>("declaration");
    QTest::addColumn<QString>("verdict");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* declaration, const char* verdict, const char* said) {
        QTest::newRow(declaration)
            << QByteArray(declaration) << QString::fromLatin1(verdict) << QString::fromLatin1(said);
    };
    row("op bad (x: text[A]) -> y: T[A] { y[a] = x[a] }", "refused", "compute no text");
    row("op bad (x: T[A], attr to: dtype = text) -> y: to[A] { y[a] = cast(x[a], to) }", "refused",
        "the default of to is text");
    row("rule bad { match y = identity(x: text) emit y = x }", "unknown", "is text");
    row("rule bad { match y = identity(x: text) emit y = relu(x) }", "unknown", "was not tried");
    row("rule bad { match y = where(c, x: text, z: text) emit y = x }", "unknown", "is text");
    row("rule bad { match y = equal(x: text, z: const) emit y = equal(z, x) }", "unknown",
        "was not tried");
    row("rule bad { match y = cast(x) {to = text} emit y = x }", "unknown", "was not tried");
    row("rule bad { match y = neg(neg(x)) emit y = cast(x) {to = text} }", "refuted",
        "does not fit");
    row("test \"bad\" of good { graph g(t: text[2], x: f32[2]) -> y { a = neg(x)  y = neg(a) } "
        "expect becomes graph g(t: text[2], x: f32[2]) -> y = x { } }",
        "refused", "t is text");
}

// What is wrong is told at its place, and what stands beside it is used by every command.
void TestRefusedAlike::textIsNeverComputed() {
    QFETCH(QByteArray, declaration);
    QFETCH(QString, verdict);
    QFETCH(QString, said);
    Asked a;
    const std::string file = m_folder.filePath(QStringLiteral("texts.fw")).toStdString();
    QVERIFY(writeFile(file, "rule good { match y = neg(neg(x)) emit y = x }\n" +
                                declaration.toStdString() +
                                "\nop twice (x: T[A]) -> y: T[A] { y[a] = x[a] + x[a] }\n")
                .ok());
    Arguments check;
    check.rules = {file};
    const auto document = a.get<CheckDocument>("check", check);
    QCOMPARE(document.items.size(), std::size_t(3));
    QCOMPARE(document.items[0].verdict, std::string("proved exact"));
    QCOMPARE(document.items[2].verdict, std::string("ok"));
    const CheckItem& bad = document.items[1];
    QCOMPARE(QString::fromStdString(bad.verdict), verdict);
    QVERIFY(!bad.diagnostics.empty());
    const Diag& told = bad.diagnostics.front();
    QVERIFY2(QString::fromStdString(told.message).contains(said), told.text().c_str());
    QVERIFY2(told.where.line == 2 && told.where.column > 0 && !told.hint.empty(),
             told.text().c_str());
    Arguments arguments =
        asked("graph g(x: f32[4]) -> y { a = neg(x)  b = neg(a)  y = twice(b) }\n");
    arguments.rules = {file};
    arguments.nodes = {"twice"};
    for (const char* command : {"ops", "info", "fuse", "run", "rewrite", "verify", "stages"}) {
        const auto answer = a.ask(command, arguments);
        QVERIFY2(answer.ok(), answer.ok() ? "" : (command + answer.diag().text()).c_str());
    }
}

void TestRefusedAlike::untriedRulesSayWhy_data() {
    QTest::addColumn<QByteArray>("rule");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* rule, const char* said) {
        QTest::newRow(rule) << QByteArray(rule) << QString::fromLatin1(said);
    };
    row("match y = relu(relu(x)) where false emit y = relu(x)", "it acted at none of the ");
    row("match y = relu(x) where dim(x, 9) == 2 emit y = tanh(x)", "it acted at none of the ");
    row("match y = split(relu(relu(x))) {axis = 31} emit y = split(relu(x)) {axis = 31}",
        "no small graph was found");
}

void TestRefusedAlike::untriedRulesSayWhy() {
    QFETCH(QByteArray, rule);
    QFETCH(QString, said);
    Asked a;
    const std::string file = m_folder.filePath(QStringLiteral("untried.fw")).toStdString();
    QVERIFY(writeFile(file, "rule r { " + rule.toStdString() + " }\n").ok());
    Arguments check;
    check.rules = {file};
    const auto document = a.get<CheckDocument>("check", check);
    QCOMPARE(document.items.at(0).verdict, std::string("unknown"));
    QVERIFY(!document.items[0].diagnostics.empty());
    const Diag& told = document.items[0].diagnostics.front();
    QVERIFY2(QString::fromStdString(told.message).contains(said), told.text().c_str());
    QVERIFY(told.severity == Severity::Note && told.where.line == 1);
}

void TestRefusedAlike::pinsWithoutCode_data() {
    QTest::addColumn<QByteArray>("pin");
    QTest::addColumn<QString>("said"); // empty: the name is known
    const auto row = [](const char* pin, const char* said = "") {
        QTest::newRow(pin) << QByteArray(pin) << QString::fromLatin1(said);
    };
    row("avoid onednn for any");
    row("avoid onednn.matmul for d");
    row("avoid toylib for any");
    row("use toylib.conv for d");
    row("use generated.tiled for d");
    row("use generated.tiled(rows = 4) for d");
    row("use schedule.mine for d");
    row("use own for d");
    row("together d, e with openblas.sgemm");
    row("avoid onedn for any", "did you mean onednn?");
    row("avoid mylib for any", "there is no implementation or library mylib");
    row("use generated.tild for d", "did you mean generated.tiled?");
    row("use schedule.mien for d", "did you mean schedule.mine?");
    row("use onednn for d", "there is no implementation onednn");
    row("together d, e with openblas.sgem", "did you mean openblas.sgemm?");
    row("use nothing(rows = 8) for d", "there is no implementation nothing");
}

void TestRefusedAlike::pinsWithoutCode() {
    QFETCH(QByteArray, pin);
    QFETCH(QString, said);
    Asked a;
    const std::string file = m_folder.filePath(QStringLiteral("pins.fw")).toStdString();
    QVERIFY(writeFile(file, "library toylib \"libtoylib.so\"\n"
                            "schedule mine for kind elementwise on any { each.fuse(space, all) }\n"
                            "implementations dense(...) on any { own by generated.tiled }\n"
                            "pin {\n  " +
                                pin.toStdString() + " }\n")
                .ok());
    Arguments arguments;
    arguments.rules = {file};
    const auto document = a.get<CheckDocument>("check", arguments);
    if (said.isEmpty()) {
        QVERIFY2(document.diagnostics.empty(),
                 document.diagnostics.empty() ? "" : document.diagnostics[0].text().c_str());
        return;
    }
    QCOMPARE(document.diagnostics.size(), std::size_t(1));
    const Diag& diag = document.diagnostics[0];
    QVERIFY2(QString::fromStdString(diag.message + " " + diag.hint).contains(said),
             diag.text().c_str());
    QCOMPARE(diag.severity, Severity::Error);
    QCOMPARE(diag.where.line, 5);
}

FW_TEST(TestRefusedAlike, QCoreApplication)
#include "test_refused_alike.moc"
