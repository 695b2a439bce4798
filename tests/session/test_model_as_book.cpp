// The text of a graph as MODEL: what it declares beside its graph acts as that of a book, and what
// is wrong in it is told the same way by a check and by a run.
#include "common/test.h"
#include "session/asked.h"

#include "base/files.h"

#include <QTemporaryDir>

using namespace fw;
using namespace fw::snapshot;
using namespace Qt::StringLiterals;

class TestModelAsBook : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void declarationsAct();
    void booksThatAreGivenComeBehind();
    void otherTextsAreNoBooks();
    void includesAct();
    void operatorsAreDeclaredOnce();
    void mistakesAreCounted();
    void namesThatAreNotThereAreTold();
    void errorsBehindIncludesFail();

private:
    std::string write(const char* name, const std::string& text) {
        const std::string path = m_folder.filePath(QString::fromLatin1(name)).toStdString();
        return writeFile(path, text).ok() ? path : std::string();
    }
    Arguments model(const std::string& path) {
        Arguments out;
        out.model = path;
        out.target = "x86-64 -libs=";
        return out;
    }
    QTemporaryDir m_folder;
    test::Asked m_asked;
};

namespace {

const GroupRecord* findGroup(const FuseDocument& plan, const std::string& node) {
    for (const GroupRecord& group : plan.groups)
        for (const std::string& name : group.nodes)
            if (name == node)
                return &group;
    return nullptr;
}

} // namespace

void TestModelAsBook::declarationsAct() {
    const auto plan = m_asked.get<FuseDocument>(
        "fuse", model(FW_SOURCE_DIR "/tests/book/language/model_file_ignores_blocks.fw"));
    // The rule took the relu out, the block chose the code, `grow` keeps both apart.
    const GroupRecord* dense = findGroup(plan, "dense");
    QVERIFY(dense != nullptr);
    QCOMPARE(std::string(dense->implementation), std::string("mine"));
    QCOMPARE(dense->nodes.size(), std::size_t(1));
    const GroupRecord* behind = findGroup(plan, "relu");
    QVERIFY(behind != nullptr);
    QVERIFY2(behind->name.starts_with("tanh"), behind->name.c_str());
}

void TestModelAsBook::booksThatAreGivenComeBehind() {
    const std::string net = write("net.fw", "implementations dense(...) on any { mine by "
                                            "generated.rowwise priority 99 }\n"
                                            "graph g(x: f32[8, 16], w: f32[32, 16]) -> d { d = "
                                            "dense(x, w) }\n");
    Arguments arguments = model(net);
    arguments.rules = {
        write("later.fw", "implementations dense(...) on any { mine priority 1 }\n")};
    const auto plan = m_asked.get<FuseDocument>("fuse", arguments);
    QVERIFY(std::string(findGroup(plan, "dense")->implementation) != "mine");
    // Named as a book, too, it is one book.
    arguments.rules = {net};
    QCOMPARE(std::string(
                 findGroup(m_asked.get<FuseDocument>("fuse", arguments), "dense")->implementation),
             std::string("mine"));
}

void TestModelAsBook::otherTextsAreNoBooks() {
    // A test says nothing about what is computed, and is not run with the model.
    const std::string net =
        write("tested.fw", "op twice(x: T[N]) -> y: T[N] { y[n] = x[n] * 2 }\n"
                           "graph g(x: f32[4]) -> y { y = twice(x) }\n"
                           "test \"wrong\" of nothing { graph g(x: f32[4]) -> y { y = relu(x) } "
                           "expect none }\n");
    QVERIFY(m_asked.ask("run", model(net)).ok());
}

void TestModelAsBook::includesAct() {
    write("parts.fw", "op twice(x: T[N]) -> y: T[N] { y[n] = x[n] * 2 }\n"
                      "rule once { match y = twice(twice(x)) emit y = x * 4 }\n");
    const std::string net =
        write("including.fw", "include \"parts.fw\"\n"
                              "graph g(x: f32[4]) -> y { a = twice(x)  y = twice(a) }\n");
    const auto plan = m_asked.get<FuseDocument>("fuse", model(net));
    QVERIFY(findGroup(plan, "mul") != nullptr || findGroup(plan, "twice") == nullptr);
}

