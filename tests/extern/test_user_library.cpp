// A composite that names a kernel of a user's shared library, as a user meets it: agreed to by
// name, refused in the library's words, judged by the reference, exported. And libraries that are
// not what they should be: a message each, never a crash of the command.
#include "common/test.h"
#include "conformance/fw_process.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>

using namespace fw::conformance;
using namespace Qt::StringLiterals;

namespace {

const QString sample = QStringLiteral(FW_BINARY_DIR "/toylib/libtoylib.so");

QString bad(const QString& what) {
    return QStringLiteral(FW_BINARY_DIR "/tests/libbad_") + what + u".so"_s;
}

} // namespace

class TestUserLibrary : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        if (!QFile::exists(programPath()))
            QSKIP("fw is not built");
        for (const QString& name : {u"toylib.fw"_s, u"blocks.fw"_s})
            QVERIFY(QFile::copy(QStringLiteral(FW_SOURCE_DIR "/samples/toylib/") + name,
                                m_folder.filePath(name)));
    }
    void init() { use(sample); }
    void cleanup() { qunsetenv("FUSEWRIGHT_TOYLIB"); }

    void takesOneAndRefusesTwoGroups() {
        const FwAnswer answer = fw(u"fuse"_s, agreed());
        QVERIFY2(answer.exitCode == 0, answer.error.constData());
        QVERIFY2(answer.out.contains("toylib.conv_bias_relu"), answer.out.constData());
        QVERIFY2(answer.out.contains("LIB12") &&
                     answer.out.contains("toylib: only groups = 1 (toylib.conv at "),
                 answer.out.constData());
        const FwAnswer why =
            runFw({u"explain"_s, model(), u"c2"_s, u"--rules"_s, book(), agreed()}, 60);
        QVERIFY2(why.exitCode == 0 &&
                     why.out.contains("✗ toylib.conv_bias_relu: the library refuses it: toylib: "
                                      "only groups = 1"),
                 why.out.constData());
    }

    void computesWhatTheReferenceSays() {
        const FwAnswer answer = runFw({u"verify"_s, model(), u"--rules"_s, book(), agreed(),
                                       u"--output"_s, m_folder.filePath(u"out"_s)},
                                      120);
        QVERIFY2(answer.exitCode == 0 && answer.out.contains("toylib.conv_bias_relu"),
                 answer.out.constData());
        use(bad(u"zeros"_s));
        const FwAnswer wrong = runFw({u"verify"_s, model(), u"--rules"_s, book(), agreed(),
                                      u"--output"_s, m_folder.filePath(u"out"_s)},
                                     120);
        QVERIFY2(wrong.exitCode == 1 && wrong.out.contains("toylib.conv_bias_relu"),
                 wrong.out.constData());
    }

    // Nobody wrote the name: the file is not opened, and the plan says what to write.
    void isNotLoadedUnlessItIsNamed() {
        use(bad(u"opening"_s));
        for (const QString& target : {QString(), u"-libs="_s}) {
            const FwAnswer answer = fw(u"fuse"_s, target);
            QVERIFY2(answer.exitCode == 0 && answer.error.isEmpty(), answer.error.constData());
            QVERIFY2(answer.out.contains("LIB19") && answer.out.contains("-libs=toylib"),
                     answer.out.constData());
            QCOMPARE(answer.out.count("LIB19"), qsizetype(1));
        }
        use(sample);
        const FwAnswer doctor = runFw({u"doctor"_s, u"--rules"_s, book()}, 60);
        QVERIFY2(doctor.exitCode == 0 && doctor.out.contains("toylib") &&
                     doctor.out.contains("not loaded"),
                 doctor.out.constData());
        const FwAnswer named =
            runFw({u"doctor"_s, u"--rules"_s, book(), u"--target"_s, agreed()}, 60);
        QVERIFY2(named.exitCode == 0 && named.out.contains("toylib 1.0 conv_bias_relu: ready"),
                 named.out.constData());
    }

    // What a document says is nobody's word.
    void aDocumentDoesNotAgree() {
        QFile document(m_folder.filePath(u"work.fwdoc"_s));
        QVERIFY(document.open(QIODevice::WriteOnly));
        document.write(R"({"fusewright_document": 1, "model": "blocks.fw", "target": "x86-64",
                           "libraries": ["toylib"], "pins": [], "dims": {}, "log": "",
                           "books": [{"path": "toylib.fw", "enabled": true}]})");
        document.close();
        const FwAnswer answer = runFw({u"fuse"_s, document.fileName()}, 60);
        QCOMPARE(answer.exitCode, 3);
        QVERIFY2(answer.error.contains("LIB06") && answer.error.contains("libtoylib.so") &&
                     answer.error.contains("-libs=toylib"),
                 answer.error.constData());
    }

    void isFoundBesideTheBook() {
        qunsetenv("FUSEWRIGHT_TOYLIB");
        const FwAnswer missing = fw(u"fuse"_s, agreed());
        QCOMPARE(missing.exitCode, 3);
        QVERIFY2(missing.error.contains("LIB03") && missing.error.contains("toylib.fw:2:1") &&
                     missing.error.contains("there is no file " +
                                            m_folder.filePath(u"libtoylib.so"_s).toUtf8()),
                 missing.error.constData());
        QVERIFY(QFile::copy(sample, m_folder.filePath(u"libtoylib.so"_s)));
        const FwAnswer found = fw(u"fuse"_s, agreed());
        QVERIFY2(found.exitCode == 0 && found.out.contains("toylib.conv_bias_relu"),
                 found.error.constData());
        QVERIFY(QFile::remove(m_folder.filePath(u"libtoylib.so"_s)));
    }

    void wrongLibraries_data() {
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* name, int exitCode, const char* code, const char* words) {
            QTest::newRow(name) << exitCode << QByteArray(code) << QByteArray(words);
        };
        row("abi", 3, "LIB03", "compiled for version 99 of fusewright_library.h");
        row("symbol", 3, "LIB03", "it has no function fusewright_library");
        row("null", 3, "LIB03", "returned no descriptor");
        row("name", 3, "LIB03", "it calls itself otherlib, not toylib");
        row("opening", 3, "LIB03", "switched off by FUSEWRIGHT_TOYLIB");
        row("kernel", 0, "LIB11", "toylib has no kernel conv_bias_relu, it has something_else");
        row("check_number", 0, "LIB20", "check of toylib.conv_bias_relu answered 7");
        row("check_silent", 0, "LIB20", "refused without a reason");
        row("check_words", 0, "LIB12", "????");
        row("check_dies", 0, "PIN04", "it ended the worker process");
    }

    void wrongLibraries() {
        QFETCH(int, exitCode);
        QFETCH(QByteArray, code);
        QFETCH(QByteArray, words);
        use(bad(QString::fromLatin1(QTest::currentDataTag())));
        const FwAnswer answer = fw(u"fuse"_s, agreed());
        QVERIFY2(answer.exitCode == exitCode, answer.error.constData());
        const QByteArray all = answer.out + answer.error;
        QVERIFY2(all.contains(code) && all.contains(words), all.constData());
        QVERIFY(QString::fromUtf8(all).toUtf8() == all);
    }

    void noLibraryAtAll() {
        use(book());
        const FwAnswer answer = fw(u"fuse"_s, agreed());
        QCOMPARE(answer.exitCode, 3);
        QVERIFY2(answer.error.contains("LIB03"), answer.error.constData());
    }

    void runsThatFail_data() {
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("run_fails") << QByteArray("toylib.conv_bias_relu failed with 5: the device "
                                                 "is gone");
        QTest::newRow("sizes") << QByteArray("at these sizes: toylib: only batches of 1");
        QTest::newRow("workspace") << QByteArray("wants -8 bytes of working memory");
    }

    void runsThatFail() {
        QFETCH(QByteArray, words);
        use(bad(QString::fromLatin1(QTest::currentDataTag())));
        const FwAnswer answer = runFw({u"run"_s, model(), u"--rules"_s, book(), agreed(),
                                       u"--input"_s, u"x="_s + batchOfTwo()},
                                      60);
        QCOMPARE(answer.exitCode, 4);
        QVERIFY2(answer.error.contains("LIB04") && answer.error.contains(words),
                 answer.error.constData());
    }

    // It takes the worker, not the command: code of ours computes the group.
    void dyingInItsRun() {
        use(bad(u"run_dies"_s));
        const FwAnswer answer =
            runFw({u"run"_s, model(), u"--rules"_s, book(), agreed(), u"--dim"_s, u"N=2"_s}, 60);
        QVERIFY2(answer.exitCode == 0, answer.error.constData());
        QVERIFY2(answer.error.contains("warning INT02") &&
                     answer.error.contains("calling toylib") &&
                     answer.error.contains("toylib is not used"),
                 answer.error.constData());
    }

    void pinsGoFirst() {
        QFile pins(m_folder.filePath(u"pins.fw"_s));
        QVERIFY(pins.open(QIODevice::WriteOnly));
        pins.write("pin { avoid toylib for c1 because \"it was slow here\" }\n");
        pins.close();
        const FwAnswer answer = runFw(
            {u"fuse"_s, model(), u"--rules"_s, book(), u"--rules"_s, pins.fileName(), agreed()},
            60);
        QVERIFY2(answer.exitCode == 0 && answer.out.contains("PIN04") &&
                     answer.out.contains("it was slow here"),
                 answer.out.constData());
    }

    void aModuleFindsItBesideItself() {
        const QString folder = m_folder.filePath(u"module"_s);
        const FwAnswer made =
            runFw({u"export"_s, model(), u"-o"_s, folder, u"--rules"_s, book(), agreed()}, 120);
        QVERIFY2(made.exitCode == 0 && made.out.contains("libtoylib.so"), made.error.constData());
        const QString program = folder + u"/example"_s;
        const FwAnswer built = runProgram(u"cc"_s,
                                          {u"-std=c11"_s, folder + u"/example_main.c"_s,
                                           u"-I"_s + folder, u"-L"_s + folder, u"-lblocks"_s,
                                           u"-lm"_s, u"-Wl,-rpath,$ORIGIN"_s, u"-o"_s, program},
                                          60);
        QVERIFY2(built.exitCode == 0, built.error.constData());
        // Code of ours computes what is expected of the same values.
        const QString values = m_folder.filePath(u"values"_s);
        const FwAnswer ours = runFw({u"run"_s, model(), u"-libs="_s, u"--input"_s,
                                     u"x="_s + batchOfTwo(), u"--output"_s, values},
                                    60);
        QVERIFY2(ours.exitCode == 0, ours.error.constData());
        qunsetenv("FUSEWRIGHT_TOYLIB");
        const QStringList two = {batchOfTwo(), u"--expect"_s, values + u"/y.npy"_s};
        const FwAnswer ran = runProgram(program, two, 60);
        QVERIFY2(ran.exitCode == 0, ran.error.constData());

        QVERIFY(QFile::remove(folder + u"/libtoylib.so"_s));
        const FwAnswer missing = runProgram(program, two, 60);
        QVERIFY2(missing.exitCode == 2 &&
                     missing.error.contains("put libtoylib.so beside this module, or let "
                                            "FUSEWRIGHT_TOYLIB name it"),
                 missing.error.constData());
        use(sample);
        const FwAnswer named = runProgram(program, two, 60);
        QVERIFY2(named.exitCode == 0, named.error.constData());
    }

    void declarationsThatAreWrong_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* name, const char* text, const char* words) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(words);
        };
        row("taken", "library onednn \"libmine.so\"\n", "onednn is the name of shipped code");
        row("absolute", "library mine \"/usr/lib/libmine.so\"\n", "is no relative path of a file");
        row("point", "library mine.conv \"libmine.so\"\n", "mine.conv has a point");
        row("no_kernel", "library mine \"libmine.so\"\ncomposite c for mine { match relu(x) }\n",
            "c does not say which kernel of mine computes it");
        row("unknown", "composite c for mine.relu { match relu(x) }\n",
            "there is no library mine.relu");
        row("of_a_target", "library mine \"libmine.so\"\ntarget chip on x86-64 { libs = [mine] }\n",
            "a library of a book is loaded where the user names it only: -libs=mine");
    }

    void declarationsThatAreWrong() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, words);
        QFile wrong(m_folder.filePath(u"wrong.fw"_s));
        QVERIFY(wrong.open(QIODevice::WriteOnly));
        wrong.write(text);
        wrong.close();
        const FwAnswer answer = runFw({u"check"_s, wrong.fileName()}, 60);
        QCOMPARE(answer.exitCode, 2);
        QVERIFY2(answer.out.contains(words), answer.out.constData());
    }

