#include "runtime/breadcrumb.h"

#include <atomic>

namespace fw::runtime {

namespace {
std::atomic<const Crumb*> current{nullptr};
}

const Crumb* breadcrumb() {
    return current.load(std::memory_order_relaxed);
}

Breadcrumb::Breadcrumb(const Crumb& crumb)
    : m_before(current.exchange(&crumb, std::memory_order_relaxed)) {}

Breadcrumb::~Breadcrumb() {
    current.store(m_before, std::memory_order_relaxed);
}

} // namespace fw::runtime
