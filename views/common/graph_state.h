// Which graph is meant: a stage of the document's model, as it is or under other circumstances, or
// a stage of another model.
#pragma once

#include <QString>

#include <cstdint>
#include <optional>
#include <string>

namespace fw::ui {

struct GraphState {
    enum class Stage : std::uint8_t { Imported, Behind, Rewritten, Partitioned, Fused };

    Stage stage = Stage::Imported;
    std::int64_t application = 0;            // of Behind: the one that it stands behind
    std::optional<std::string> target = {};  // instead of the document's
    std::optional<std::string> without = {}; // a book that says nothing: its path, or a shipped one
    std::optional<std::string> model = {};   // path of another one

    auto operator<=>(const GraphState&) const = default;

    // Of the model, target and books of the document.
    bool isOwn() const { return !target && !without && !model; }
    bool is(Stage one) const { return isOwn() && stage == one; }
    // Ids are those of the fused graph.
    bool hasFusedIds() const { return is(Stage::Fused) || is(Stage::Partitioned); }
    std::string stageText() const; // as the worker calls it
    QString text() const;          // "Fused for x86-64 -libs=", "After application 3"
};

// What people call a file: in folders of models it has the same name in each.
QString modelName(const QString& path);

} // namespace fw::ui
