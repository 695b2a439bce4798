// What `fw rewrite` tells of the applications of rules.
#include "common/test.h"
#include "session/asked.h"

#include "base/files.h"
#include "onnx/model_builder.h"

#include <QTemporaryDir>

#include <fmt/format.h>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestRewriting : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void costsAreTold();
    void guardsAskTheTarget();
    void whatTheFileAsksNoMoreIsTold();

private:
    RewriteDocument rewritten(const std::string& graph, const std::string& rules,
                              const std::string& target = "x86-64 -libs=");

    QTemporaryDir m_folder;
};

RewriteDocument TestRewriting::rewritten(const std::string& graph, const std::string& rules,
                                         const std::string& target) {
    const std::string book = "/nowhere/mine.fw";
    Arguments arguments = on("");
    arguments.model = m_folder.filePath(QStringLiteral("model.fw")).toStdString();
    if (!writeFile(arguments.model, graph))
        qFatal("the model cannot be written");
    arguments.rules = {book};
    arguments.texts = {{book, rules}};
    arguments.target = target;
    Asked asked;
    return asked.get<RewriteDocument>("rewrite", arguments);
}

// Each application at first, then how many more there are.
void TestRewriting::costsAreTold() {
    const std::string rule =
        "rule r {\n duplicate\n match y = relu(m = mul(v, w))\n emit y = exp(mul(w, v))\n}";
    const RewriteDocument one = rewritten("graph g(x: f32[N, 4], w: f32[N, 4]) -> y, z {\n"
                                          " m = mul(x, w) @node(\"product\")  y = relu(m)\n"
                                          " z = tanh(m) @node(\"reader\")\n}",
                                          rule);
    QCOMPARE(one.applications.size(), std::size_t(1));
    const std::string told = "RUL18 r at product: a part of the match stays and is computed a "
                             "second time: for reader; N * 4 operations and N * 16 bytes more in "
                             "every run";
    QCOMPARE(one.notices, std::vector<std::string>{told});
    std::string many = "graph g(x: f32[4], w: f32[4]) -> y0";
    for (int i = 0; i < 20; ++i)
        many += i == 0 ? ", z0" : fmt::format(", y{0}, z{0}", i);
    many += " {\n";
    for (int i = 0; i < 20; ++i)
        many += fmt::format(" m{0} = mul(x, {1})  y{0} = relu(m{0})  z{0} = tanh(m{0})\n", i,
                            i == 0 ? "w" : fmt::format("z{}", i - 1));
    const RewriteDocument all = rewritten(many + "}", rule);
    QCOMPARE(all.applications.size(), std::size_t(20));
    QCOMPARE(all.notices.size(), std::size_t(17));
    QCOMPARE(all.notices.back(), std::string("4 more applications of this kind"));
}

// A rule for one target is no rule for another: it is asked, kept apart, and told.
void TestRewriting::guardsAskTheTarget() {
    const std::string graph = "graph g(x: f32[4]) -> y { y = relu(x) }";
    const std::string wide = "rule wide { match y = relu(x) where target has x86-64-v3 "
                             "emit y = clip(x) {min = 0.0} }\n"
                             "test \"taken as given\" { graph g(x: f32[4]) -> y { y = relu(x) } "
                             "expect match 1 }\n";
    QCOMPARE(rewritten(graph, wide, "x86-64 -mcpu=x86-64-v3 -libs=").applications.size(),
             std::size_t(1));
    QCOMPARE(rewritten(graph, wide, "x86-64 -mcpu=x86-64-v2 -libs=").applications.size(),
             std::size_t(0));
    const std::string called = "rule called { match y = relu(x) where !(libs has onednn) "
                               "emit y = clip(x) {min = 0.0} }\n";
    QCOMPARE(rewritten(graph, called, "x86-64 -libs=").applications.size(), std::size_t(1));
    // One process, one model, two targets: neither takes the other's graph.
    Asked asked;
    Arguments wanted;
    wanted.model = m_folder.filePath(QStringLiteral("model.fw")).toStdString();
    wanted.rules = {"/nowhere/mine.fw"};
    wanted.texts = {{"/nowhere/mine.fw", wide}};
    for (const auto& [cpu, count] :
         {std::pair("x86-64-v3", 1), {"x86-64-v2", 0}, {"x86-64-v3", 1}}) {
        wanted.target = fmt::format("x86-64 -mcpu={} -libs=", cpu);
        const auto found = asked.get<MatchDocument>("match", wanted);
        QCOMPARE(int(found.rules[0].matches.size()), count);
        QCOMPARE(int(asked.get<RewriteDocument>("rewrite", wanted).applications.size()), count);
        if (count == 0)
            QVERIFY(found.rules[0].nearMisses[0].found.find("x86-64-v3 is not a key") !=
                    std::string::npos);
    }
    wanted.book = "/nowhere/mine.fw";
    const auto check = asked.get<CheckDocument>("check", wanted);
    for (const CheckItem& item : check.items)
        QVERIFY2(item.verdict == "ok" || item.verdict.starts_with("proved"), item.verdict.c_str());
    QCOMPARE(check.items.size(), std::size_t(2));
    // Names are asked of the books and libraries that there are.
    wanted.texts = {{"/nowhere/mine.fw", "rule odd { match y = relu(x) where libs has onedn "
                                         "emit y = x }\n"}};
    QVERIFY(asked.get<CheckDocument>("check", wanted)
                .items[0]
                .diagnostics[0]
                .message.find("there is no library onedn") != std::string::npos);
}

// Squeeze without axes is nothing where no dimension is 1, which nothing that is left asks.
void TestRewriting::whatTheFileAsksNoMoreIsTold() {
    const auto notices = [&](bool squeezed) {
        ModelBuilder model(13);
        model.input("x", {"B", "3"});
        model.node(squeezed ? "Squeeze" : "Relu", "x", "y");
        model.output("y");
        Arguments arguments = on("");
        arguments.model = m_folder.filePath(QStringLiteral("squeezed.onnx")).toStdString();
        arguments.output = m_folder.filePath(QStringLiteral("written.onnx")).toStdString();
        if (!writeFile(arguments.model, model.model.SerializeAsString()))
            qFatal("the model cannot be written");
        Asked asked;
        return asked.get<RewriteDocument>("rewrite", arguments).notices;
    };
    QCOMPARE(notices(false), std::vector<std::string>());
    const std::vector<std::string> told = notices(true);
    QCOMPARE(told.size(), std::size_t(1));
    QVERIFY2(told[0].starts_with("DIM01 ") && told[0].find("B != 1") != std::string::npos,
             told[0].c_str());
}

FW_TEST(TestRewriting, QCoreApplication)
#include "test_rewriting.moc"
