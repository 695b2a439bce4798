// Runs the command line as a user would, for the tests that judge the product from outside.
#pragma once

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>

namespace fw::conformance {

struct FwAnswer {
    int exitCode = -1; // -1: did not start, did not end in time, or died of a signal
    QByteArray out;
    QByteArray error;
};

inline QString programPath() {
    return qEnvironmentVariable("FW_BIN") + QStringLiteral("/fw");
}

inline FwAnswer runProgram(const QString& program, const QStringList& arguments, int seconds) {
    QProcess process;
    process.start(program, arguments);
    FwAnswer answer;
    if (!process.waitForStarted() || !process.waitForFinished(seconds * 1000))
        return answer;
    if (process.exitStatus() == QProcess::NormalExit)
        answer.exitCode = process.exitCode();
    answer.out = process.readAllStandardOutput();
    answer.error = process.readAllStandardError();
    return answer;
}

inline FwAnswer runFw(const QStringList& arguments, int seconds) {
    return runProgram(programPath(), arguments, seconds);
}

// The answer as JSON; empty, with a warning, where the command failed.
inline QJsonObject askFw(const QStringList& arguments, int seconds = 60) {
    const FwAnswer answer = runFw(arguments + QStringList{QStringLiteral("--json")}, seconds);
    if (answer.exitCode != 0)
        qWarning("exit code %d: %s", answer.exitCode, answer.error.constData());
    return QJsonDocument::fromJson(answer.out).object();
}

// Larger models that do not lie in the repository: FW_MODELS, or a folder beside the checkout.
inline QString sharedModels() {
    return qEnvironmentVariable("FW_MODELS", QStringLiteral(FW_SOURCE_DIR "/../shared/models"));
}

// The backend tests of ONNX, as Debian's libonnx-testdata installs them (FW_ONNX_SUITE names
// another folder), and newer ones beside the checkout (FW_ONNX_NODE): folders with a model.onnx.
inline QString onnxSuite() {
    return qEnvironmentVariable("FW_ONNX_SUITE",
                                QStringLiteral("/usr/share/libonnx-testdata/data"));
}
inline QString newerOnnxCases() {
    return qEnvironmentVariable("FW_ONNX_NODE",
                                QStringLiteral(FW_SOURCE_DIR "/../shared/onnx_node"));
}

inline QStringList caseFoldersIn(const QString& parent) {
    QStringList folders;
    const QDir dir(parent);
    for (const QString& name : dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name))
        if (QFileInfo::exists(dir.filePath(name) + QStringLiteral("/model.onnx")))
            folders << dir.filePath(name);
    return folders;
}

inline QStringList onnxSuiteFolders() {
    QStringList folders;
    for (const char* suite : {"node", "simple", "pytorch-operator", "pytorch-converted"})
        folders += caseFoldersIn(onnxSuite() + u'/' + QLatin1String(suite));
    return folders;
}

} // namespace fw::conformance