void TestModelAsBook::operatorsAreDeclaredOnce() {
    const std::string net =
        write("own.fw", "op twice(x: T[N]) -> y: T[N] { y[n] = x[n] * 2 }\n"
                        "grow elementwise -> elementwise never\n"
                        "graph g(x: f32[4]) -> y { a = twice(x)  y = twice(a) }\n");
    const auto plan = m_asked.get<FuseDocument>("fuse", model(net));
    QCOMPARE(plan.groups.size(), std::size_t(2));
    for (const std::string& notice : plan.notices)
        QVERIFY2(notice.find("takes the place") == std::string::npos, notice.c_str());
}

void TestModelAsBook::mistakesAreCounted() {
    const std::string net =
        write("wrong.fw",
              "graph g(x: f32[4]) -> y {\n  a = rellu(x)\n  b = add(x, w)\n  y = relu(a)\n}\n");
    const auto answer = m_asked.ask("run", model(net));
    QVERIFY(!answer.ok());
    QCOMPARE(QString::fromStdString(answer.diag().text()),
             QString::fromStdString(net) +
                 u":2:7: error OPR01: there is no operator named rellu; 1 other mistake (fw check "
                 "%1) (did you mean relu?)"_s.arg(QString::fromStdString(net)));
    Arguments check;
    check.rules = {net};
    const auto checked = m_asked.get<CheckDocument>("check", check);
    QCOMPARE(checked.items.size(), std::size_t(1));
    QCOMPARE(checked.items[0].verdict, std::string("refused"));
    QCOMPARE(checked.items[0].diagnostics.size(), std::size_t(2));
    QCOMPARE(checked.marks.size(), std::size_t(2));
}

void TestModelAsBook::namesThatAreNotThereAreTold() {
    const std::string net = write("free.fw", "graph g(x: f32[N, M]) -> y { y = relu(x) }\n");
    Arguments arguments = model(net);
    arguments.dims = {{"Q", 4}};
    QVERIFY2(m_asked.ask("run", arguments)
                     .diag()
                     .text()
                     .find("there is no free dimension Q (there are M, N)") != std::string::npos,
             m_asked.ask("run", arguments).diag().text().c_str());
    arguments = test::on("mlp");
    arguments.dims = {{"Q", 4}};
    const auto ofOnnx = m_asked.ask("fuse", arguments);
    QVERIFY(!ofOnnx.ok());
    QVERIFY2(ofOnnx.diag().text().find("there is no free dimension Q") != std::string::npos,
             ofOnnx.diag().text().c_str());
    arguments.dims.clear();
    arguments.types = {{"nowhere", "f32[4]"}};
    const auto ofType = m_asked.ask("fuse", arguments);
    QVERIFY(!ofType.ok());
    QVERIFY2(ofType.diag().text().find("has no value 'nowhere'") != std::string::npos,
             ofType.diag().text().c_str());
    arguments.types.clear();
    arguments.inputs = {{"nowhere", net}};
    const auto ofInput = m_asked.ask("run", arguments);
    QVERIFY(!ofInput.ok());
    QVERIFY2(ofInput.diag().text().find("no input nowhere") != std::string::npos,
             ofInput.diag().text().c_str());
}

void TestModelAsBook::errorsBehindIncludesFail() {
    for (int i = 1; i <= 3; ++i) {
        Arguments check;
        check.rules = {FW_SOURCE_DIR "/tests/book/language/include_cycle_" + std::to_string(i) +
                       ".fw"};
        const auto document = m_asked.get<CheckDocument>("check", check);
        Diags all = document.diagnostics;
        for (const CheckItem& item : document.items)
            all.insert(all.end(), item.diagnostics.begin(), item.diagnostics.end());
        QVERIFY(std::any_of(all.begin(), all.end(), [](const Diag& diag) {
            return diag.severity == Severity::Error &&
                   diag.message.starts_with("books include each other: ");
        }));
    }
    const std::string outer = write("outer.fw", "include \"middle.fw\"\n");
    write("middle.fw", "include \"inner.fw\"\n");
    write("inner.fw", "rule r { match y = rellu(x) emit y = x }\n");
    Arguments check;
    check.rules = {outer};
    const auto document = m_asked.get<CheckDocument>("check", check);
    QCOMPARE(document.diagnostics.size(), std::size_t(1));
    QVERIFY(document.diagnostics[0].where.file.ends_with("inner.fw"));
    QVERIFY(hasErrors(document.diagnostics));
}

FW_TEST(TestModelAsBook, QCoreApplication)
#include "test_model_as_book.moc"
