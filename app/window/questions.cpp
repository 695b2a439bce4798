#include "app/window/questions.h"

namespace fw::ui {

void Questions::cancel(InFlight& request) {
    if (const std::int64_t id = request.end())
        cancel(id);
}

void Questions::stop() {
    const std::set<std::int64_t> ids = m_inFlight;
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) // the running one last
        cancel(*id);
}

void Questions::changeBusy(int by) {
    m_busy += by;
    if (m_busy == 0 || (by > 0 && m_busy == 1))
        Q_EMIT idleChanged();
}

} // namespace fw::ui
