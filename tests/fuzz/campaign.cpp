#include "fuzz/campaign.h"

#include "fuzz/forked.h"
#include "fuzz/generator.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <list>
#include <set>
#include <sstream>

namespace fw::fuzz {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds silence{120}; // of a child: then it hangs

std::string oneLine(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

struct Lane {
    std::uint64_t next = 0, end = 0; // seeds
    const Level* level = nullptr;
    std::uint64_t seed = 0; // at work
    std::string oracle;
    std::unique_ptr<Forked> child;
};

// What a child does with its seeds. Lines: "at SEED ORACLE", "asked ORACLE COMPARISONS",
// "failed SEED ORACLE MESSAGE", "done SEED NODES VALUES TYPE... ; OPERATOR...".
void work(const Campaign& campaign, Engine& engine, const Lane& lane, const Say& say) {
    Setting setting = campaign.setting;
    setting.level = lane.level;
    playLevel(*lane.level);
    Judge judge(engine, setting);
    for (std::uint64_t seed = lane.next; seed < lane.end; ++seed) {
        say(fmt::format("at {} generator", seed));
        Case one;
        try {
            one = makeCase(seed, engine.operators());
        } catch (const std::exception& error) {
            say(fmt::format("failed {} generator {}", seed, oneLine(error.what())));
            continue;
        }
        const std::vector<std::string> oracles =
            campaign.oracle.empty() ? oraclesFor(seed) : std::vector{campaign.oracle};
        for (const std::string& oracle : oracles) {
            say(fmt::format("at {} {}", seed, oracle));
            const Answered answer = judge.ask(oracle, one);
            if (answer.asked)
                say(fmt::format("asked {} {}", oracle, answer.comparisons));
            if (!answer.failure.empty()) {
                say(fmt::format("failed {} {} {}", seed, oracle, oneLine(answer.failure)));
                if (oracle == "default")
                    break; // the others would say the same
            }
        }
        std::set<std::string> operators, types;
        std::size_t nodes = 0;
        for (const NodePtr& node : one.graph->nodes()) {
            for (const Output& output : node->outputs)
                types.emplace(dtypeText(output.type.dtype));
            if (!node->isInput() && !node->isConstant()) {
                operators.insert(node->op);
                ++nodes;
            }
        }
        std::string line = fmt::format("done {} {} {}", seed, nodes, valuesText(one.values));
        for (const std::string& type : types)
            line += " " + type;
        line += " ;";
        for (const std::string& name : operators)
            line += " " + name;
        say(line);
    }
}

class Runner {
public:
    Runner(const Campaign& campaign, Engine& engine)
        : m_campaign(campaign), m_engine(engine), m_next(campaign.first) {}

    Tally run() {
        const auto start = Clock::now();
        for (int i = 0; i < m_campaign.jobs; ++i)
            startNext();
        while (!m_lanes.empty()) {
            std::vector<pollfd> all;
            for (const Lane& lane : m_lanes)
                all.push_back({lane.child->descriptor(), POLLIN, 0});
            poll(all.data(), all.size(), 500);
            std::vector<Lane> ended; // what takes their place has not been asked yet
            std::size_t i = 0;
            for (auto lane = m_lanes.begin(); lane != m_lanes.end(); ++i) {
                const bool open = all[i].revents == 0 ? !silent(*lane) : hear(*lane);
                if (open) {
                    ++lane;
                    continue;
                }
                ended.push_back(closed(*lane));
                lane = m_lanes.erase(lane);
            }
            for (Lane& left : ended)
                if (left.next < left.end && !enough())
                    startLane(std::move(left));
                else
                    startNext();
        }
        m_tally.end = m_next;
        m_tally.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        return std::move(m_tally);
    }

private:
    bool enough() const { return m_tally.failures.size() >= m_campaign.mostFailures; }

    void startNext() {
        const bool timed = m_campaign.time.count() > 0;
        const bool over = timed ? Clock::now() - m_start > m_campaign.time
                                : m_next >= m_campaign.first + m_campaign.count;
        if (over || enough())
            return;
        Lane lane;
        lane.next = m_next;
        lane.end = m_next + m_campaign.batch;
        if (!timed)
            lane.end = std::min(lane.end, m_campaign.first + m_campaign.count);
        lane.level = m_campaign.levels[m_batches++ % m_campaign.levels.size()];
        m_next = lane.end;
        startLane(std::move(lane));
    }

    void startLane(Lane lane) {
        lane.child = std::make_unique<Forked>(
            [&](const Say& say) { work(m_campaign, m_engine, lane, say); });
        m_lanes.push_back(std::move(lane));
    }

    bool silent(Lane& lane) {
        if (Clock::now() - lane.child->lastHeard() < silence)
            return false;
        lane.child->kill();
        return true;
    }

    bool hear(Lane& lane) {
        std::vector<std::string> lines;
        const bool open = lane.child->read(lines);
        for (const std::string& line : lines)
            take(lane, line);
        return open;
    }

    void take(Lane& lane, const std::string& line) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "at") {
            words >> lane.seed >> lane.oracle;
        } else if (what == "asked") {
            std::string oracle;
            std::uint64_t comparisons = 0;
            words >> oracle >> comparisons;
            ++m_tally.oracles[oracle];
            m_tally.comparisons += comparisons;
        } else if (what == "failed") {
            Failure failure;
            words >> failure.seed >> failure.oracle;
            std::getline(words >> std::ws, failure.message);
            add(lane, failure);
        } else if (what == "done") {
            std::uint64_t nodes = 0;
            words >> lane.next >> nodes;
            ++lane.next;
            m_tally.nodes += nodes;
            ++m_tally.graphs;
            ++m_tally.levels[lane.level->name];
            std::string name;
            words >> name;
            ++m_tally.values[name];
            while (words >> name && name != ";")
                ++m_tally.types[name];
            for (std::string op; words >> op;)
                ++m_tally.operators[op];
        } else {
            add(lane, {lane.seed, {}, lane.oracle, line});
        }
    }

    void add(const Lane& lane, Failure failure) {
        failure.level = lane.level->name;
        if (m_campaign.onFailure)
            m_campaign.onFailure(failure);
        m_tally.failures.push_back(std::move(failure));
    }

    // What is left of the batch: nothing after a clean end.
    Lane closed(Lane& lane) {
        const std::string ending = lane.child->ending();
        Lane left;
        if (ending.empty())
            return left;
        add(lane, {lane.seed, {}, lane.oracle, "died: " + ending});
        left.next = lane.seed + 1;
        left.end = lane.end;
        left.level = lane.level;
        return left;
    }

    const Campaign& m_campaign;
    Engine& m_engine;
    std::uint64_t m_next;
    std::uint64_t m_batches = 0;
    Clock::time_point m_start = Clock::now();
    std::list<Lane> m_lanes;
    Tally m_tally;
};

} // namespace

Tally run(const Campaign& campaign, Engine& engine) {
    return Runner(campaign, engine).run();
}

std::string failureOf(const Case& one, const std::string& oracle, const Setting& setting,
                      Engine& engine) {
    std::string ending;
    const std::vector<std::string> lines = linesOf(
        [&](const Say& say) {
            playLevel(*setting.level);
            const Answered answer = Judge(engine, setting).ask(oracle, one);
            if (!answer.failure.empty())
                say(oneLine(answer.failure));
        },
        silence, ending);
    if (!ending.empty())
        return "died: " + ending;
    return lines.empty() ? std::string() : lines.front();
}

} // namespace fw::fuzz
