// The dependency line of the architecture, enforced: who includes whom, who links whom, where Qt
// and LLVM may appear, and what the window's binary drags in.
#include "common/test.h"
#include "source_tree.h"

#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>

using namespace fw::policy;
using namespace Qt::StringLiterals;

namespace {

const QStringList sources{u".h"_s, u".cpp"_s, u".c"_s};

bool isQt(const QString& header) {
    static const QRegularExpression form(u"^Q[A-Za-z]|^q[a-z]+\\.h$|^Qt"_s);
    return form.match(header).hasMatch();
}

bool isLlvm(const QString& header) {
    return header.startsWith(u"llvm/"_s) || header.startsWith(u"llvm-c/"_s);
}

// A header and its source are one: NAME of NAME.h and NAME.cpp. By each the others of its folder
// that either of them includes.
QMap<QString, QSet<QString>> unitsOf(const QString& folder) {
    static const QRegularExpression suffix(u"\\.\\w+$"_s);
    QMap<QString, QSet<QString>> out;
    for (const QString& file : projectFiles(u"core/"_s + folder, sources)) {
        const QString unit = QString(file).remove(suffix);
        for (const Include& include : includesOf(file)) {
            const QString other = u"core/"_s + QString(include.path).remove(suffix);
            if (!include.angled && other != unit)
                out[unit] << other;
        }
    }
    return out;
}

// A way from the unit back to itself; empty if there is none.
QStringList circleFrom(const QString& unit, const QMap<QString, QSet<QString>>& units) {
    QMap<QString, QString> from;
    QStringList open{unit};
    while (!open.isEmpty()) {
        const QString at = open.takeFirst();
        for (const QString& next : units.value(at)) {
            if (next == unit) {
                QStringList way{at};
                while (way.first() != unit)
                    way.prepend(from.value(way.first()));
                return way << unit;
            }
            if (units.contains(next) && !from.contains(next)) {
                from[next] = at;
                open << next;
            }
        }
    }
    return {};
}

} // namespace

class TestLayers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tableIsUnderstood();
    void includesRespectTheFolders();
    void filesOfAFolderAreReadFromTheBottomUp();
    void linksRespectTheFolders();
    void coreHasNoQt();
    void onlyExpressionsAndMachinesTellOperationsApart();
    void declarationsAreToldApartInOnePlace();
    void llvmStaysInCodegen();
    void runtimeStandsAlone();
    void nothingReachesTheNetwork();
    void windowKnowsViewsByTheirRows();
    void windowLinksNoCompiler();

private:
    Folders m_folders;
};

void TestLayers::tableIsUnderstood() {
    QVERIFY(m_folders.mayKnow(u"session"_s, u"base"_s));
    QVERIFY(m_folders.mayKnow(u"views/graph"_s, u"views/common"_s));
    QVERIFY(m_folders.mayKnow(u"app/window"_s, u"views/graph"_s));
    QVERIFY(!m_folders.mayKnow(u"base"_s, u"session"_s));
    QVERIFY(!m_folders.mayKnow(u"views/graph"_s, u"views/explain"_s));
    QVERIFY(!m_folders.mayKnow(u"picture"_s, u"module"_s));
    QVERIFY(!m_folders.mayKnow(u"views/graph"_s, u"fusion"_s));
    QVERIFY(!m_folders.mayKnow(u"runtime"_s, u"base"_s));
}

