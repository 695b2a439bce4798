// Who uses a declaration: the text that names it, and what came of it in the model.
#include "common/test.h"
#include "session/asked.h"

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestUses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void uses_data();
    void uses();
    void groupsAreThoseOfThePlan();
    void oneTextForMatchingAndCalls();
    void atAPlace();
};

namespace {

const std::string text =
    "pattern block(x, w: const) = conv2d(x, w) >> bias(^, b: const)\n"                 // 1
    "chain tail = relu(^)?\n"                                                          // 2
    "fuse pooled { match block(x, w) >> tail as stacked }\n"                           // 3
    "test \"one\" { graph g(x: f32[1, 1, 4, 4]) -> y { y = relu(x) } expect none }\n"  // 4
    "rule gone { match y = relu(batch_norm(x, ...)) where rank(x) == 7 emit y = x }\n" // 5
    "schedule rows { anchor.unroll(reduce) }\n"                                        // 6
    "implementations dense(...) on any { mine by schedule rows priority 99 }\n"        // 7
    "rule f { match y = f = tanh(x) emit y = x }\n";                                   // 8

Arguments askedUses(const std::string& name) {
    Arguments out = on("residual");
    out.rules = {mineFile};
    out.texts = {{mineFile, text}};
    out.name = name;
    return out;
}

QStringList textOf(const UsesDocument& document) {
    QStringList out;
    for (const UseRecord& use : document.uses)
        out << QString::fromStdString(use.kind + " " + use.name + ": " + use.how) +
                   QStringLiteral(":%1").arg(use.line);
    for (const CameRecord& came : document.came)
        out << QString::fromStdString(came.how.str() + " " + came.what + ": " + came.why);
    return out;
}

} // namespace

void TestUses::uses_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QStringList>("first");
    const auto row = [](const char* name, const char* kind, const QStringList& first) {
        QTest::newRow(name) << name << kind << first;
    };
    const QString group = QStringLiteral("formed conv2d_bias_relu_0: through fuse pooled");
    row("block", "pattern", {QStringLiteral("fuse pooled: names it:3"), group});
    row("tail", "chain", {QStringLiteral("fuse pooled: names it:3"), group});
    row("pooled", "fuse",
        {QStringLiteral("test one: tests it:4"),
         QStringLiteral("formed conv2d_bias_relu_0: FUR01 a fusion rule puts them together: "
                        "pooled at /nowhere/mine.fw:3")});
    row("gone", "rule", {});
    row("rows", "schedule", {QStringLiteral("implementations dense: names it:7")});
    row("fold_batch_norm", "rule",
        {QStringLiteral("test the weights are scaled, what is left is a bias: tests it:33")});
    // The name of a value in shipped books is not that of the user's rule.
    row("f", "rule", {});
}

void TestUses::uses() {
    QFETCH(QString, name);
    QFETCH(QString, kind);
    QFETCH(QStringList, first);
    Asked asked;
    const auto found = asked.get<UsesDocument>("uses", askedUses(name.toStdString()));
    QCOMPARE(QString::fromStdString(found.kind), kind);
    QVERIFY(found.planned);
    const QStringList said = textOf(found);
    QCOMPARE(said.mid(0, first.size()), first);
    QVERIFY2(!first.isEmpty() || said.isEmpty(), qPrintable(said.join(u'\n')));
}

void TestUses::groupsAreThoseOfThePlan() {
    Asked asked;
    const auto found = asked.get<UsesDocument>("uses", askedUses("pooled"));
    const auto plan = asked.get<FuseDocument>("fuse", askedUses(""));
    std::size_t groups = 0;
    for (const CameRecord& came : found.came)
        if (came.how == CameHow("formed")) {
            ++groups;
            const GroupRecord& group = plan.groups.at(static_cast<std::size_t>(*came.group));
            QCOMPARE(came.what, group.name);
            QVERIFY(!came.nodes.empty() && came.estUs);
        }
    QCOMPARE(groups, std::size_t(4)); // the convolutions
    const auto applied = asked.get<UsesDocument>("uses", askedUses("fold_batch_norm"));
    QCOMPARE(applied.said, std::string("applied at 4 places"));
    QCOMPARE(applied.came.front().why, std::string("RUL11 a rule was applied: number 1"));
    const auto rows = asked.get<UsesDocument>("uses", askedUses("rows"));
    QCOMPARE(rows.said, std::string("used at 1 place")); // the dense at the end
}

// The description of what a library takes: who names it, and every call that came of it.
void TestUses::oneTextForMatchingAndCalls() {
    Asked asked;
    Arguments wanted = on("residual");
    wanted.target = "x86-64 -libs=onednn";
    wanted.name = "onednn.tail";
    const auto found = asked.get<UsesDocument>("uses", wanted);
    QCOMPARE(found.kind, std::string("chain"));
    std::size_t calls = 0;
    for (const UseRecord& use : found.uses)
        QVERIFY(use.shipped && use.file == "strategy.fw");
    for (const CameRecord& came : found.came) {
        calls += came.group ? 1 : 0;
        QVERIFY2(came.why.starts_with("through onednn."), came.why.c_str());
    }
    const auto info = asked.ask("doctor", {});
    if (info && info->find("\"onednn\"") != std::string::npos)
        QVERIFY(calls == 0 || calls >= 4);
}

void TestUses::atAPlace() {
    Asked asked;
    Arguments wanted = askedUses("");
    wanted.position = TextPlace{mineFile, 3, 38}; // tail, where it is named
    QCOMPARE(asked.get<UsesDocument>("uses", wanted).name, std::string("tail"));
    wanted.position = TextPlace{mineFile, 3, 1}; // of no name: the declaration
    QCOMPARE(asked.get<UsesDocument>("uses", wanted).name, std::string("pooled"));
    wanted.model.clear();
    QCOMPARE(asked.get<UsesDocument>("uses", wanted).uses.size(), std::size_t(1)); // its test
    QVERIFY(!asked.ask("uses", askedUses("nobody")).ok());
}

FW_TEST(TestUses, QCoreApplication)
#include "test_uses.moc"
