// The way of a user who exports a model and tries it by hand: `fw export`, cmake in the folder, the
// example program on the files of the test data. Its outputs are those of `fw run` to the bit.
#include "fw_process.h"

#include "common/test.h"
#include "onnx/model/tensor_file.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>

using namespace fw::conformance;
using namespace Qt::StringLiterals;

namespace {

QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

fw::TensorData tensor(const QString& path) {
    return fw::readTensorFile(path.toStdString()).value().data;
}

QByteArray elements(const fw::TensorData& data) {
    return {reinterpret_cast<const char*>(data.bytes().data()), qsizetype(data.bytes().size())};
}

void writeNpy(const QString& path, const fw::TensorData& data) {
    QVERIFY(fw::writeTensorFile(path.toStdString(), {{}, data}).ok());
}

} // namespace

// Checks the exit code and shows what was said when it is another one.
#define RAN(wanted, ...)                                                                           \
    do {                                                                                           \
        const FwAnswer answerOfThis = __VA_ARGS__;                                                 \
        QVERIFY2(answerOfThis.exitCode == (wanted),                                                \
                 (answerOfThis.out + answerOfThis.error).constData());                             \
    } while (false)

class TestExample : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithFwRun_data();
    void agreesWithFwRun();
    void takesItsShapesFromTheFiles();
    void computesItsShapes();
    void namedInputsAndWrongFiles();

private:
    // Exports and builds a model once; gives the example program.
    QString example(const QString& model);

    QTemporaryDir m_folder;
    QMap<QString, QString> m_built;
};

QString TestExample::example(const QString& model) {
    QString& program = m_built[model];
    if (!program.isEmpty())
        return program;
    const QString module = m_folder.filePath(QFileInfo(model).fileName());
    const QString build = module + u"_build"_s;
    const auto step = [](const FwAnswer& answer) {
        if (answer.exitCode != 0)
            qWarning("%s%s", answer.out.constData(), answer.error.constData());
        return answer.exitCode == 0;
    };
    if (step(
            runFw({u"export"_s, model, u"-o"_s, module, u"--target"_s, u"x86-64 -libs="_s}, 300)) &&
        step(runProgram(u"cmake"_s, {u"-S"_s, module, u"-B"_s, build}, 120)) &&
        step(runProgram(u"cmake"_s, {u"--build"_s, build}, 120)))
        program = build + u"/example"_s;
    return program;
}

void TestExample::agreesWithFwRun_data() {
    QTest::addColumn<QString>("model");
    QTest::addRow("residual") << QStringLiteral(FW_SOURCE_DIR "/samples/residual");
    const QString resnet = sharedModels() + u"/resnet18"_s;
    if (QFileInfo::exists(resnet + u"/model.onnx"_s))
        QTest::addRow("resnet18") << resnet;
}

void TestExample::agreesWithFwRun() {
    QFETCH(QString, model);
    const QString program = example(model);
    QVERIFY(!program.isEmpty());
    const auto data = fw::findTestData(model.toStdString());
    QVERIFY(data.ok() && !data->sets.empty());
    for (const fw::TestDataSet& set : data->sets) {
        QCOMPARE(set.inputs.size(), std::size_t(1));
        QCOMPARE(set.outputs.size(), std::size_t(1));
        const auto given = fw::readTensorFile(set.inputs[0]);
        QVERIFY(given.ok() && !given->name.empty());
        const QString in = m_folder.filePath(u"in.npy"_s), out = m_folder.filePath(u"out.npy"_s),
                      wanted = m_folder.filePath(u"wanted.npy"_s),
                      raw = m_folder.filePath(u"in.bin"_s),
                      ran = m_folder.filePath(QFileInfo(model).fileName() + u"_ran"_s);
        writeNpy(in, given->data);
        writeNpy(wanted, tensor(QString::fromStdString(set.outputs[0])));
        write(raw, elements(given->data));
        RAN(0, runProgram(program,
                          {in, u"-o"_s, out, u"--expect"_s, wanted, u"--rtol"_s, u"1e-3"_s,
                           u"--atol"_s, u"1e-5"_s},
                          120));
        RAN(0, runFw({u"run"_s, model, u"--target"_s, u"x86-64 -libs="_s, u"--input"_s,
                      QString::fromStdString(given->name + "=") + in, u"--output"_s, ran},
                     300));
        const QStringList files = QDir(ran).entryList({u"*.npy"_s});
        QCOMPARE(files.size(), 1);
        // The whole file: header, shape and every bit of the elements.
        QVERIFY(contents(out).size() > 0 && contents(out) == contents(ran + u'/' + files[0]));
        const QString bytes = m_folder.filePath(u"out.bin"_s);
        RAN(0, runProgram(program, {u"--input"_s, raw, u"--output"_s, bytes}, 120));
        QCOMPARE(contents(bytes), elements(tensor(out)));
    }
}

