#include "session/implementation_race.h"

#include "session/group_times.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace fw {

namespace {

constexpr int turns = 5; // of one round
constexpr double grainUs = 1;
constexpr double hopeless = 5; // so many times the fastest
// Threads of the one before, of ours or of a library, wait for their next loop before they sleep;
// until then they would count as other work.
constexpr std::chrono::microseconds untilOthersSleep(500);

using Contenders = std::vector<Contender*>;

// How often n can be halved until two are left, and the round of these.
std::size_t roundsOf(std::size_t n) {
    std::size_t out = 1;
    for (; n > 2; n = (n + 1) / 2)
        ++out;
    return out;
}

// The fastest differs from the next one by more than the times of each do.
bool isDecided(const Contenders& racing) {
    if (racing.size() < 2)
        return true;
    Contenders order = racing;
    std::sort(order.begin(), order.end(), [](const Contender* a, const Contender* b) {
        return a->time.median() < b->time.median();
    });
    const MeasuredTime &first = order[0]->time, &second = order[1]->time;
    return std::none_of(racing.begin(), racing.end(),
                        [](const Contender* one) { return one->disturbed(); }) &&
           first.median() < second.median() * (1 - Measurements::margin) &&
           first.quantile(0.9) < second.quantile(0.1);
}

// The faster half by the least times, which other work disturbs the least; `always` beside it.
Contenders fasterHalf(Contenders racing, std::string_view always) {
    std::stable_sort(racing.begin(), racing.end(), [](const Contender* a, const Contender* b) {
        return a->time.minimum() < b->time.minimum();
    });
    const std::size_t half = std::max<std::size_t>((racing.size() + 1) / 2, 2);
    Contenders out;
    for (std::size_t i = 0; i < racing.size(); ++i)
        if (i < half || racing[i]->implementation == always)
            out.push_back(racing[i]);
    return out;
}

class Race {
public:
    Race(const RaceEffort& effort, const Context& context) : m_effort(effort), m_context(context) {}

    Result<MeasuredTime> take(Contender& one, const MeasureEffort& effort) const {
        return m_effort.take ? m_effort.take(one, effort)
                             : timeStepsTogether(*one.apart.module, effort, m_context);
    }

    Status round(const Contenders& racing, double seconds) const {
        const double each = seconds / static_cast<double>(turns * racing.size());
        for (int attempt = 0; attempt < m_effort.attempts; ++attempt) {
            std::vector<MeasuredTime> times(racing.size());
            for (int turn = 0; turn < turns; ++turn)
                for (std::size_t i = 0; i < racing.size(); ++i) {
                    if (!m_effort.take)
                        std::this_thread::sleep_for(untilOthersSleep);
                    // One that takes long is run once in a turn.
                    const double runs = each * 1e6 / std::max(racing[i]->time.minimum(), 0.1);
                    const MeasureEffort effort{
                        .seconds = each,
                        .least = static_cast<std::size_t>(std::clamp(runs, 1.0, 5.0)),
                        .attempts = 1};
                    FW_TRY(const MeasuredTime taken, take(*racing[i], effort));
                    times[i].add(taken);
                }
            for (std::size_t i = 0; i < racing.size(); ++i) {
                racing[i]->time = std::move(times[i]);
                racing[i]->raced = true;
            }
            if (std::none_of(racing.begin(), racing.end(),
                             [](const Contender* one) { return one->disturbed(); }))
                break;
        }
        return {};
    }

private:
    const RaceEffort& m_effort;
    const Context& m_context;
};

} // namespace

bool Contender::disturbed() const {
    return time.disturbed(grainUs);
}

Status race(const std::vector<Contender*>& contenders, std::string_view always,
            const RaceEffort& effort, const Context& context) {
    const Race runs(effort, context);
    double fastest = 0;
    for (Contender* one : contenders) {
        FW_TRY(one->time, runs.take(*one, {.seconds = 0, .least = 1, .attempts = 1}));
        fastest = fastest == 0 ? one->time.minimum() : std::min(fastest, one->time.minimum());
        if (one->time.minimum() > hopeless * fastest)
            continue;
        FW_TRY(const MeasuredTime more, runs.take(*one, {.seconds = 0, .least = 2, .attempts = 1}));
        one->time.add(more);
        fastest = std::min(fastest, one->time.minimum());
    }
    Contenders racing;
    for (Contender* one : contenders)
        if (one->time.minimum() <= hopeless * fastest || one->implementation == always)
            racing.push_back(one);
    const std::size_t rounds = effort.halving ? roundsOf(racing.size()) : 1;
    for (std::size_t round = 0; round < rounds && !racing.empty(); ++round) {
        if (round > 0)
            racing = fasterHalf(std::move(racing), always);
        FW_CHECK(runs.round(racing, effort.seconds / static_cast<double>(rounds)));
        if (effort.halving && isDecided(racing))
            break;
    }
    return {};
}

} // namespace fw
