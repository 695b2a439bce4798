// A question of a kind of which only the latest counts.
#pragma once

#include <cstdint>
#include <memory>

namespace fw::ui {

// Holds the request that is on its way. Whoever asked before, or whose question ended, is not
// answered.
class InFlight {
public:
    using Request = std::int64_t;

    bool isAsked() const { return m_request && *m_request != 0; }
    // The one that ended; 0: there was none.
    Request end() {
        const std::shared_ptr<Request> ended = std::move(m_request);
        return ended ? *ended : 0;
    }
    // Of a new one, to be held by who waits for its answer, and told its number.
    std::weak_ptr<Request> begin() {
        m_request = std::make_shared<Request>(0);
        return m_request;
    }

private:
    std::shared_ptr<Request> m_request;
};

} // namespace fw::ui
