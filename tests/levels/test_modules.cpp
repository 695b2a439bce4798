// An exported module takes oneDNN as it finds it: made at one instruction set and run at another it
// computes the same numbers, or says why it cannot. Packed weights and blocks of channels included.
#include "common/source_root.h"
#include "common/test.h"
#include "conformance/fw_process.h"
#include "onnx/model/tensor_file.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;
using fw::conformance::FwAnswer;
using fw::conformance::runFw;
using fw::conformance::runProgram;

namespace {

constexpr const char* bound = "ONEDNN_MAX_CPU_ISA";

// Files of inputs and outputs, the latter by generated code at this CPU's own level.
struct Data {
    QStringList inputs, outputs;
};

Data dataOf(const QString& model, const QString& folder) {
    Data out;
    QStringList run{u"run"_s, model, u"--output"_s, folder, u"--target"_s, u"x86-64 -libs="_s};
    const FwAnswer info = runFw({u"info"_s, model, u"--json"_s}, 60);
    std::uint64_t seed = 7;
    for (const QJsonValue input : QJsonDocument::fromJson(info.out).object()[u"inputs"].toArray()) {
        const QString name = input[u"name"].toString(), type = input[u"type"].toString();
        std::vector<std::int64_t> extents;
        for (const QString& extent : type.section(u'[', 1).chopped(1).split(u','))
            extents.push_back(extent.toLongLong());
        out.inputs << folder + u'/' + name + u"_in.npy"_s;
        const auto data = fw::randomData(fw::DType::F32, extents, seed++);
        if (!fw::writeTensorFile(out.inputs.last().toStdString(), {{}, data}))
            return {};
        run << u"--input"_s << name + u'=' + out.inputs.last();
    }
    const FwAnswer answer = runFw(run + QStringList{u"--json"_s}, 120);
    for (const QJsonValue output :
         QJsonDocument::fromJson(answer.out).object()[u"outputs"].toArray())
        out.outputs << output[u"file"].toString();
    return out;
}

} // namespace

class TestModules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        for (const char* name : {bound, "DNNL_MAX_CPU_ISA", "OPENBLAS_CORETYPE"})
            qunsetenv(name);
        const FwAnswer answer =
            runFw({u"fuse"_s, fw::test::sourceRoot + u"/samples/lenet"_s, u"-libs=onednn"_s}, 60);
        if (answer.exitCode == 3)
            QSKIP(answer.error.constData());
    }

    void runsAtOtherLevels_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("cpu");
        QTest::addColumn<bool>("winograd");
        for (const char* cpu : {"native", "x86-64-v3", "x86-64-v2"})
            for (const char* model : {"samples/lenet", "samples/residual", "tests/levels/tails.fw"})
                QTest::addRow("%s for %s",
                              QFileInfo(QString::fromLatin1(model)).baseName().toUtf8().constData(),
                              cpu)
                    << model << cpu << false;
        QTest::addRow("winograd") << u"samples/residual"_s << u"native"_s << true;
    }

    void runsAtOtherLevels() {
        QFETCH(QString, path);
        QFETCH(QString, cpu);
        QFETCH(bool, winograd);
        const QString model = fw::test::sourceRoot + u'/' + path;
        const QString module = m_folder.filePath(QString::fromLatin1(QTest::currentDataTag()));
        QStringList arguments{u"export"_s,   model,
                              u"-o"_s,       module,
                              u"--target"_s, u"x86-64 -mcpu=%1 -libs=onednn -threads=1"_s.arg(cpu)};
        if (winograd)
            arguments << u"--rules"_s << fw::test::sourceRoot + u"/tests/levels/winograd.fw"_s;
        const FwAnswer exported = runFw(arguments, 300);
        QVERIFY2(exported.exitCode == 0, exported.error.constData());
        const QString build = module + u"_build"_s;
        QCOMPARE(runProgram(u"cmake"_s, {u"-S"_s, module, u"-B"_s, build}, 120).exitCode, 0);
        QCOMPARE(runProgram(u"cmake"_s, {u"--build"_s, build}, 120).exitCode, 0);

        QVERIFY(QDir().mkpath(module + u"_data"_s));
        const Data data = dataOf(model, module + u"_data"_s);
        QVERIFY(!data.inputs.isEmpty() && !data.outputs.isEmpty());
        QStringList given = data.inputs;
        for (const QString& output : data.outputs)
            given << u"--expect"_s << output;
        given << u"--rtol"_s << u"1e-3"_s << u"--atol"_s << u"1e-4"_s << u"--runs"_s << u"2"_s
              << u"--threads"_s << u"1"_s;
        int right = 0;
        QStringList said;
        for (const char* level : {"", "AVX512_CORE", "AVX2", "AVX", "SSE41"}) {
            if (*level != '\0')
                qputenv(bound, level);
            const FwAnswer answer = runProgram(build + u"/example"_s, given, 120);
            qunsetenv(bound);
            right += answer.exitCode == 0;
            if (answer.exitCode != 0)
                said << QString::fromLatin1(level) + u": "_s +
                            QString::fromUtf8(answer.error).trimmed();
            // Never other numbers, never a death: a status with its reason.
            QVERIFY2(answer.exitCode == 0 ||
                         (answer.exitCode > 1 && answer.error.contains("oneDNN")),
                     qPrintable(u"%1: exit code %2, %3"_s.arg(QLatin1StringView(level))
                                    .arg(answer.exitCode)
                                    .arg(QString::fromUtf8(answer.out + answer.error))));
        }
        QVERIFY2(right > 0, qPrintable(said.join(u'\n')));
        for (const QString& refusal : said)
            qInfo("refused at %s", qPrintable(refusal));
    }

private:
    QTemporaryDir m_folder;
};

FW_TEST(TestModules, QCoreApplication)
#include "test_modules.moc"
