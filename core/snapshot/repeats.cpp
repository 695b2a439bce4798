#include "snapshot/repeats.h"

#include "base/hash.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace fw::snapshot {

namespace {

constexpr std::uint32_t unseen = UINT32_MAX;
constexpr std::size_t longestWindow = 8192;

// Where a label was seen last.
class LastSeen {
public:
    explicit LastSeen(std::size_t count)
        : m_slots(std::bit_ceil(2 * count + 1), Slot{0, unseen}), m_mask(m_slots.size() - 1) {}

    // Puts `place` there and returns what was: unseen if it is new.
    std::uint32_t exchange(std::uint64_t label, std::uint32_t place) {
        for (std::size_t at = mixHash(label, 1) & m_mask;; at = (at + 1) & m_mask) {
            Slot& slot = m_slots[at];
            if (slot.place == unseen || slot.label == label) {
                slot.label = label;
                return std::exchange(slot.place, place);
            }
        }
    }
    void clear() { std::fill(m_slots.begin(), m_slots.end(), Slot{0, unseen}); }

private:
    struct Slot {
        std::uint64_t label;
        std::uint32_t place;
    };
    std::vector<Slot> m_slots;
    std::size_t m_mask;
};

// A window that comes again at one distance for a while is a run of that period. A period shorter
// than the window shows each of its copies, whatever is equal inside of them.
std::vector<Repeat> allRuns(std::span<const std::uint64_t> labels) {
    std::vector<Repeat> runs;
    std::vector<std::uint64_t> windows(labels.begin(), labels.end());
    LastSeen seen(labels.size());
    for (std::size_t width = 1; width <= longestWindow; width *= 2) {
        std::size_t distance = 0, first = 0; // of the run that is at hand, by its second copies
        const auto close = [&](std::size_t end) {
            if (distance == 0)
                return;
            const Repeat run{first - distance, distance, end - 1 + width - (first - distance)};
            if (run.copies() >= 2)
                runs.push_back(run);
            distance = 0;
        };
        for (std::size_t i = 0; i < windows.size(); ++i) {
            const std::uint32_t before = seen.exchange(windows[i], static_cast<std::uint32_t>(i));
            const std::size_t now = before == unseen ? 0 : i - before;
            if (now == distance)
                continue;
            close(i);
            distance = now;
            first = i;
        }
        close(windows.size());
        seen.clear();
        if (windows.size() <= width)
            break;
        for (std::size_t i = 0; i + width < windows.size(); ++i)
            windows[i] = mixHash(windows[i], windows[i + width]);
        windows.resize(windows.size() - width);
    }
    return runs;
}

} // namespace

std::vector<Repeat> repeatsIn(std::span<const std::uint64_t> labels,
                              const std::function<bool(const Repeat&)>& wanted) {
    std::vector<Repeat> runs = allRuns(labels);
    std::erase_if(runs, [&](const Repeat& run) { return !wanted(run); });
    std::sort(runs.begin(), runs.end(), [](const Repeat& a, const Repeat& b) {
        const auto covered = [](const Repeat& run) { return run.copies() * run.period; };
        if (covered(a) != covered(b))
            return covered(a) > covered(b);
        return a.period != b.period ? a.period < b.period : a.first < b.first;
    });
    std::map<std::size_t, Repeat> taken; // by where they end
    for (Repeat run : runs) {
        std::size_t end = run.first + run.length;
        auto next = taken.upper_bound(run.first);
        if (next != taken.end() && next->second.first <= run.first) { // what is left behind it
            run.first = next->first;
            ++next;
        }
        if (next != taken.end())
            end = std::min(end, next->second.first);
        run.length = end > run.first ? end - run.first : 0;
        if (run.copies() >= 2 && wanted(run))
            taken.emplace(end, run);
    }
    std::vector<Repeat> out;
    for (const auto& [end, run] : taken)
        out.push_back(run);
    return out;
}

} // namespace fw::snapshot
