// Nodes of a domain of one's own, made known by the clause of a book: every command takes them as
// if they had always been known.
#include "base/files.h"
#include "common/test.h"
#include "onnx/model_builder.h"
#include "session/asked.h"

#include <QTemporaryDir>

#include <filesystem>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;
using M = ModelBuilder;

class TestOwnNodes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void infoNamesTheHint();
    void everyCommandTakesThem_data();
    void everyCommandTakesThem();
    void rulesSeeTheOperator();
    void writtenFilesOpenWithoutTheBook();
    void aBookGoesBeforeTheFile();
    void carriedOperatorsAreTried_data();
    void carriedOperatorsAreTried();
    void operatorsOfTwoFilesAreTwo();

private:
    std::string path(const std::string& name) const {
        return (m_folder.path() + QStringLiteral("/")).toStdString() + name;
    }
    Arguments own(const std::string& model = "custom.onnx", const std::string& text = {}) const {
        Arguments out = on("");
        out.model = path(model);
        out.rules = {path("own.fw")};
        out.texts = {{path("own.fw"), text.empty() ? m_book : text}};
        return out;
    }

    QTemporaryDir m_folder;
    // A convolution of images whose channels are last, and what stretches its result.
    const std::string m_book = R"(
op own_conv "a convolution, channels last" (x: T[N, H, W, C], w: T[O, C, KH, KW], attr step: int = 1)
  -> y: T[N, OH, OW, O] where OH = (H - KH) / step + 1, OW = (W - KW) / step + 1
  onnx "com.me" "OwnConv" since 1 {step = stride} {
  y[n, h, v, o] = sum(c in C, i in KH, j in KW : x[n, h * step + i, v * step + j, c] * w[o, c, i, j]) }
op stretch (x: T[S...], attr by: float) -> y: T[S...]
  onnx "com.me" "Stretch" since 1 { y[i...] = x[i...] * by }
)";
};

void TestOwnNodes::initTestCase() {
    M m;
    auto* entry = m.model.add_opset_import();
    entry->set_domain("com.me");
    entry->set_version(2);
    m.input("x", {"N", "7", "9", "3"}).weights("w", {5, 3, 3, 3}).output("y", {"N", "3", "4", "5"});
    auto& conv = m.node("OwnConv", "x w", "c", "conv");
    conv.set_domain("com.me");
    M::set(conv, "stride", 2);
    m.node("Relu", "c", "r", "relu");
    auto& stretch = m.node("Stretch", "r", "y", "wide");
    stretch.set_domain("com.me");
    M::setReal(stretch, "by", 0.5f);
    ModelBuilder::declare(*m.graph().add_value_info(), "c", {"N", "3", "4", "5"});
    QVERIFY(writeFile(path("custom.onnx"), m.bytes()).ok());
}

void TestOwnNodes::infoNamesTheHint() {
    Asked a;
    Arguments arguments = own();
    arguments.rules.clear();
    arguments.texts.clear();
    const auto info = a.get<InfoDocument>("info", arguments);
    QVERIFY(!info.runnable);
    QCOMPARE(info.diagnostics.size(), std::size_t(2));
    QVERIFY2(
        info.diagnostics[0].hint.find(
            "op own_conv(x1: f32[D1, D2, D3, D4], x2: f32[D5, D4, D4, D4], attr stride: int)") ==
            std::string::npos,
        "equal extents of one operand are not one dimension");
    QVERIFY2(info.diagnostics[0].hint.find("onnx \"com.me\" \"OwnConv\" {") != std::string::npos,
             info.diagnostics[0].hint.c_str());
    const Diag run = a.ask("run", arguments).diag();
    QCOMPARE(run.code, DiagCode::UnknownOperator);
    QVERIFY(!run.hint.empty());
}

void TestOwnNodes::everyCommandTakesThem_data() {
    QTest::addColumn<QString>("target");
    for (const char* target :
         {"x86-64 -libs= -mcpu=x86-64-v2", "x86-64 -libs= -mcpu=x86-64-v3", "x86-64"})
        QTest::newRow(target) << QString::fromLatin1(target);
}

void TestOwnNodes::everyCommandTakesThem() {
    QFETCH(QString, target);
    Asked a;
    Arguments arguments = own();
    arguments.target = target.toStdString();
    const auto info = a.get<InfoDocument>("info", arguments);
    QVERIFY(info.runnable && info.diagnostics.empty());
    QCOMPARE(info.ops.at("com.me.OwnConv"), 1);
    const auto fuse = a.get<FuseDocument>("fuse", arguments);
    QCOMPARE(fuse.groups.size(), std::size_t(1));
    QCOMPARE(fuse.groups[0].nodes, (std::vector<std::string>{"conv", "relu", "wide"}));
    for (const std::int64_t images : {0, 1, 3}) {
        arguments.dims = {{"N", images}};
        const auto verified = a.get<VerifyDocument>("verify", arguments).models.at(0);
        QVERIFY(verified.groups == 1 && verified.agreeing > 0 && verified.differing == 0);
        const auto run = a.ask("run", arguments);
        QVERIFY2(run.ok(), run ? "" : run.diag().text().c_str());
    }
    arguments.seconds = 0.01;
    const auto profile = a.get<ProfileDocument>("profile", arguments);
    QCOMPARE(profile.rows.size(), std::size_t(1));
    QCOMPARE(profile.rows[0].group, fuse.groups[0].name);
    arguments.output = path("module");
    const auto module = a.ask("export", arguments);
    QVERIFY2(module.ok(), module ? "" : module.diag().text().c_str());
    std::filesystem::remove_all(path("module"));
}

