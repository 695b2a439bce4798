// Programs in C that load exported modules, each for a promise of modules.md that a test in this
// process cannot show: they fork, set floating-point modes, refuse threads, bring an OpenMP
// runtime.
#include "common/test.h"
#include "fw_process.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>

using namespace fw::conformance;
using namespace Qt::StringLiterals;

class TestEmbedded : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Waiting threads sleep: the machine may be busy with other tests.
    void initTestCase() { qputenv("OMP_WAIT_POLICY", "passive"); }
    void overlappingOutputs();
    void forks_data();
    void forks();
    void modes_data();
    void modes();
    void threads_data();
    void threads();
    void threadsOfTheProgramsRuntime_data();
    void threadsOfTheProgramsRuntime();
    void littleMemory_data();
    void littleMemory();
    void regions_data();
    void regions();
    void unwinding();
    void indices();
    void callers();
    void restOfTheInterface();
    void exampleIsC99();

private:
    // Rows with a sample and a library, those that are installed; "": code of ours alone.
    void addModules();
    // Exports a sample for a target once; the shared library.
    QString module(const QString& sample, const QString& libraries);
    // Compiles embedded/NAME.c once; the program, or with -shared the library.
    QString program(const QString& name, const QStringList& options = {});
    // Runs it; what it says if it does not end with 0.
    QByteArray complaint(const QString& program, const QStringList& arguments);

    QTemporaryDir m_folder;
};

QString TestEmbedded::module(const QString& sample, const QString& libraries) {
    const QString folder =
        m_folder.filePath(sample + u'_' + (libraries.isEmpty() ? u"own"_s : libraries));
    const QString library = folder + u"/lib%1.so"_s.arg(sample);
    if (!QFileInfo::exists(library)) {
        const FwAnswer answer =
            runFw({u"export"_s, QStringLiteral(FW_SOURCE_DIR "/samples/") + sample, u"-o"_s, folder,
                   u"--target"_s, u"x86-64 -libs=%1 -threads=2"_s.arg(libraries)},
                  300);
        if (answer.exitCode != 0)
            qWarning("%s", answer.error.constData());
    }
    return library;
}

QString TestEmbedded::program(const QString& name, const QStringList& options) {
    const QString built = m_folder.filePath(name);
    if (!QFileInfo::exists(built)) {
        const FwAnswer answer = runProgram(
            u"cc"_s,
            QStringList{
                u"-std=c99"_s, u"-D_GNU_SOURCE"_s, u"-Wall"_s, u"-Wextra"_s,
                u"-Wno-unused-function"_s, u"-O1"_s, u"-I"_s, QStringLiteral(FW_SOURCE_DIR "/core"),
                QStringLiteral(FW_SOURCE_DIR "/tests/conformance/embedded/") + name + u".c"_s,
                u"-o"_s, built} +
                options + QStringList{u"-ldl"_s, u"-lm"_s, u"-lpthread"_s},
            60);
        if (answer.exitCode != 0 || !answer.error.isEmpty())
            qWarning("%s", answer.error.constData());
    }
    return built;
}

QByteArray TestEmbedded::complaint(const QString& program, const QStringList& arguments) {
    const FwAnswer answer = runProgram(program, arguments, 60);
    if (answer.exitCode == 0 && answer.error.isEmpty())
        return {};
    return "exit code " + QByteArray::number(answer.exitCode) + ": " + answer.out + answer.error;
}

void TestEmbedded::addModules() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("libraries");
    const auto add = [this](const QString& sample, const QString& libraries) {
        if (QFileInfo::exists(module(sample, libraries)))
            QTest::addRow("%s %s", qPrintable(sample), qPrintable(libraries))
                << sample << libraries;
    };
    add(u"lenet"_s, {});
    add(u"lenet"_s, u"onednn"_s);   // its calls are made ready when it is opened
    add(u"encoder"_s, u"onednn"_s); // when it runs
    add(u"encoder"_s, u"openblas"_s);
}

#define HOLDS(...)                                                                                 \
    do {                                                                                           \
        const QByteArray said = complaint(__VA_ARGS__);                                            \
        QVERIFY2(said.isEmpty(), said.constData());                                                \
    } while (false)

void TestEmbedded::overlappingOutputs() {
    HOLDS(program(u"overlapping"_s), {module(u"decoder"_s, {})});
}

void TestEmbedded::forks_data() {
    addModules();
}

void TestEmbedded::forks() {
    QFETCH(QString, sample);
    QFETCH(QString, libraries);
    HOLDS(program(u"forked"_s), {module(sample, libraries)});
}

void TestEmbedded::modes_data() {
    addModules();
}

