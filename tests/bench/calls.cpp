// What our code and the libraries reach in each class of work, at levels of the instruction set
// that this CPU has: the figures of the tables that CPUs have which are named (`Efficiency`), as
// parts of the tabulated peak of one core.
//
//     bench_calls [x86-64-v3...]
#include "extern/extern.h"
#include "session/calibrate.h"
#include "strategy/machine.h"

#include <fmt/format.h>

int main(int argc, char** argv) {
    using namespace fw;
    const std::string cpu = argc > 1 ? argv[1] : "x86-64-v3";
    const auto target = parseTarget(fmt::format("x86-64 -mcpu={}", cpu));
    if (!target) {
        fmt::print(stderr, "{}\n", target.diag().text());
        return 1;
    }
    if (const Status held = holdLibraries(*target); !held) {
        fmt::print(stderr, "{}\n", held.diag().text());
        return 1;
    }
    const auto measured = measureRates(*target, {});
    if (!measured) {
        fmt::print(stderr, "{}\n", measured.diag().text());
        return 1;
    }
    const double peak = tabulatedMachine(*target).gflops;
    for (const auto& [name, rate] : measured->rates)
        fmt::print("{:24} {:9.2f}   {:.2f} of {} GFLOP/s\n", name, rate, rate / peak, peak);
    if (measured->disturbed)
        fmt::print("other work disturbed the measurement\n");
    return 0;
}
