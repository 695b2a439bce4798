// History: the inputs now, those before and those that were undone. A value like all of this
// folder.
//
// An edit that changes nothing is no step. What was undone is forgotten by the next edit.
#pragma once

#include "snapshot/inputs.h"

namespace fw::snapshot {

class History {
public:
    History() = default;
    explicit History(Inputs start); // saved

    const Inputs& now() const { return m_now; }
    bool edit(const Edit& edit); // false: nothing changed
    bool undo();
    bool redo();
    bool canUndo() const { return !m_before.empty(); }
    bool canRedo() const { return !m_after.empty(); }
    std::string undoText() const { return canUndo() ? m_before.back().text : std::string(); }
    std::string redoText() const { return canRedo() ? m_after.back().text : std::string(); }

    // Differs from what was saved or opened last.
    bool changed() const { return !(m_now == m_saved); }
    void markSaved() { m_saved = m_now; }
    void markUnsaved() { m_saved = {}; } // no inputs of a model are these

    static constexpr std::size_t limit = 500;

private:
    struct Step {
        Inputs inputs;
        std::string text; // of the edit between these inputs and the next
    };

    Inputs m_now, m_saved;
    std::vector<Step> m_before; // the latest last
    std::vector<Step> m_after;  // the next last
};

} // namespace fw::snapshot
