// How soon a plan is there after it was changed: a worker that has the model is asked for the plan
// under another pin, another library, another fusion rule or another priority, each of which it
// never saw. Milliseconds from the request to the last byte of the answer, medians; and what the
// answer says was made anew.
//
//     bench_plans WORKER [--runs N] [MODEL...]     without models: ResNet-50 and five of 2 000
//     nodes
#include "large/shapes.h"
#include "snapshot/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace fw;
using namespace fw::snapshot;

[[noreturn]] void fail(const std::string& why) {
    fmt::print(stderr, "{}\n", why);
    std::exit(1);
}

class Worker {
public:
    explicit Worker(const std::string& program) {
        int to[2], from[2];
        if (::pipe(to) != 0 || ::pipe(from) != 0)
            fail("no pipe");
        m_child = ::fork();
        if (m_child == 0) {
            ::dup2(to[0], STDIN_FILENO);
            ::dup2(from[1], STDOUT_FILENO);
            ::close_range(STDERR_FILENO + 1, ~0U, 0);
            ::execl(program.c_str(), program.c_str(), "--worker", nullptr);
            ::_exit(127);
        }
        ::close(to[0]);
        ::close(from[1]);
        m_to = to[1];
        m_from = from[0];
    }
    ~Worker() {
        ::close(m_to);
        ::close(m_from);
        ::waitpid(m_child, nullptr, 0);
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // The document's text; adds to `ms`.
    std::string ask(const std::string& command, const Arguments& arguments, double& ms) {
        const std::string line = requestLine({++m_id, command, arguments}) + "\n";
        const auto start = std::chrono::steady_clock::now();
        for (std::size_t at = 0; at < line.size();) {
            const ssize_t count = ::write(m_to, line.data() + at, line.size() - at);
            if (count <= 0)
                fail("the worker ended");
            at += static_cast<std::size_t>(count);
        }
        for (;;) {
            Pieces text = readLine();
            if (takeResult(text)) {
                ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() -
                                                                start)
                          .count();
                return text.front();
            }
            const Result<Answer> answer = readAnswer(text.front());
            if (answer && answer->kind == AnswerKind::Error)
                fail(answer->error.text());
        }
    }

private:
    Pieces readLine() {
        for (std::size_t searched = 0;;) {
            if (const auto end = m_pending.find('\n', searched); end != std::string::npos) {
                std::string rest = m_pending.substr(end + 1);
                m_pending.resize(end);
                return {std::exchange(m_pending, std::move(rest))};
            }
            searched = m_pending.size();
            static char buffer[1 << 20];
            const ssize_t count = ::read(m_from, buffer, sizeof buffer);
            if (count <= 0)
                fail("the worker ended");
            m_pending.append(buffer, static_cast<std::size_t>(count));
        }
    }

    pid_t m_child = -1;
    int m_to = -1, m_from = -1;
    std::int64_t m_id = 0;
    std::string m_pending;
};

// Changes of what the user decides; `run` makes each another one.
struct Change {
    const char* name;
    void (*apply)(Arguments& arguments, const FuseDocument& plan, int run);
};

// Two groups that are read one by the other, somewhere in the middle.
void pin(Arguments& arguments, const FuseDocument& plan, int run) {
    std::vector<std::string> both;
    for (std::size_t at = plan.groups.size() / 3 + static_cast<std::size_t>(run) * 3;
         both.size() < 2; ++at) {
        const GroupRecord& group = plan.groups[at % plan.groups.size()];
        if (group.nodes.size() > 1)
            both = {group.nodes[group.nodes.size() - 2], group.nodes.back()};
    }
    arguments.pins = fmt::format("pin {{ apart {}, {} }}\n", both[0], both[1]);
}

void library(Arguments& arguments, const FuseDocument& plan, int run) {
    pin(arguments, plan, run); // a plan that was not made before
    arguments.target += run % 2 == 0 ? " -libs=onednn,openblas" : " -libs=openblas";
}

