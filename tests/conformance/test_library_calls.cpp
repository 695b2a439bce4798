// Calls of a library as a user meets them: how many a network is, and an exported module where the
// library is not there. The names are those of resources/docs/scenarios.md.
#include "common/test.h"
#include "fw_process.h"

#include <QJsonArray>
#include <QTemporaryDir>

using namespace fw::conformance;
using namespace Qt::StringLiterals;

class TestLibraryCalls : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void callsOfMobileNet();          // E33
    void exportedWithoutItsLibrary(); // J15
    void namesWithPunctuation();      // E21

private:
    const QString m_samples = QStringLiteral(FW_SOURCE_DIR "/samples/");
};

void TestLibraryCalls::initTestCase() {
    const FwAnswer answer =
        runFw({u"fuse"_s, m_samples + u"library-fusion/dense.fw"_s, u"-libs=onednn"_s}, 60);
    if (answer.exitCode == 3)
        QSKIP("oneDNN is not installed");
}

void TestLibraryCalls::callsOfMobileNet() {
    const QJsonObject plan = askFw({u"fuse"_s, m_samples + u"mobilenet"_s, u"-libs=onednn"_s});
    QMap<QString, int> calls;
    int others = 0;
    for (const QJsonValue group : plan[u"groups"].toArray()) {
        const QString by = group[u"implementation"].toString();
        if (by.startsWith(u"onednn."_s))
            ++calls[by];
        else if (by != u"view"_s)
            ++others;
    }
    QCOMPARE(calls, (QMap<QString, int>{{u"onednn.conv"_s, 27},
                                        {u"onednn.matmul"_s, 1},
                                        {u"onednn.pool"_s, 1},
                                        {u"onednn.softmax"_s, 1}}));
    QCOMPARE(others, 0);
}

void TestLibraryCalls::exportedWithoutItsLibrary() {
    QTemporaryDir folder;
    const QString module = folder.filePath(u"module"_s), build = folder.filePath(u"build"_s);
    const FwAnswer exported = runFw({u"export"_s, m_samples + u"library-fusion/dense.fw"_s, u"-o"_s,
                                     module, u"--target"_s, u"x86-64 -libs=onednn"_s},
                                    120);
    QVERIFY2(exported.exitCode == 0, exported.error.constData());
    for (const QStringList& step :
         {QStringList{u"-S"_s, module, u"-B"_s, build}, QStringList{u"--build"_s, build}}) {
        const FwAnswer answer = runProgram(u"cmake"_s, step, 120);
        QVERIFY2(answer.exitCode == 0, (answer.out + answer.error).constData());
    }
    const QString example = build + u"/example"_s;
    QCOMPARE(runProgram(example, {}, 120).exitCode, 0);
    qputenv("FUSEWRIGHT_ONEDNN", "/nowhere/libdnnl.so.2");
    const FwAnswer without = runProgram(example, {}, 120);
    qunsetenv("FUSEWRIGHT_ONEDNN");
    QCOMPARE(without.exitCode, 2);
    for (const char* said : {"dense_bias_relu_0", "oneDNN cannot be used", "/nowhere/libdnnl.so.2",
                             "install the package"})
        QVERIFY2(without.error.contains(said), without.error.constData());
}

// The symbol of a group is made of the names in it.
void TestLibraryCalls::namesWithPunctuation() {
    QTemporaryDir folder;
    const auto written = [&](const QString& name, const char* text) {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) > 0;
    };
    QVERIFY(written(u"own.fw"_s, "rule a.b { match y = mul(x, x)\n"
                                 "  emit y = op (x: T[S...]) -> y: T[S...] {\n"
                                 "    y[i...] = x[i...] * x[i...] }(x) }\n"));
    QVERIFY(written(u"net.fw"_s,
                    "graph g(x: f32[4, 4]) -> y { a = mul(x, x) @node(\"b/1:0 (a-b)\")\n"
                    "  y = sin(a) @node(\"p.q\") }\n"));
    const QStringList model = {folder.filePath(u"net.fw"_s), u"--rules"_s,
                               folder.filePath(u"own.fw"_s), u"--target"_s, u"x86-64 -libs="_s};
    const QJsonObject plan = askFw(QStringList{u"fuse"_s} + model);
    QCOMPARE(plan[u"groups"][0][u"name"].toString(), u"a.b.op1_sin_0"_s);
    QCOMPARE(runFw(QStringList{u"verify"_s} + model, 120).exitCode, 0);
    const QString module = folder.filePath(u"module"_s), build = folder.filePath(u"build"_s);
    QCOMPARE(runFw(QStringList{u"export"_s} + model + QStringList{u"-o"_s, module}, 120).exitCode,
             0);
    for (const QStringList& step :
         {QStringList{u"-S"_s, module, u"-B"_s, build}, QStringList{u"--build"_s, build}}) {
        const FwAnswer answer = runProgram(u"cmake"_s, step, 120);
        QVERIFY2(answer.exitCode == 0, (answer.out + answer.error).constData());
    }
    QCOMPARE(runProgram(build + u"/example"_s, {}, 120).exitCode, 0);
}

FW_TEST(TestLibraryCalls, QCoreApplication)
#include "test_library_calls.moc"
