// What `fusewright` does without a user: open, perhaps profile and select, wait until nothing is
// pending, write a screenshot or a picture, and end.
#pragma once

#include "app/window/main_window.h"

#include <QStringList>

#include <optional>

namespace fw::ui {

struct StartOptions {
    QString model;
    QString target;
    QString select;   // a node or group, or several nodes with commas between
    QString edit;     // a rule book
    int editLine = 0; // where the caret goes
    QString then;     // libraries of a second plan: "-libs=onednn"
    QString screenshot;
    QString exportFile;
    QString stage; // loops, llvm, ...: shown in the stages dock
    GraphSide side = GraphSide::Fused;
    QSize size{1680, 1024};
    std::optional<ThemeChoice> theme;
    bool profile = false;
    bool heat = false;
    bool newWindow = false; // even if one has the document open

    bool batch() const { return !screenshot.isEmpty() || !exportFile.isEmpty(); }
};

// A usage error names what was wrong. `--help` and `--version` are answered by the caller.
Result<StartOptions> readStartOptions(const QStringList& arguments);
QString usageText();

// The exit code.
int runBatch(MainWindow& window, const StartOptions& options);

} // namespace fw::ui