void TestExample::takesItsShapesFromTheFiles() {
    const QString model = QStringLiteral(FW_SOURCE_DIR "/samples/free_batch");
    const QString program = example(model);
    QVERIFY(!program.isEmpty());
    for (int set : {0, 1, 2}) {
        const QString data = model + u"/test_data_set_%1/"_s.arg(set);
        const QString in = m_folder.filePath(u"x.npy"_s), wanted = m_folder.filePath(u"y.npy"_s);
        writeNpy(in, tensor(data + u"input_0.pb"_s));
        writeNpy(wanted, tensor(data + u"output_0.pb"_s));
        RAN(0, runProgram(program, {in, u"--expect"_s, wanted}, 120));
    }
    // The three sets have different batch sizes, so the last output does not fit the first input.
    writeNpy(m_folder.filePath(u"x.npy"_s), tensor(model + u"/test_data_set_0/input_0.pb"_s));
    const FwAnswer answer = runProgram(
        program, {m_folder.filePath(u"x.npy"_s), u"--expect"_s, m_folder.filePath(u"y.npy"_s)}, 60);
    QCOMPARE(answer.exitCode, 2);
    QVERIFY2(answer.error.contains("its shape is not the model's"), answer.error.constData());
}

// How many boxes come out is known behind the run: two images, one after the other and back.
void TestExample::computesItsShapes() {
    const QString model = QStringLiteral(FW_SOURCE_DIR "/samples/detector");
    const QString program = example(model);
    QVERIFY(!program.isEmpty());
    for (int set : {0, 1, 2}) {
        const QString data = model + u"/test_data_set_%1/"_s.arg(set);
        const QString in = m_folder.filePath(u"image.npy"_s);
        QStringList words{in};
        writeNpy(in, tensor(data + u"input_0.pb"_s));
        for (int output : {0, 1}) {
            const QString wanted = m_folder.filePath(u"wanted%1.npy"_s.arg(output));
            writeNpy(wanted, tensor(data + u"output_%1.pb"_s.arg(output)));
            words << u"--expect"_s << wanted;
        }
        RAN(0, runProgram(program, words + QStringList{u"--atol"_s, u"1e-4"_s, u"--runs"_s, u"3"_s},
                          120));
    }
}

void TestExample::namedInputsAndWrongFiles() {
    const QString model = QStringLiteral(FW_SOURCE_DIR "/samples/residual");
    const QString program = example(model);
    QVERIFY(!program.isEmpty());
    const auto given = fw::readTensorFile((model + u"/test_data_set_0/input_0.pb"_s).toStdString());
    QVERIFY(given.ok());
    const QString in = m_folder.filePath(u"named.npy"_s);
    const QString name = QString::fromStdString(given->name);
    writeNpy(in, given->data);
    RAN(0, runProgram(program, {name + u'=' + in}, 60));
    const auto refused = [&](const QStringList& words, const char* reason) {
        const FwAnswer answer = runProgram(program, words, 60);
        if (answer.exitCode != 2 || !answer.error.contains(reason))
            qWarning("%d: %s", answer.exitCode, answer.error.constData());
        return answer.exitCode == 2 && answer.error.contains(reason);
    };
    QVERIFY(refused({in, name + u'=' + in}, "more files than the model has inputs"));
    QVERIFY(refused({u"nobody="_s + in}, "nobody="));
    QVERIFY(refused({m_folder.filePath(u"nowhere.npy"_s)}, "cannot be read"));
    QVERIFY(refused({in, u"-o"_s, in + u"/below"_s}, "cannot be written"));
    const QString other = m_folder.filePath(u"other.npy"_s);
    QByteArray npy = contents(in);
    write(other, QByteArray(npy).replace("'<f4'", "'<i4'"));
    QVERIFY(refused({other}, "its element type is not the model's"));
    write(other, QByteArray(npy).replace("'fortran_order': False", "'fortran_order': True "));
    QVERIFY(refused({other}, "Fortran order"));
    write(other, npy.left(npy.size() - 4));
    QVERIFY(refused({other}, "bytes of elements"));
    write(other, npy.left(40));
    QVERIFY(refused({other}, "header was not understood"));
    // A different expectation is exit code 1.
    const FwAnswer made = runProgram(program, {u"-o"_s, m_folder.filePath(u"made.npy"_s)}, 60);
    QCOMPARE(made.exitCode, 0);
    RAN(1, runProgram(program, {in, u"--expect"_s, m_folder.filePath(u"made.npy"_s)}, 60));
}

FW_TEST(TestExample, QCoreApplication)
#include "test_example.moc"
