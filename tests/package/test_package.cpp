// The Debian package of this build: what it holds, what it needs, what lintian says of it, and that
// what it installs runs from any folder. The folders of the sources and of the build are hidden
// from it where the system allows that.
#include "common/test.h"
#include "conformance/fw_process.h"

#include <QTemporaryDir>

using namespace fw::conformance;
using namespace Qt::StringLiterals;

namespace {

const QString root = QStringLiteral(FW_SOURCE_DIR);
const QString documentation = u"usr/share/doc/fusewright/docs/"_s;

QStringList linesOf(const QByteArray& text) {
    return QString::fromUtf8(text).split(u'\n', Qt::SkipEmptyParts);
}

// "-rwxr-xr-x root/root 5 2026-11-28 07:15 ./usr/bin/fw" without what differs from build to build.
QString modeAndPath(const QString& line) {
    static const QRegularExpression row(uR"(^(\S+) root/root +\d+ [\d-]+ [\d:]+ \./(.*)$)"_s);
    const auto match = row.match(line);
    return match.hasMatch() ? match.captured(1) + u' ' + match.captured(2) : line;
}

} // namespace

class TestPackage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void holdsWhatIsListed();
    void saysWhatItNeeds();
    void lintianHasNothingToSay();
    void describesItselfToTheDesktop();
    void runsFromAnyFolder();
    void compilesALibraryOfOnesOwn();
    void drawsTheWindow();

private:
    // A shell to which neither the sources nor the build are there.
    FwAnswer runHidden(const QString& script, int seconds = 120);

    QTemporaryDir m_folder;
    QString m_package;
    QString m_installed; // its files, as they would lie below /
};

void TestPackage::initTestCase() {
    QVERIFY(m_folder.isValid());
    qunsetenv("FUSEWRIGHT_MACHINE"); // a file of the sources
    const FwAnswer made =
        runProgram(u"cpack"_s,
                   {u"--config"_s, u"" FW_BINARY_DIR "/CPackConfig.cmake"_s, u"-B"_s,
                    m_folder.path(), u"-D"_s, u"CPACK_DEBIAN_COMPRESSION_TYPE=gzip"_s},
                   300);
    QVERIFY2(made.exitCode == 0, (made.out + made.error).constData());
    const QStringList packages = QDir(m_folder.path()).entryList({u"*.deb"_s}, QDir::Files);
    QCOMPARE(packages.size(), 1);
    QVERIFY2(packages[0].startsWith(u"fusewright_"_s), qPrintable(packages[0]));
    m_package = m_folder.filePath(packages[0]);
    m_installed = m_folder.filePath(u"installed here"_s);
    const FwAnswer unpacked = runProgram(u"dpkg-deb"_s, {u"-x"_s, m_package, m_installed}, 60);
    QVERIFY2(unpacked.exitCode == 0, unpacked.error.constData());
    if (runHidden(u"test ! -e '" FW_SOURCE_DIR "/README.md'"_s).exitCode != 0)
        qWarning("the sources cannot be hidden here: what is installed may find them");
}

FwAnswer TestPackage::runHidden(const QString& script, int seconds) {
    const QString hide =
        u"mount -t tmpfs none '" FW_SOURCE_DIR "' && "
        "{ test ! -d '" FW_BINARY_DIR "' || mount -t tmpfs none '" FW_BINARY_DIR "'; }"_s;
    const QString run = u"cd '%1' && %2"_s.arg(m_installed, script);
    if (!m_installed.isEmpty()) {
        const FwAnswer hidden = runProgram(u"unshare"_s,
                                           {u"--user"_s, u"--map-root-user"_s, u"--mount"_s,
                                            u"sh"_s, u"-c"_s, hide + u" || exit 99; "_s + run},
                                           seconds);
        if (hidden.exitCode != 99 && hidden.exitCode >= 0 && !hidden.error.startsWith("unshare:"))
            return hidden;
    }
    return runProgram(u"sh"_s, {u"-c"_s, run}, seconds);
}

void TestPackage::holdsWhatIsListed() {
    QFile list(root + u"/tests/package/contents.txt"_s);
    QVERIFY(list.open(QIODevice::ReadOnly));
    QStringList wanted = linesOf(list.readAll());
    wanted.removeFirst(); // says what the file is
    const QString file = u"-rw-r--r-- "_s;
    const QDir pages(root + u"/resources/docs"_s);
    for (const QString& name : pages.entryList(QDir::Files))
        wanted << file + documentation + name;
    for (const QString& folder : pages.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        wanted << u"drwxr-xr-x "_s + documentation + folder + u'/';
        for (const QString& name : QDir(pages.filePath(folder)).entryList(QDir::Files))
            wanted << file + documentation + folder + u'/' + name;
    }

    const FwAnswer listed = runProgram(u"dpkg-deb"_s, {u"-c"_s, m_package}, 60);
    QCOMPARE(listed.exitCode, 0);
    QStringList held;
    for (const QString& line : linesOf(listed.out))
        held << modeAndPath(line);
    const QSet<QString> all(held.begin(), held.end());
    const QSet<QString> expected(wanted.begin(), wanted.end());
    const QStringList missing = (QSet<QString>(expected) - all).values();
    const QStringList more = (QSet<QString>(all) - expected).values();
    QVERIFY2(missing.isEmpty(), qPrintable(u"missing: "_s + missing.join(u", "_s)));
    QVERIFY2(more.isEmpty(), qPrintable(u"not listed: "_s + more.join(u", "_s)));
}

