// What people are asked in dialogs, and who answers instead of them: tests.
#pragma once

#include <QString>

#include <functional>

namespace fw::ui {

// What to do with changes that would be lost.
enum class Unsaved { Save, Discard, Cancel };

struct Answers {
    std::function<Unsaved()> unsaved; // empty: a dialog
    std::function<QString(const QString& suggested)> saveName;
    std::function<bool(const QString& question)> load;      // a library that a book declares
    std::function<bool(const QString& question)> overwrite; // what another program wrote
};

} // namespace fw::ui
