// The tests that look at texts again, with other fonts than this machine's: under a configuration
// of fontconfig that knows one folder, in which lie only the families of a row.
#include "common/test.h"

#include <QDirIterator>
#include <QFile>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace Qt::StringLiterals;

class TestFonts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void testsPassWith_data();
    void testsPassWith();

private:
    QProcessEnvironment configured(const QString& folder, const QStringList& fonts,
                                   const QStringList& aliases);

    QTemporaryDir m_folder;
};

namespace {

const char* const g_families = "--families";

// Files of these beginnings, wherever fonts are installed.
QStringList fontsOf(const QStringList& beginnings) {
    QStringList out;
    for (const QString& folder : QStandardPaths::standardLocations(QStandardPaths::FontsLocation)) {
        QDirIterator files(folder, {u"*.ttf"_s, u"*.otf"_s}, QDir::Files,
                           QDirIterator::Subdirectories | QDirIterator::FollowSymlinks);
        while (files.hasNext()) {
            const QString file = files.next();
            for (const QString& beginning : beginnings)
                if (files.fileName().startsWith(beginning))
                    out << file;
        }
    }
    return out;
}

struct Ended {
    bool well = false;
    QByteArray said; // to standard output
};

Ended ran(const QString& program, const QStringList& arguments,
          const QProcessEnvironment& environment) {
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    const bool ended = process.waitForFinished(240000);
    return {ended && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0,
            process.readAllStandardOutput()};
}

} // namespace

QProcessEnvironment TestFonts::configured(const QString& folder, const QStringList& fonts,
                                          const QStringList& aliases) {
    QProcessEnvironment out = QProcessEnvironment::systemEnvironment();
    QDir dir(m_folder.path());
    if (!dir.mkpath(folder + u"/fonts"_s) || !dir.cd(folder))
        return {};
    for (const QString& font : fonts)
        QFile::link(font, dir.filePath(u"fonts/"_s + QFileInfo(font).fileName()));
    QString text = u"<?xml version=\"1.0\"?>\n<!DOCTYPE fontconfig SYSTEM \"fonts.dtd\">\n"
                   "<fontconfig>\n<dir>%1</dir>\n<cachedir>%2</cachedir>\n"_s.arg(
                       dir.filePath(u"fonts"_s), dir.filePath(u"cache"_s));
    for (const QString& alias : aliases)
        text += u"<alias binding=\"strong\"><family>%1</family><prefer><family>%2</family></prefer>"
                "</alias>\n"_s.arg(alias.section(u'=', 0, 0), alias.section(u'=', 1));
    QFile file(dir.filePath(u"fonts.conf"_s));
    if (!file.open(QIODevice::WriteOnly))
        return {};
    file.write(text.toUtf8() + "</fontconfig>\n");
    out.insert(u"FONTCONFIG_FILE"_s, file.fileName());
    out.insert(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
    return out;
}

void TestFonts::testsPassWith_data() {
    QTest::addColumn<QStringList>("files");   // how their names begin
    QTest::addColumn<QString>("missing");     // what to say where one of them is not there
    QTest::addColumn<QStringList>("aliases"); // of the configuration
    const QStringList dejavu{u"DejaVuSans"_s, u"DejaVuSansMono"_s, u"DejaVuSerif"_s};
    const QStringList noto{u"NotoSans-"_s, u"NotoSansMono-"_s, u"NotoSerif-"_s};
    const QStringList liberation{u"LiberationSans-"_s, u"LiberationMono-"_s, u"LiberationSerif-"_s};
    const QString noDejavu = u"DejaVu is not installed (package fonts-dejavu-core)"_s;
    const QString noNoto = u"Noto is not installed (packages fonts-noto-core, fonts-noto-mono)"_s;
    const QStringList notoFirst{u"sans-serif=Noto Sans"_s, u"monospace=Noto Sans Mono"_s};
    QTest::newRow("DejaVu") << dejavu << noDejavu
                            << QStringList{u"sans-serif=DejaVu Sans"_s,
                                           u"monospace=DejaVu Sans Mono"_s};
    QTest::newRow("Noto") << noto << noNoto << notoFirst;
    QTest::newRow("DejaVu and Noto")
        << dejavu + noto << noDejavu + u", or "_s + noNoto << notoFirst;
    QTest::newRow("Liberation") << liberation
                                << u"Liberation is not installed (package fonts-liberation)"_s
                                << QStringList{u"sans-serif=Liberation Sans"_s,
                                               u"monospace=Liberation Mono"_s};
    // What is called monospace is not.
    QTest::newRow("letters of different widths as monospace")
        << dejavu << noDejavu << QStringList{u"monospace=DejaVu Sans"_s};
    QTest::newRow("no family is called monospace") << dejavu << noDejavu << QStringList();
}

void TestFonts::testsPassWith() {
    QFETCH(QStringList, files);
    QFETCH(QString, missing);
    QFETCH(QStringList, aliases);
    for (const QString& beginning : files)
        if (fontsOf({beginning}).isEmpty())
            QSKIP(qPrintable(missing));
    const QProcessEnvironment environment = configured(
        QString::fromLatin1(QTest::currentDataTag()).remove(u' '), fontsOf(files), aliases);
    QVERIFY(!environment.isEmpty());
    // Nothing else is there.
    const Ended told =
        ran(QCoreApplication::applicationFilePath(), {u"test_fonts"_s, g_families}, environment);
    const QStringList families = QString::fromUtf8(told.said).split(u'\n', Qt::SkipEmptyParts);
    QVERIFY2(told.well && !families.isEmpty(), told.said.constData());
    const QStringList generic{u"Monospace"_s, u"Sans Serif"_s, u"Serif"_s}; // stand for others
    for (const QString& family : families)
        QVERIFY2(generic.contains(family) ||
                     std::any_of(files.begin(), files.end(),
                                 [&](const QString& beginning) {
                                     return family.startsWith(beginning.first(4));
                                 }),
                 qPrintable(family));
    for (const QStringList& test :
         {QStringList{u"editor_tests"_s, u"test_book_editor"_s},
          QStringList{u"window_tests"_s, u"test_reading"_s, u"fontOfTheDesktop"_s,
                      u"graphsGrowWithTheFont"_s, u"opTimesFitBesideTheGraphs"_s,
                      u"namesInTheOutline"_s},
          QStringList{u"window_tests"_s, u"test_state_matrix"_s,
                      u"nothingIsClippedOrNameless:light 20 px 1280"_s}}) {
        const Ended ended =
            ran(QStringLiteral(FW_BINARY_DIR "/tests/") + test.front(), test.mid(1), environment);
        QVERIFY2(ended.well, ended.said.constData());
        QVERIFY2(!ended.said.contains("SKIP"), ended.said.constData());
    }
}

// Started with --families the program tells which it sees.
FW_TEST_BY([](int count, char** words) {
    if (count != 2 || std::strcmp(words[1], g_families) != 0)
        return fw::test::runAs<TestFonts, QCoreApplication>(count, words);
    const QGuiApplication application(count, words);
    for (const QString& family : QFontDatabase::families())
        std::puts(qPrintable(family));
    return 0;
})
#include "test_fonts.moc"
