#include "runtime/breadcrumb.h"

#include <atomic>

namespace fw::runtime {

namespace {
std::atomic<const char*> current{nullptr};
}

const char* breadcrumb() {
    return current.load(std::memory_order_relaxed);
}

Breadcrumb::Breadcrumb(const char* text)
    : m_before(current.exchange(text, std::memory_order_relaxed)) {}

Breadcrumb::~Breadcrumb() {
    current.store(m_before, std::memory_order_relaxed);
}

} // namespace fw::runtime