void TestEmbedded::modes() {
    QFETCH(QString, sample);
    QFETCH(QString, libraries);
    const QString modes = program(u"modes"_s, {u"-fopenmp"_s});
    for (const char* mode : {"usual", "upward", "downward", "towardzero", "traps", "flush"})
        for (const char* start : {"first", "last"})
            HOLDS(modes, {module(sample, libraries), QString::fromLatin1(mode), u"2"_s,
                          QString::fromLatin1(start)});
    HOLDS(modes, {module(sample, libraries), u"upward"_s, u"1"_s, u"last"_s});
}

void TestEmbedded::threads_data() {
    addModules();
}

void TestEmbedded::threads() {
    QFETCH(QString, sample);
    QFETCH(QString, libraries);
    for (const char* what :
         {"alone", "none", "some", "later", "pool", "-7", "0", "2", "100000", "2147483647"})
        HOLDS(program(u"threads"_s),
              {module(sample, libraries), libraries, QString::fromLatin1(what)});
    if (libraries.isEmpty())
        return;
    qputenv("OMP_STACKSIZE", "200000000000K");
    const auto restore = qScopeGuard([] { qunsetenv("OMP_STACKSIZE"); });
    HOLDS(program(u"threads"_s), {module(sample, libraries), libraries, u"stacks"_s});
}

void TestEmbedded::threadsOfTheProgramsRuntime_data() {
    addModules();
}

// A program that has LLVM's OpenMP runtime, as one of clang -fopenmp: oneDNN and OpenBLAS call that
// and not the one that they were linked with.
void TestEmbedded::threadsOfTheProgramsRuntime() {
    QFETCH(QString, sample);
    QFETCH(QString, libraries);
    const QString library = module(sample, libraries);
    const QString threads = program(u"threads"_s), forked = program(u"forked"_s);
    const auto restore = qScopeGuard([] { qunsetenv("LD_PRELOAD"); });
    qputenv("LD_PRELOAD", "libomp.so.5");
    if (!complaint(u"true"_s, {}).isEmpty())
        QSKIP("LLVM's OpenMP runtime is not installed");
    for (const char* what : {"alone", "pool", "0", "2"})
        HOLDS(threads, {library, libraries, QString::fromLatin1(what)});
    HOLDS(forked, {library});
}

void TestEmbedded::littleMemory_data() {
    addModules();
}

void TestEmbedded::littleMemory() {
    QFETCH(QString, sample);
    QFETCH(QString, libraries);
    for (const QString& threads : {u"1"_s, u"8"_s})
        HOLDS(program(u"limited"_s), {module(sample, libraries), threads});
}

void TestEmbedded::regions_data() {
    addModules();
}

void TestEmbedded::regions() {
    QFETCH(QString, sample);
    QFETCH(QString, libraries);
    const QString plugin = program(u"region_plugin"_s, {u"-shared"_s, u"-fPIC"_s, u"-fopenmp"_s});
    for (const char* order : {"first", "last"})
        HOLDS(program(u"regions"_s),
              {module(sample, libraries), plugin, QString::fromLatin1(order)});
}

void TestEmbedded::unwinding() {
    for (const QString& sample : {u"lenet"_s, u"encoder"_s})
        HOLDS(program(u"unwinding"_s), {module(sample, {})});
}

void TestEmbedded::indices() {
    const QString library = module(u"recommender"_s, {});
    HOLDS(program(u"indices"_s), {library});
    QFile file(QFileInfo(library).path() + u"/manifest.json"_s);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QStringList checked;
    for (const QJsonValue& one :
         QJsonDocument::fromJson(file.readAll())["checked_indices"].toArray())
        checked << one["indices"].toString() + u' ' + one["extent"].toString();
    checked.sort();
    QCOMPARE(checked, (QStringList{u"item 800"_s, u"user 500"_s, u"weekday 7"_s}));
}

void TestEmbedded::callers() {
    for (const QString& threads : {u"1"_s, u"2"_s})
        HOLDS(program(u"callers"_s), {module(u"free_batch"_s, {}), threads});
}

void TestEmbedded::restOfTheInterface() {
    const QString library = module(u"free_batch"_s, {});
    HOLDS(program(u"interface"_s), {library, QFileInfo(library).path() + u"/free_batch.weights"_s});
}

void TestEmbedded::exampleIsC99() {
    const QString folder = QFileInfo(module(u"lenet"_s, {})).path();
    for (const QStringList& language : {QStringList{u"-std=c99"_s, u"-x"_s, u"c"_s},
                                        QStringList{u"-std=c11"_s, u"-x"_s, u"c"_s}}) {
        const FwAnswer answer = runProgram(
            u"cc"_s,
            language + QStringList{u"-pedantic-errors"_s, u"-Wall"_s, u"-Wextra"_s, u"-Werror"_s,
                                   u"-fsyntax-only"_s, folder + u"/example_main.c"_s},
            60);
        QVERIFY2(answer.exitCode == 0, answer.error.constData());
    }
}

FW_TEST(TestEmbedded, QCoreApplication)
#include "test_embedded.moc"
