#include "snapshot/history.h"

namespace fw::snapshot {

History::History(Inputs start) : m_now(start), m_saved(std::move(start)) {}

bool History::edit(const Edit& edit) {
    Inputs next = applied(m_now, edit);
    if (next == m_now)
        return false;
    m_before.push_back({std::exchange(m_now, std::move(next)), editText(edit)});
    if (m_before.size() > limit)
        m_before.erase(m_before.begin());
    m_after.clear();
    return true;
}

bool History::undo() {
    if (m_before.empty())
        return false;
    Step step = std::move(m_before.back());
    m_before.pop_back();
    m_after.push_back({std::exchange(m_now, std::move(step.inputs)), std::move(step.text)});
    return true;
}

bool History::redo() {
    if (m_after.empty())
        return false;
    Step step = std::move(m_after.back());
    m_after.pop_back();
    m_before.push_back({std::exchange(m_now, std::move(step.inputs)), std::move(step.text)});
    return true;
}

} // namespace fw::snapshot
