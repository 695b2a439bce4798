// What `fw rewrite` tells of the applications of rules.
#include "session/asked.h"

#include "base/files.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fmt/format.h>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestRewriting : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void costsAreTold();

private:
    RewriteDocument rewritten(const std::string& graph, const std::string& rules);

    QTemporaryDir m_folder;
};

RewriteDocument TestRewriting::rewritten(const std::string& graph, const std::string& rules) {
    const std::string book = "/nowhere/mine.fw";
    Arguments arguments = on("");
    arguments.model = m_folder.filePath(QStringLiteral("model.fw")).toStdString();
    if (!writeFile(arguments.model, graph))
        qFatal("the model cannot be written");
    arguments.rules = {book};
    arguments.texts = {{book, rules}};
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

QTEST_GUILESS_MAIN(TestRewriting)
#include "test_rewriting.moc"
