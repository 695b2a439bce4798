// How soon typing in a book is answered once the model is there: check, match and assist of a text
// that changes each time, as the window asks them. Milliseconds, medians of five.
#include "large/shapes.h"
#include "session/commands.h"
#include "snapshot/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace {

using namespace fw;
using namespace fw::snapshot;

struct Typed {
    const char* name;
    const char* text;
};

constexpr Typed books[] = {
    {"chain of two", "chain c = add(^, x) >> relu(^)\n"},
    {"chain of kinds", "chain c = kind elementwise(^, ...) >> kind elementwise(^, ...) >> kind "
                       "contraction(^, ...)\n"},
    {"nested", "pattern p(x, y) = softmax(mul(dense(x, y), s), ...)\n"},
    {"rule", "rule r { match y = relu(add(x, w: const)) where used_once(x) emit y = add(x, w) }\n"},
    {"rule of two", "rule r { match y = relu(x), z = mul(y, w) emit y = x, z = x }\n"},
};

double milliseconds(Commands& commands, const Request& request) {
    const auto start = std::chrono::steady_clock::now();
    const Result<std::string> answer = commands.run(request, {});
    if (!answer) {
        fmt::print(stderr, "{}\n", answer.diag().text());
        std::exit(1);
    }
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

} // namespace

int main(int count, char** arguments) {
    std::vector<int> sizes;
    for (int i = 1; i < count; ++i)
        sizes.push_back(std::atoi(arguments[i]));
    if (sizes.empty())
        sizes = {1000, 10000, 100000};
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / fmt::format("bench_live.{}.onnx", ::getpid());
    for (const test::LargeShape shape : {test::LargeShape::Chain, test::LargeShape::Layers})
        for (const int nodes : sizes) {
            std::ofstream(file, std::ios::binary)
                << test::largeModel(shape, nodes).SerializeAsString();
            Commands commands;
            Request request;
            request.arguments.model = file.string();
            request.command = "info";
            fmt::print("{} of {} operators, read in {:.1f} ms\n",
                       shape == test::LargeShape::Chain ? "a chain" : "layers", nodes,
                       milliseconds(commands, request));
            request.arguments.rules = {"typed.fw"};
            for (const Typed& book : books)
                for (const char* command : {"check", "match", "assist"}) {
                    request.command = command;
                    std::vector<double> times;
                    for (int run = 0; run < 5; ++run) {
                        request.arguments.texts = {
                            {"typed.fw", book.text + fmt::format("# {}\n", run)}};
                        request.arguments.position = TextPlace{"typed.fw", 1, 12};
                        times.push_back(milliseconds(commands, request));
                    }
                    std::sort(times.begin(), times.end());
                    fmt::print("  {:15} {:7} {:8.1f}\n", book.name, command, times[2]);
                }
        }
    std::error_code error;
    std::filesystem::remove(file, error);
    return 0;
}
