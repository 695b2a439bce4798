#include "base/symbol.h"

#include <deque>
#include <mutex>
#include <unordered_map>

namespace fw {

namespace {

// Names are never removed: a symbol is a promise for the life of the process.
struct Table {
    std::mutex mutex;
    std::deque<std::string> names{std::string()};
    std::unordered_map<std::string_view, std::uint32_t> ids{{names.front(), 0}};
};

Table& table() {
    static Table* theTable = new Table; // outlives static destructors
    return *theTable;
}

} // namespace

Symbol::Symbol(std::string_view name) {
    Table& names = table();
    std::lock_guard lock(names.mutex);
    if (auto found = names.ids.find(name); found != names.ids.end()) {
        m_id = found->second;
        return;
    }
    names.names.emplace_back(name);
    m_id = static_cast<std::uint32_t>(names.names.size() - 1);
    names.ids.emplace(names.names.back(), m_id);
}

const std::string& Symbol::text() const {
    Table& names = table();
    std::lock_guard lock(names.mutex);
    return names.names[m_id];
}

} // namespace fw