private:
    static void use(const QString& file) { qputenv("FUSEWRIGHT_TOYLIB", file.toUtf8()); }
    static QString agreed() { return u"-libs=toylib"_s; }
    QString model() const { return m_folder.filePath(u"blocks.fw"_s); }
    // An input whose batch no plan knew.
    QString batchOfTwo() const {
        QFile file(m_folder.filePath(u"two.npy"_s));
        if (!file.open(QIODevice::WriteOnly))
            return {};
        QByteArray header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4, 12, 12), }");
        QByteArray values;
        for (int i = 0; i < 2 * 4 * 12 * 12; ++i) {
            const float value = static_cast<float>(i % 7) / 7 - 0.4F;
            values.append(reinterpret_cast<const char*>(&value), sizeof value);
        }
        header = header.leftJustified(117, ' ') + '\n';
        file.write(QByteArray("\x93NUMPY\x01\x00\x76\x00", 10) + header + values);
        return file.fileName();
    }
    QString book() const { return m_folder.filePath(u"toylib.fw"_s); }
    FwAnswer fw(const QString& command, const QString& target) const {
        QStringList arguments = {command, model(), u"--rules"_s, book()};
        if (!target.isEmpty())
            arguments << target;
        return runFw(arguments, 60);
    }

    QTemporaryDir m_folder;
};

FW_TEST(TestUserLibrary, QCoreApplication)
#include "test_user_library.moc"
