#include "session/race.h"

#include "session/group_times.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace fw {

namespace {

constexpr int rounds = 5; // of one attempt
constexpr double grainUs = 1;
constexpr double hopeless = 5; // so many times the fastest
// Threads of the one before, of ours or of a library, wait for their next loop before they sleep;
// until then they would count as other work.
constexpr std::chrono::microseconds untilOthersSleep(500);

} // namespace

bool Contender::disturbed() const {
    return time.disturbed(grainUs);
}

Status race(const std::vector<Contender*>& contenders, std::string_view always,
            const RaceEffort& effort, const Context& context) {
    double fastest = 0;
    for (Contender* one : contenders) {
        const MeasureEffort look{.seconds = 0, .least = 3, .attempts = 1};
        FW_TRY(one->time, timeStepsTogether(*one->apart.module, look, context));
        fastest = fastest == 0 ? one->time.minimum() : std::min(fastest, one->time.minimum());
    }
    std::vector<Contender*> racing;
    for (Contender* one : contenders)
        if (one->time.minimum() <= hopeless * fastest || one->implementation == always)
            racing.push_back(one);
    const MeasureEffort each{
        .seconds =
            effort.seconds / static_cast<double>(rounds * std::max<std::size_t>(racing.size(), 1)),
        .attempts = 1};
    for (int attempt = 0; attempt < effort.attempts; ++attempt) {
        for (Contender* one : racing)
            one->time = {};
        for (int round = 0; round < rounds; ++round)
            for (Contender* one : racing) {
                std::this_thread::sleep_for(untilOthersSleep);
                FW_TRY(const MeasuredTime times,
                       timeStepsTogether(*one->apart.module, each, context));
                one->time.add(times);
            }
        if (std::none_of(racing.begin(), racing.end(),
                         [](const Contender* one) { return one->disturbed(); }))
            break;
    }
    return {};
}

} // namespace fw
