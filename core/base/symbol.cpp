#include "base/symbol.h"

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace fw {

namespace {

// Names are never removed: a symbol is a promise for the life of the process. They are found by id
// without a lock, through blocks that never move.
struct Table {
    static constexpr std::size_t blockSize = 4096;
    using Block = std::array<const std::string*, blockSize>;

    std::mutex mutex;
    std::deque<std::string> names;
    std::unordered_map<std::string_view, std::uint32_t> ids;
    std::array<std::atomic<Block*>, 1 << 16> blocks{};

    Table() { add({}); }

    std::uint32_t add(std::string_view name) {
        const std::size_t id = names.size();
        names.emplace_back(name);
        std::atomic<Block*>& block = blocks.at(id / blockSize);
        if (id % blockSize == 0)
            block.store(new Block);
        (*block.load())[id % blockSize] = &names.back();
        ids.emplace(names.back(), static_cast<std::uint32_t>(id));
        return static_cast<std::uint32_t>(id);
    }
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
    m_id = names.add(name);
}

const std::string& Symbol::text() const {
    // Whoever has the id has it from add(), or from a thread that has.
    const Table::Block* block =
        table().blocks[m_id / Table::blockSize].load(std::memory_order_acquire);
    return *(*block)[m_id % Table::blockSize];
}

} // namespace fw