// What the programs are linked with is found by dpkg-shlibdeps; the rest is what they open and
// start.
void TestPackage::saysWhatItNeeds() {
    const auto field = [&](const QString& name) {
        return QString::fromUtf8(runProgram(u"dpkg-deb"_s, {u"-f"_s, m_package, name}, 30).out);
    };
    const QString depends = field(u"Depends"_s);
    for (const char* package : {"libc6", "libstdc++6", "libllvm19", "libonnx1", "libprotobuf32",
                                "libz3-4", "libqt6widgets6"})
        QVERIFY2(depends.contains(QLatin1StringView(package)), qPrintable(depends));
    const QString recommends = field(u"Recommends"_s);
    for (const char* package : {"gcc", "libc6-dev", "libdnnl2", "libopenblas0-openmp", "graphviz"})
        QVERIFY2(recommends.contains(QLatin1StringView(package)), qPrintable(recommends));
    QVERIFY(!depends.contains(u"-dev"_s));
}

void TestPackage::lintianHasNothingToSay() {
    if (QStandardPaths::findExecutable(u"lintian"_s).isEmpty()) {
        QVERIFY(!qEnvironmentVariableIsSet("FW_ALL_BUILT"));
        QSKIP("lintian is not installed");
    }
    const FwAnswer said =
        runProgram(u"lintian"_s, {u"--fail-on"_s, u"error,warning"_s, m_package}, 120);
    QVERIFY2(said.exitCode == 0 && said.out.isEmpty(), (said.out + said.error).constData());
}

void TestPackage::describesItselfToTheDesktop() {
    const QString share = m_installed + u"/usr/share/"_s;
    for (const auto& [program, arguments] : std::initializer_list<std::pair<QString, QStringList>>{
             {u"desktop-file-validate"_s, {share + u"applications/fusewright.desktop"_s}},
             {u"appstreamcli"_s,
              {u"validate"_s, u"--no-net"_s, share + u"metainfo/fusewright.metainfo.xml"_s}}}) {
        if (QStandardPaths::findExecutable(program).isEmpty()) {
            QVERIFY(!qEnvironmentVariableIsSet("FW_ALL_BUILT"));
            QSKIP(qPrintable(program + u" is not installed"_s));
        }
        const FwAnswer said = runProgram(program, arguments, 60);
        QVERIFY2(said.exitCode == 0, (said.out + said.error).constData());
    }
}

// Reads its own books, runs a shipped sample and exports a module, which its header describes.
void TestPackage::runsFromAnyFolder() {
    for (const QString& script :
         {u"usr/bin/fw book fusion.fw"_s, u"usr/bin/fw run usr/share/fusewright/samples/residual"_s,
          u"usr/bin/fw export usr/share/fusewright/samples/lenet -o ../lenet && "
          "cmake -S ../lenet -B ../built && cmake --build ../built && ../built/example"_s}) {
        const FwAnswer answer = runHidden(script);
        QVERIFY2(answer.exitCode == 0,
                 (script.toUtf8() + '\n' + answer.out + answer.error).constData());
    }
}

void TestPackage::compilesALibraryOfOnesOwn() {
    const FwAnswer answer = runHidden(
        u"cp -r usr/share/doc/fusewright/examples/toylib .. && "
        "cc -std=c99 -O2 -shared -fPIC -fvisibility=hidden -I usr/include ../toylib/toylib.c "
        "-o ../toylib/libtoylib.so && usr/bin/fw check ../toylib/toylib.fw"_s);
    QVERIFY2(answer.exitCode == 0, (answer.out + answer.error).constData());
}

// With the worker beside it.
void TestPackage::drawsTheWindow() {
    const FwAnswer answer = runHidden(u"usr/bin/fusewright usr/share/fusewright/samples/residual "
                                      "--screenshot ../window.png --size 1200x800"_s);
    QVERIFY2(answer.exitCode == 0, (answer.out + answer.error).constData());
    QVERIFY(QFileInfo(m_folder.filePath(u"window.png"_s)).size() > 40000);
}

FW_TEST(TestPackage, QCoreApplication)
#include "test_package.moc"