void fusionRule(Arguments& arguments, const FuseDocument&, int run) {
    arguments.rules = {"typed.fw"};
    arguments.texts = {{"typed.fw", fmt::format("grow contraction -> elementwise forward limit {} "
                                                "operands {}\n",
                                                2 + run % 2, 30 - run)}};
}

void priority(Arguments& arguments, const FuseDocument&, int run) {
    arguments.rules = {"typed.fw"};
    arguments.texts = {{"typed.fw", fmt::format("implementations kind contraction on any {{\n"
                                                "  generated.window priority {}\n}}\n",
                                                run % 2 == 0 ? 20 + run : 3)}};
}

constexpr Change changes[] = {
    {"pin", pin}, {"library", library}, {"fusion rule", fusionRule}, {"priority", priority}};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void measure(const std::string& program, const std::string& name, const std::string& file,
             int runs) {
    Worker worker(program);
    Arguments plain;
    plain.model = file;
    plain.target = "x86-64 -mcpu=native -libs=";
    plain.decisions = false; // as the window asks
    double opened = 0, drawn = 0, planned = 0;
    worker.ask("info", plain, opened);
    plain.stage = "fused";
    worker.ask("graph", plain, drawn);
    const std::string text = worker.ask("fuse", plain, planned);
    const FuseDocument plan = fromJson<FuseDocument>(text).value();
    std::size_t nodes = 0;
    for (const GroupRecord& group : plan.groups)
        nodes += group.nodes.size();
    fmt::print("{}: {} operators in {} groups; opened in {:.0f} ms, planned in {:.0f}, the plan "
               "told in {:.0f}, {} bytes\n",
               name, nodes, plan.groups.size(), opened, drawn, planned, text.size());
    for (const Change& change : changes) {
        std::vector<double> plans, graphs;
        MadeRecord made;
        for (int run = 0; run < runs; ++run) {
            Arguments changed = plain;
            change.apply(changed, plan, run);
            double fuse = 0, graph = 0;
            const std::string answer = worker.ask("fuse", changed, fuse);
            made = fromJson<FuseDocument>(answer).value().made;
            worker.ask("graph", changed, graph);
            plans.push_back(fuse);
            graphs.push_back(graph);
        }
        fmt::print("  {:12} plan {:7.1f} ms (first {:7.1f}), and the fused graph {:7.1f}; made by "
                   "the last: {}{}{} groups\n",
                   change.name, median(plans), plans.front(), median(graphs),
                   made.imported ? "import, " : "", made.rewritten ? "rewrite, " : "",
                   made.lowered);
        std::fflush(stdout);
    }
}

} // namespace

int main(int count, char** arguments) {
    std::signal(SIGPIPE, SIG_IGN);
    if (count < 2)
        fail("bench_plans WORKER [--runs N] [MODEL...]");
    int runs = 7;
    std::vector<std::string> models;
    for (int i = 2; i < count; ++i)
        if (std::string_view(arguments[i]) == "--runs" && i + 1 < count)
            runs = std::atoi(arguments[++i]);
        else
            models.emplace_back(arguments[i]);
    for (const std::string& model : models)
        measure(arguments[1], model, model, runs);
    if (!models.empty())
        return 0;
    const auto generated = [&](const std::string& name, const proto::ModelProto& model) {
        const std::filesystem::path file =
            std::filesystem::temp_directory_path() / fmt::format("plans.{}.onnx", ::getpid());
        std::ofstream(file, std::ios::binary) << model.SerializeAsString();
        measure(arguments[1], name, file.string(), runs);
        std::error_code error;
        std::filesystem::remove(file, error);
    };
    generated("ResNet-50", test::residualModel({3, 4, 6, 3}, 64, 224));
    generated("a residual network", test::residualModel({30, 50, 60, 50}, 8, 64));
    for (const test::LargeShapeName& shape : test::largeShapes)
        generated(std::string(shape.name), test::largeModel(shape.shape, 2000));
    return 0;
}
