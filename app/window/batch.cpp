#include "app/window/batch.h"

#include "app/window/picture_file.h"
#include "app/window/start_steps.h"
#include "views/graph/graphs_view.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QEventLoop>
#include <QPixmap>

#include <cstdio>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

void addOptions(QCommandLineParser& parser) {
    parser.setApplicationDescription(u"The workbench of Fusewright."_s);
    parser.addPositionalArgument(u"MODEL"_s, u"model to open"_s, u"[MODEL]"_s);
    parser.addOptions({
        {u"target"_s, u"target, e.g. \"x86-64 -mcpu=x86-64-v3 -threads=1\""_s, u"target"_s},
        {u"theme"_s, u"light or dark"_s, u"theme"_s},
        {u"profile"_s, u"compile and profile at once"_s},
        {u"select"_s, u"select a node or group, or two nodes: a,b"_s, u"name"_s},
        {u"then"_s, u"plan again with these libraries, after the rest: \"-libs=onednn\""_s,
         u"libraries"_s},
        {u"edit"_s, u"open this rule book as text and let it take part in the plan"_s,
         u"book.fw"_s},
        {u"new-window"_s, u"even if a window has the document open"_s},
        {u"heat"_s, u"colour the boxes by time, needs --profile"_s},
        {u"show"_s, u"show a stage: loops, llvm, asm, ..."_s, u"stage"_s},
        {u"screenshot"_s, u"write a picture of the window and end"_s, u"file.png"_s},
        {u"size"_s, u"size of the screenshot"_s, u"WxH"_s},
        {u"export"_s, u"write the picture of the graph and end"_s, u"file.{svg,pdf,png}"_s},
        {u"stage"_s, u"which graph --export writes: imported or fused"_s, u"stage"_s},
        {{u"h"_s, u"help"_s}, u"this text"_s},
        {u"version"_s, u"the version"_s},
    });
}

void waitUntilIdle(MainWindow& window) {
    QEventLoop loop;
    QObject::connect(&window, &MainWindow::idleChanged, &loop, [&] {
        if (window.idle())
            loop.quit();
    });
    QApplication::processEvents();
    if (!window.idle())
        loop.exec();
}

void complain(const Diag& diag) {
    std::fputs(("fusewright: " + diag.text() + "\n").c_str(), stderr);
}

} // namespace

QString usageText() {
    QCommandLineParser parser;
    addOptions(parser);
    return parser.helpText();
}

Result<StartOptions> readStartOptions(const QStringList& arguments) {
    QCommandLineParser parser;
    addOptions(parser);
    const auto wrong = [](const QString& what) {
        return makeDiag(DiagCode::Usage, what.toStdString(), {}, "see fusewright --help");
    };
    if (!parser.parse(arguments))
        return wrong(parser.errorText());
    StartOptions out;
    const QStringList files = parser.positionalArguments();
    if (files.size() > 1)
        return wrong(u"more than one model"_s);
    out.model = files.value(0);
    out.target = parser.value(u"target"_s);
    out.select = parser.value(u"select"_s);
    out.then = parser.value(u"then"_s);
    out.edit = parser.value(u"edit"_s);
    bool isLine = false;
    const int line = out.edit.section(u':', -1).toInt(&isLine);
    if (isLine && out.edit.contains(u':')) {
        out.editLine = line;
        out.edit = out.edit.section(u':', 0, -2);
    }
    out.newWindow = parser.isSet(u"new-window"_s);
    out.heat = parser.isSet(u"heat"_s);
    out.stage = parser.value(u"show"_s);
    out.screenshot = parser.value(u"screenshot"_s);
    out.exportFile = parser.value(u"export"_s);
    out.profile = parser.isSet(u"profile"_s);
    if (parser.isSet(u"size"_s)) {
        const QStringList parts = parser.value(u"size"_s).split(u'x');
        bool okWidth = false;
        bool okHeight = false;
        out.size = {parts.value(0).toInt(&okWidth), parts.value(1).toInt(&okHeight)};
        if (parts.size() != 2 || !okWidth || !okHeight || out.size.width() < 200 ||
            out.size.height() < 200 || out.size.width() > 10000 || out.size.height() > 10000)
            return wrong(u"--size wants WxH, e.g. 1680x1024"_s);
    }
    if (parser.isSet(u"theme"_s)) {
        const QString theme = parser.value(u"theme"_s);
        if (theme != u"light"_s && theme != u"dark"_s)
            return wrong(u"--theme wants light or dark"_s);
        out.theme = theme == u"dark"_s ? ThemeChoice::Dark : ThemeChoice::Light;
    }
    if (parser.isSet(u"stage"_s)) {
        const QString stage = parser.value(u"stage"_s);
        if (stage != u"imported"_s && stage != u"fused"_s)
            return wrong(u"--stage wants imported or fused"_s);
        out.side = stage == u"imported"_s ? GraphSide::Imported : GraphSide::Fused;
    }
    if (out.batch() && out.model.isEmpty())
        return wrong(u"no model to show"_s);
    return out;
}

int runBatch(MainWindow& window, const StartOptions& options) {
    window.resize(options.size);
    window.show();
    StartSteps steps(window, options);
    Status how;
    QEventLoop loop;
    QObject::connect(&steps, &StartSteps::ended, &loop, [&](const Status& ended) {
        how = ended;
        loop.quit();
    });
    QMetaObject::invokeMethod(&steps, &StartSteps::start, Qt::QueuedConnection);
    loop.exec();
    if (!how) {
        complain(how.diag());
        return exitCode(how.diag().code);
    }
    if (!options.exportFile.isEmpty()) {
        const Status saved =
            writePicture(window.view<GraphsView>()->pane(options.side)->canvas()->picture(),
                         options.exportFile, Theme::instance().kind());
        if (!saved) {
            complain(saved.diag());
            return exitCode(saved.diag().code);
        }
    }
    if (!options.screenshot.isEmpty()) {
        waitUntilIdle(window);
        QApplication::processEvents();
        if (const Status saved = writePixmap(window.grab(), options.screenshot); !saved) {
            complain(saved.diag());
            return exitCode(saved.diag().code);
        }
    }
    return 0;
}

} // namespace fw::ui
