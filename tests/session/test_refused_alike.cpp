// What a run refuses before it computes anything, `info` says, and `fuse` shows the same reason;
// and nothing goes on without end because a book or a model says a large number.
#include "base/files.h"
#include "session/asked.h"

#include <QTemporaryDir>
#include <QtTest>

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

QTEST_GUILESS_MAIN(TestRefusedAlike)
#include "test_refused_alike.moc"
