#include "verdict/fitting_calls.h"

#include "base/hash.h"
#include "verdict/draw_call.h"

#include <mutex>

namespace fw {

namespace {

constexpr std::size_t wantedCalls = 6;
constexpr std::size_t mostFittingWork = 2500; // calls that inference is asked about
constexpr std::size_t mostOperators = 4096;   // that are remembered

std::vector<OpCall> found(const Operator& op, std::size_t operands) {
    const Literals none;
    Random random(1);
    KnownCalls known;
    std::vector<OpCall> out;
    for (std::size_t work = 0; work < mostFittingWork && out.size() < wantedCalls;) {
        CallDrawer drawer(random, none, known); // extents of its own
        WantedCall wanted;
        wanted.op = &op;
        wanted.operands.resize(operands);
        if (auto call = drawer.draw(wanted))
            out.push_back(std::move(*call));
        work += drawer.asked();
    }
    return out;
}

} // namespace

std::shared_ptr<const std::vector<OpCall>> fittingCalls(const Operator& op, std::size_t operands) {
    static std::mutex mutex;
    static std::map<Hash, std::shared_ptr<const std::vector<OpCall>>> known;
    const Hash key = hashOf(op.name() + "\n" + std::to_string(operands) + "\n" + op.source());
    {
        const std::lock_guard lock(mutex);
        if (const auto one = known.find(key); one != known.end())
            return one->second;
    }
    auto out = std::make_shared<const std::vector<OpCall>>(found(op, operands));
    const std::lock_guard lock(mutex);
    if (known.size() >= mostOperators)
        known.clear();
    return known.emplace(key, std::move(out)).first->second;
}

} // namespace fw