void TestLayers::includesRespectTheFolders() {
    QStringList wrong;
    for (const QString& top : {u"core"_s, u"views"_s, u"app"_s}) {
        for (const QString& file : projectFiles(top, sources)) {
            const QString folder = m_folders.folderOf(file);
            if (!m_folders.known(folder)) {
                wrong << file + u": its folder has no line in folders.txt"_s;
                continue;
            }
            for (const Include& include : includesOf(file)) {
                if (include.angled)
                    continue;
                const QString other = m_folders.folderOfInclude(file, include.path);
                if (!m_folders.mayKnow(folder, other))
                    wrong << u"%1:%2: %3 may not include %4"_s.arg(file)
                                 .arg(include.line)
                                 .arg(folder, include.path);
            }
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

// Who reads a folder reads no file before those that it stands on. Folders that are not so yet are
// listed; one that has become so is struck off.
void TestLayers::filesOfAFolderAreReadFromTheBottomUp() {
    QSet<QString> unsorted{u"base"_s,     u"ir"_s,      u"syntax"_s, u"pattern"_s, u"rewrite"_s,
                           u"schedule"_s, u"target"_s,  u"book"_s,   u"onnx"_s,    u"sketch"_s,
                           u"snapshot"_s, u"session"_s, u"module"_s, u"codegen"_s, u"picture"_s};
    QStringList folders = QDir(QStringLiteral(FW_SOURCE_DIR) + u"/core"_s)
                              .entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    QVERIFY(folders.size() > 20);
    QStringList wrong;
    for (const QString& folder : folders) {
        const QMap<QString, QSet<QString>> units = unitsOf(folder);
        QStringList circle;
        for (auto unit = units.cbegin(); unit != units.cend() && circle.isEmpty(); ++unit)
            circle = circleFrom(unit.key(), units);
        if (circle.isEmpty() && unsorted.contains(folder))
            wrong << folder + u": there is no circle any more, so it is struck off the list"_s;
        if (!circle.isEmpty() && !unsorted.contains(folder))
            wrong << folder + u": files include each other: "_s + circle.join(u" -> "_s);
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestLayers::linksRespectTheFolders() {
    static const QRegularExpression call(u"fw_folder\\(([^)]*)\\)"_s);
    QStringList wrong;
    for (const QString& top : {u"core"_s, u"views"_s, u"app"_s}) {
        for (const QString& file : projectFiles(top, {u"/CMakeLists.txt"_s})) {
            const auto match = call.match(readText(file));
            if (!match.hasMatch())
                continue;
            QStringList words =
                match.captured(1).split(QRegularExpression(u"\\s+"_s), Qt::SkipEmptyParts);
            const QString folder = words.takeFirst();
            if (folder != m_folders.folderOf(file))
                wrong << file + u": fw_folder names "_s + folder;
            QString part;
            for (const QString& word : words) {
                if (word == u"USES"_s || word == u"LIBRARIES"_s || word == u"QT"_s)
                    part = word;
                else if (part == u"USES"_s && !m_folders.mayKnow(folder, word))
                    wrong << u"%1: %2 may not use %3"_s.arg(file, folder, word);
            }
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestLayers::coreHasNoQt() {
    QStringList wrong;
    QStringList files = projectFiles(u"core"_s, sources);
    for (const QString& folder : {u"app/rpc"_s, u"app/lsp"_s, u"app/mcp"_s, u"app/cli"_s})
        files << projectFiles(folder, sources);
    for (const QString& file : files)
        for (const Include& include : includesOf(file))
            if (isQt(include.path))
                wrong << u"%1:%2: %3"_s.arg(file).arg(include.line).arg(include.path);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

// Whoever asks what an operation means is a domain of expr/evaluate.h; facts are rows of
// functions.def.
void TestLayers::onlyExpressionsAndMachinesTellOperationsApart() {
    static const QRegularExpression form(u"case (ExprOp|MathFn)::"_s);
    QStringList wrong;
    for (const QString& top : {u"core"_s, u"views"_s, u"app"_s})
        for (const QString& file : projectFiles(top, sources))
            if (!file.startsWith(u"core/expr/"_s) && !file.startsWith(u"core/codegen/"_s) &&
                readText(file).contains(form))
                wrong << file;
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

// Who wants declarations of a kind asks for them (syntax/declarations.h); few ask one what it is.
void TestLayers::declarationsAreToldApartInOnePlace() {
    static const QRegularExpression form(
        u"declarationAs<|dynamic_(pointer_)?cast<(const )?\\w+Tree\\b"_s);
    constexpr qsizetype most = 4;
    QStringList casts;
    for (const QString& top : {u"core"_s, u"views"_s, u"app"_s})
        for (const QString& file : projectFiles(top, sources))
            if (file != u"core/syntax/declarations.h"_s && file != u"core/syntax/parser.h"_s)
                for (auto at = form.globalMatch(readText(file)); at.hasNext();)
                    casts << file + u": "_s + at.next().captured();
    QVERIFY2(casts.size() <= most, qPrintable(casts.join(u'\n')));
    QVERIFY(readText(u"core/syntax/declarations.h"_s).contains(form));
}

void TestLayers::llvmStaysInCodegen() {
    QStringList wrong;
    for (const QString& top : {u"core"_s, u"views"_s, u"app"_s, u"tests"_s}) {
        for (const QString& file : projectFiles(top, sources)) {
            const bool allowed = file.startsWith(u"core/codegen/"_s) && file.endsWith(u".cpp"_s);
            for (const Include& include : includesOf(file))
                if (isLlvm(include.path) && !allowed)
                    wrong << u"%1:%2: %3"_s.arg(file).arg(include.line).arg(include.path);
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

// An exported module carries core/runtime to machines that have nothing of ours.
void TestLayers::runtimeStandsAlone() {
    QStringList wrong;
    QStringList files = projectFiles(u"core/runtime"_s, sources);
    for (const QString& file : projectFiles(u"core/libraries"_s, sources))
        if (file.contains(u"/call/"_s))
            files << file;
    QVERIFY(files.filter(u"core/libraries/"_s).size() > 5);
    for (const QString& file : files)
        for (const Include& include : includesOf(file))
            if (include.path.startsWith(u"fmt/"_s) || include.path.startsWith(u"nlohmann/"_s))
                wrong << u"%1:%2: %3"_s.arg(file).arg(include.line).arg(include.path);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

// The window itself names no view: those who make them do.
// SECURITY.md: nothing is fetched, and nothing is sent. Pairs of sockets connect to children alone,
// and the socket by which a window is raised is a file of the user's.
void TestLayers::nothingReachesTheNetwork() {
    static const QRegularExpression network(
        u"netdb\\.h|netinet/|arpa/inet\\.h|AF_INET|Qt6?::Network|QtNetwork|QNetwork|QTcpSocket|"
        "QUdpSocket|QSslSocket|libcurl|curl/"_s);
    static const QRegularExpression local(u"QtNetwork/QLocal(Server|Socket)\\b"_s);
    const QStringList links = {u"app/window/CMakeLists.txt"_s, u"cmake/Folders.cmake"_s};
    QStringList wrong;
    QStringList suffixes = sources;
    suffixes << u"CMakeLists.txt"_s << u".cmake"_s;
    for (const QString& top : {u"core"_s, u"views"_s, u"app"_s, u"cmake"_s})
        for (const QString& file : projectFiles(top, suffixes))
            if (const auto found = network.match(
                    file == u"app/window/one_window.cpp"_s ? readText(file).remove(local)
                    : links.contains(file) ? readText(file).remove(u"Qt6::Network"_s)
                                           : readText(file));
                found.hasMatch())
                wrong << file + u": "_s + found.captured();
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    QVERIFY(!readText(u"CMakeLists.txt"_s).contains(network));
}

void TestLayers::windowKnowsViewsByTheirRows() {
    const QString rows = readText(u"app/window/view_rows.cpp"_s);
    QSet<QString> views;
    static const QRegularExpression row(u"#include \"([^\"]+_view\\.h)\""_s);
    for (auto all = row.globalMatch(rows); all.hasNext();)
        views << all.next().captured(1);
    QVERIFY(views.size() >= 10);
    QStringList wrong;
    int files = 0;
    for (const QString& file : projectFiles(u"app/window"_s, sources)) {
        static const QRegularExpression ofWindow(
            u"/(main_|view_docks|document_files|document_dialogs|status_line|graph_windows|"
            "node_finder|quick_choices)"_s);
        if (!ofWindow.match(file).hasMatch())
            continue;
        ++files;
        for (const Include& include : includesOf(file))
            if (views.contains(include.path) || (include.path.startsWith(u"views/"_s) &&
                                                 !include.path.startsWith(u"views/common/"_s)))
                wrong << u"%1:%2: %3"_s.arg(file).arg(include.line).arg(include.path);
    }
    QVERIFY(files > 5);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestLayers::windowLinksNoCompiler() {
    const QString binary = qEnvironmentVariable("FW_BIN") + u"/fusewright"_s;
    if (!QFileInfo(QStringLiteral(FW_SOURCE_DIR) + u"/app/window/CMakeLists.txt"_s).exists())
        QSKIP("there is no window in this tree");
    if (!QFileInfo(binary).exists()) {
        QVERIFY2(!qEnvironmentVariableIsSet("FW_ALL_BUILT"), qPrintable(binary + u" is missing"_s));
        QSKIP("the workbench is not built in this configuration");
    }
    QProcess ldd;
    ldd.start(u"ldd"_s, {binary});
    QVERIFY(ldd.waitForFinished());
    QCOMPARE(ldd.exitCode(), 0);
    const QString libraries = QString::fromUtf8(ldd.readAllStandardOutput());
    QVERIFY(libraries.contains(u"libQt6Widgets"_s));
    for (const QString& name :
         {u"libLLVM"_s, u"libdnnl"_s, u"libprotobuf"_s, u"libonnx"_s, u"libopenblas"_s})
        QVERIFY2(!libraries.contains(name), qPrintable(name));
}

FW_TEST(TestLayers, QCoreApplication)
#include "test_layers.moc"
