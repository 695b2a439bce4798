// How long rewriting and matching of large models take: bench_rewriting. Milliseconds of a clock,
// the least of three, beside what they may take.
#include "ir/graph_text.h"
#include "large/shapes.h"
#include "library/library.h"
#include "onnx/read/import.h"
#include "rewrite/apply.h"
#include "rewrite/history.h"
#include "rewrite/matches.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

using namespace fw;

namespace {

GraphPtr model(test::LargeShape shape, int nodes) {
    return importModelBytes(test::largeModel(shape, nodes).SerializeAsString(), standardOperators())
        .value()
        .graph;
}

double timed(const char* what, double goal, const std::function<void()>& work) {
    double least = 1e9;
    for (int run = 0; run < 3; ++run) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::milli> passed =
            std::chrono::steady_clock::now() - start;
        least = std::min(least, passed.count());
    }
    fmt::print("{:58} {:9.1f} ms{}\n", what, least,
               goal > 0 ? fmt::format(", may take {:.0f}", goal) : "");
    std::fflush(stdout);
    return least;
}

// Three values of one, read one behind the other; both rules below find the first two.
GraphPtr siblings(int count) {
    std::string text = "graph g(x0: f32[4]) -> x" + std::to_string(count) + " {\n";
    for (int i = 0; i < count; ++i)
        text += fmt::format("a{0} = tanh(x{0}) s{0} = neg(a{0}) b{0} = sigmoid(x{0}) "
                            "x{1} = add(s{0}, b{0})\n",
                            i, i + 1);
    return parseGraph(text + "}", standardOperators()).value();
}

GraphPtr relus(int count) {
    std::string text = "graph g(x: f32[4]) -> x" + std::to_string(count) + " { x0 = exp(x)\n";
    for (int i = 0; i < count; ++i)
        text += fmt::format("x{1} = relu(x{0})\n", i, i + 1);
    return parseGraph(text + "}", standardOperators()).value();
}

std::size_t rewritten(const GraphPtr& graph, const RuleBook& book) {
    return rewriteGraph(graph, book, {}).value().trace.applications.size();
}

} // namespace

int main() {
    RuleBook library = standardRules().value();
    const RuleBook once = library;
    while (library.entries.size() < 60)
        library.entries.insert(library.entries.end(), once.entries.begin(), once.entries.end());
    const GraphPtr layers = model(test::LargeShape::Layers, 1800);
    timed("60 rules to fixpoint, 1800 operators", 300, [&] { rewritten(layers, library); });

    const RuleBook sums =
        parseRules("rule sums { match y = add(x, z) emit y = sub(x, z * -1) }", "book.fw").value();
    double first = 0;
    for (const int count : {10000, 40000}) {
        const GraphPtr chain = model(test::LargeShape::Dense, 4 * count);
        std::size_t applications = 0;
        const double passed = timed(fmt::format("one rule, {} operators", 4 * count).c_str(), 0,
                                    [&] { applications = rewritten(chain, sums); });
        const double each = passed / static_cast<double>(applications);
        first = first > 0 ? first : each;
        fmt::print("  {} applications, {:.2f} times linear\n", applications, each / first);
        if (count == 10000) {
            const auto trace = rewriteGraph(chain, sums, {}).value().trace;
            timed("  the graph behind half of them", 0, [&] {
                (void)graphBehind(chain, trace.applications, trace.applications.size() / 2);
            });
        }
    }
    const auto grows = [](const char* what, const char* rule,
                          const std::function<GraphPtr(int)>& made) {
        const RuleBook book = parseRules(rule, "book.fw").value();
        double each = 0;
        for (const int count : {2500, 10000}) {
            const GraphPtr graph = made(count);
            std::size_t applications = 0;
            const double passed = timed(fmt::format("{}, {}", what, count).c_str(), 0,
                                        [&] { applications = rewritten(graph, book); });
            const double now = passed / static_cast<double>(applications);
            each = each > 0 ? each : now;
            fmt::print("  {} applications, {:.2f} times linear\n", applications, now / each);
        }
    };
    grows("two roots that read one value",
          "rule r { match a = tanh(x), b = sigmoid(x) emit a = relu(x), b = abs(x) }", siblings);
    grows("two roots apart",
          "rule r { match a = tanh(x), b = sigmoid(z) emit a = relu(x), b = abs(z) }", siblings);
    grows("each on what the last one made",
          "rule r { match y = relu(exp(x)) emit y = exp(x) strategy fixpoint }", relus);
    for (const test::LargeShapeName& shape : test::largeShapes) {
        const GraphPtr large = model(shape.shape, 100000);
        timed(fmt::format("the library's rules, 100000 operators, {}", shape.name).c_str(), 3000,
              [&] { rewritten(large, once); });
    }

    const GraphPtr ten = model(test::LargeShape::Chain, 10000);
    const FileTree six = parseFile(
        "pattern six(x) = kind elementwise(x, ...) >> kind elementwise(^, ...) >> kind "
        "elementwise(^, ...) >> kind elementwise(^, ...) >> kind elementwise(^, ...) >> kind "
        "elementwise(^, ...)",
        "book.fw");
    const PatternTable none;
    timed("all matches of six operators, 10000 operators", 50,
          [&] { (void)findMatches(*ten, *six.declarations.front(), none); });
    timed("static checks of the library's rules", 50, [&] {
        for (const auto& entry : once.entries)
            if (const auto* rule = dynamic_cast<const RuleTree*>(entry.get()))
                (void)checkRule(*rule, *standardOperators(), once.table(), {});
    });
    return 0;
}
