// How long the plan of a large model takes, without rewriting: bench_planning [NODES...] [SHAPE...]
// Seconds of a clock, the least of three, and how much faster than the model they grow from the
// first size to the last.
#include "fusion/plan.h"
#include "large/shapes.h"
#include "library/library.h"
#include "onnx/read/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

using namespace fw;

int main(int count, char** arguments) {
    std::vector<int> sizes;
    std::vector<std::string_view> shapes;
    for (int i = 1; i < count; ++i)
        if (const int size = std::atoi(arguments[i]); size > 0)
            sizes.push_back(size);
        else
            shapes.emplace_back(arguments[i]);
    if (sizes.empty())
        sizes = {10000, 100000};
    const Target target = parseTarget("x86-64 -mcpu=x86-64-v3 -libs=").value();
    for (const test::LargeShapeName& shape : test::largeShapes) {
        if (!shapes.empty() && std::find(shapes.begin(), shapes.end(), shape.name) == shapes.end())
            continue;
        double first = 0;
        for (const int size : sizes) {
            const std::string bytes = test::largeModel(shape.shape, size).SerializeAsString();
            const Imported imported = importModelBytes(bytes, standardOperators()).value();
            double least = 1e9, loops = 0;
            std::size_t groups = 0;
            for (int run = 0; run < 3; ++run) {
                const auto start = std::chrono::steady_clock::now();
                const FusionPlan plan = planFusion(*imported.graph, target).value();
                const std::chrono::duration<double> passed =
                    std::chrono::steady_clock::now() - start;
                groups = plan.groups.size();
                if (passed.count() < least) {
                    least = passed.count();
                    loops = plan.lowerMs / 1e3;
                }
            }
            const double perNode = least / static_cast<double>(imported.graph->nodes().size());
            first = size == sizes.front() ? perNode : first;
            fmt::print("{:8} {:7} operators {:7} groups {:7.2f} s, of that loops {:5.2f}, {:.2f} "
                       "times linear\n",
                       shape.name, size, groups, least, loops, perNode / first);
            std::fflush(stdout);
        }
    }
    return 0;
}
