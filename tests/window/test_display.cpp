// The window on a real X server (Xvfb): the whole of test_main_window again, with real windows, and
// a screenshot of the program itself. Skipped where there is no Xvfb.
#include "common/test.h"

#include <QImage>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

class TestDisplay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void windowTestsPass();
    void screenshotOfTheProgram();
    void picturesOfTheReadme_data();
    void picturesOfTheReadme();
    void errorsWithoutAWindow();

private:
    QProcessEnvironment environment() const;

    QProcess m_server;
    QString m_display;
    QTemporaryDir m_folder;
};

void TestDisplay::initTestCase() {
    const QString program = QStandardPaths::findExecutable(QStringLiteral("Xvfb"));
    if (program.isEmpty())
        QSKIP("Xvfb is not installed (package xvfb)");
    // The server picks a free number and writes it to standard output.
    m_server.start(program,
                   {"-displayfd", "1", "-screen", "0", "1700x1100x24", "-nolisten", "tcp"});
    QVERIFY(m_server.waitForStarted(5000));
    QByteArray number;
    for (int i = 0; i < 100 && !number.contains('\n'); ++i) {
        m_server.waitForReadyRead(100);
        number += m_server.readAllStandardOutput();
    }
    m_display = QStringLiteral(":") + QString::fromLatin1(number.trimmed());
    QVERIFY(m_display.size() > 1);
}

void TestDisplay::cleanupTestCase() {
    if (m_server.state() == QProcess::NotRunning)
        return;
    m_server.terminate();
    if (!m_server.waitForFinished(3000))
        m_server.kill();
}

QProcessEnvironment TestDisplay::environment() const {
    QProcessEnvironment out = QProcessEnvironment::systemEnvironment();
    out.insert(QStringLiteral("DISPLAY"), m_display);
    out.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
    out.insert(QStringLiteral("FW_WORKER"), QStringLiteral(FW_BINARY_DIR "/tests/fake_worker"));
    out.insert(QStringLiteral("XDG_CONFIG_HOME"), m_folder.path());
    return out;
}

void TestDisplay::windowTestsPass() {
    QProcess process;
    process.setProcessEnvironment(environment());
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QStringLiteral(FW_BINARY_DIR "/tests/window_tests"), {"test_main_window"});
    QVERIFY(process.waitForFinished(240000));
    QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0,
             process.readAll().constData());
}

void TestDisplay::screenshotOfTheProgram() {
    const QString file = m_folder.filePath(QStringLiteral("shot.png"));
    QProcess process;
    process.setProcessEnvironment(environment());
    process.start(QStringLiteral(FW_BINARY_DIR "/bin/fusewright"),
                  {m_folder.filePath(QStringLiteral("residual.onnx")), "--profile", "--select",
                   "Add_17", "--screenshot", file, "--size", "1400x900", "--theme", "dark"});
    QVERIFY(process.waitForFinished(60000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
    QCOMPARE(QImage(file).size(), QSize(1400, 900));
}

// The pictures of the README, of a sample and with the real worker. They stay in the build folder,
// to be looked at and copied to resources/docs; the last one shows what --then changes.
void TestDisplay::picturesOfTheReadme_data() {
    QTest::addColumn<QStringList>("options");
    QTest::newRow("workbench") << QStringList{"--profile", "--select", "Relu_stem_relu"};
    QTest::newRow("story") << QStringList{"--profile", "--select", "Relu_stem_relu,Conv_left1"};
    QTest::newRow("changes") << QStringList{
        "--target", "x86-64 -libs=openblas", "--then", "-libs=onednn,openblas", "--profile",
        "--select", "Relu_stem_relu"};
}

void TestDisplay::picturesOfTheReadme() {
    QFETCH(QStringList, options);
    const QString folder = QStringLiteral(FW_BINARY_DIR "/pictures/");
    QVERIFY(QDir().mkpath(folder));
    const QString file = folder + QTest::currentDataTag() + ".png";
    QFile::remove(file);
    QProcessEnvironment real = environment();
    real.remove(QStringLiteral("FW_WORKER"));
    QProcess process;
    process.setProcessEnvironment(real);
    process.start(QStringLiteral(FW_BINARY_DIR "/bin/fusewright"),
                  QStringList{QStringLiteral(FW_SOURCE_DIR "/samples/residual")} + options +
                      QStringList{"--screenshot", file, "--size", "1600x1000"});
    QVERIFY(process.waitForFinished(120000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
    QCOMPARE(QImage(file).size(), QSize(1600, 1000));
}

void TestDisplay::errorsWithoutAWindow() {
    for (const auto& [arguments, code] : std::initializer_list<std::pair<QStringList, int>>{
             {{"--nonsense"}, 2}, {{"--help"}, 0}, {{"--version"}, 0}}) {
        QProcess process;
        process.setProcessEnvironment(environment());
        process.start(QStringLiteral(FW_BINARY_DIR "/bin/fusewright"), arguments);
        QVERIFY(process.waitForFinished(20000));
        QCOMPARE(process.exitCode(), code);
    }
}

FW_TEST(TestDisplay, QCoreApplication)
#include "test_display.moc"