void TestOwnNodes::rulesSeeTheOperator() {
    Asked a;
    const Arguments arguments =
        own("custom.onnx", m_book + "rule halves { match y = stretch(x) {by = 0.5} "
                                    "emit y = x * 0.5 }\n"
                                    "chain ends = own_conv(any, const) >> relu(^)\n");
    const auto match = a.get<MatchDocument>("match", arguments);
    std::map<std::string, std::size_t> found;
    for (const RuleMatches& one : match.rules)
        found[one.name] = one.matches.size();
    QCOMPARE(found["halves"], std::size_t(1));
    const auto rewritten = a.get<RewriteDocument>("rewrite", arguments);
    QVERIFY(std::any_of(rewritten.applied.begin(), rewritten.applied.end(),
                        [](const AppliedRecord& one) { return one.rule == "halves"; }));
}

void TestOwnNodes::writtenFilesOpenWithoutTheBook() {
    Asked a;
    Arguments arguments = own();
    arguments.output = path("again.onnx");
    const auto written = a.get<RewriteDocument>("rewrite", arguments);
    QCOMPARE(written.opset, std::optional<std::int64_t>(17));
    QVERIFY(written.diagnostics.empty());
    Arguments alone = on("");
    alone.model = arguments.output;
    const auto info = a.get<InfoDocument>("info", alone);
    QVERIFY2(info.runnable, info.diagnostics.empty() ? "" : info.diagnostics[0].text().c_str());
    QCOMPARE(info.ops.at("com.me.OwnConv"), 1);
    alone.dims = arguments.dims = {{"N", 2}};
    arguments.output.clear();
    alone.seed = arguments.seed = 7;
    QCOMPARE(a.get<RunDocument>("run", alone).outputs.at(0).summary,
             a.get<RunDocument>("run", arguments).outputs.at(0).summary);
    const auto verified = a.get<VerifyDocument>("verify", alone).models.at(0);
    QVERIFY(verified.agreeing > 0 && verified.differing == 0);
}

// An operator of the same name, or a clause for the same nodes.
void TestOwnNodes::aBookGoesBeforeTheFile() {
    Asked a;
    Arguments arguments = own();
    arguments.output = path("both.onnx");
    QVERIFY(a.ask("rewrite", arguments).ok());
    for (const char* name : {"stretch", "other"}) {
        Arguments with =
            own("both.onnx", "op " + std::string(name) +
                                 " (x: T[S...], attr by: float) -> y: T[S...] onnx "
                                 "\"com.me\" \"Stretch\" { y[i...] = x[i...] * by + 1 }");
        with.dims = {{"N", 1}};
        with.output = "-";
        const auto text = a.get<RewriteDocument>("rewrite", with).text;
        QVERIFY2(text.find(std::string(name) + "(") != std::string::npos, text.c_str());
        with.output.clear();
        const auto run = a.get<RunDocument>("run", with);
        const auto plain = a.get<VerifyDocument>("verify", with).models.at(0);
        QVERIFY(plain.differing == 0);
        QVERIFY(run.outputs.at(0).summary != "");
    }
}

void TestOwnNodes::carriedOperatorsAreTried_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("said");
    QTest::newRow("damaged") << QStringLiteral("op stretch (x: T[S...]")
                             << QStringLiteral("(fusewright.operators):1:");
    QTest::newRow("reads outside")
        << QStringLiteral("op stretch (x: T[D], attr by: float) -> y: T[D]\n"
                          "onnx \"com.me\" \"Stretch\" { y[i] = x[i + 1] }")
        << QStringLiteral("(fusewright.operators):2:");
    QTest::newRow("long") << QString(100'000, u'#') << QStringLiteral("the limit is 65536");
    QString many;
    for (int i = 0; i < 70; ++i)
        many += QStringLiteral("op o%1 (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] }\n").arg(i);
    QTest::newRow("many") << many << QStringLiteral("(fusewright.operators):65:1");
}

// What a file carries is a stranger's text. The model opens whatever it says.
void TestOwnNodes::carriedOperatorsAreTried() {
    QFETCH(QString, text);
    QFETCH(QString, said);
    const std::string bytes = readFile(path("custom.onnx"), 1 << 20).value();
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(bytes));
    auto* entry = model.add_metadata_props();
    entry->set_key("fusewright.operators");
    entry->set_value(text.toStdString());
    QVERIFY(writeFile(path("carries.onnx"), model.SerializeAsString()).ok());
    Asked a;
    Arguments arguments = on("");
    arguments.model = path("carries.onnx");
    const auto info = a.get<InfoDocument>("info", arguments);
    QVERIFY(!info.runnable);
    const bool found =
        std::any_of(info.diagnostics.begin(), info.diagnostics.end(), [&](const Diag& diag) {
            return diag.text().find(said.toStdString()) != std::string::npos;
        });
    QVERIFY2(found, info.diagnostics.at(0).text().c_str());
}

// Files that call different things by one name, asked one after the other.
void TestOwnNodes::operatorsOfTwoFilesAreTwo() {
    Asked a;
    std::vector<std::string> results;
    for (const char* factor : {"2", "3"}) {
        const std::string file = path(std::string("net") + factor + ".fw");
        QVERIFY(writeFile(file, std::string("op grow_it (x: T[S...]) -> y: T[S...] { y[i...] = "
                                            "x[i...] * ") +
                                    factor + " }\ngraph g(x: f32[2]) -> y {\n  y = grow_it(x)\n}\n")
                    .ok());
        Arguments arguments = on("");
        arguments.model = file;
        QCOMPARE(a.get<VerifyDocument>("verify", arguments).models.at(0).differing, 0);
        arguments.seed = 3;
        results.push_back(a.get<RunDocument>("run", arguments).outputs.at(0).summary);
    }
    QVERIFY(results[0] != results[1]);
}

FW_TEST(TestOwnNodes, QCoreApplication)
#include "test_own_nodes.moc"
