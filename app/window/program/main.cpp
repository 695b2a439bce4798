// The workbench. Everything it does is in app/window; the compiler lives in the worker process.
#include "app/window/app_icon.h"
#include "app/window/batch.h"
#include "app/window/main_window.h"
#include "app/window/one_window.h"
#include "app/window/start_steps.h"
#include "base/leftovers.h"

#include <QApplication>

#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstring>

int main(int count, char** arguments) {
    using namespace Qt::StringLiterals;
    // Help, version and wrong usage are answered without a display.
    const bool help =
        count > 1 && (!std::strcmp(arguments[1], "--help") || !std::strcmp(arguments[1], "-h"));
    const bool version = count > 1 && !std::strcmp(arguments[1], "--version");
    if (help || version) {
        const QCoreApplication bare(count, arguments);
        std::fputs(qPrintable(help ? fw::ui::usageText() : u"fusewright " FW_VERSION "\n"_s),
                   stdout);
        return 0;
    }
    std::signal(SIGPIPE, SIG_IGN); // a worker may die while it is written to
    fw::sweepAtSignals();
    std::signal(SIGXFSZ, SIG_IGN); // a file that grows too large is an error of the write
    QApplication application(count, arguments);
    std::setlocale(LC_NUMERIC, "C"); // QApplication takes the user's; numbers in text are ours
    QApplication::setApplicationName(u"Fusewright"_s);
    QApplication::setApplicationVersion(QStringLiteral(FW_VERSION));
    QApplication::setDesktopFileName(u"fusewright"_s);
    QApplication::setWindowIcon(fw::ui::appIcon());

    auto options = fw::ui::readStartOptions(QApplication::arguments());
    if (!options) {
        std::fputs(("fusewright: " + options.diag().text() + "\n").c_str(), stderr);
        return fw::exitCode(options.diag().code);
    }
    if (!options->batch() && !options->newWindow && fw::ui::OneWindow::raise(options->model))
        return 0;
    fw::ui::MainWindow window(fw::ui::WorkerClient::defaultProgram(),
                              options->batch() ? fw::ui::Memory::Forget : fw::ui::Memory::Remember);
    if (options->theme)
        window.applyTheme(*options->theme);
    if (!options->target.isEmpty())
        window.setTargetText(options->target);
    if (options->batch())
        return fw::ui::runBatch(window, *options);
    const fw::ui::OneWindow one(window);
    window.show();
    fw::ui::StartSteps steps(window, *options);
    QObject::connect(&steps, &fw::ui::StartSteps::ended, &window, [&](const fw::Status& how) {
        if (!how && window.document().isOpen())
            window.tell(how.diag());
    });
    steps.start();
    return QApplication::exec();
}
