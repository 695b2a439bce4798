// What programs hold of a model's weights.
#include "base/files.h"
#include "base/hash.h"
#include "base/process.h"
#include "common/test.h"
#include "onnx/model_builder.h"

#include <QTemporaryDir>

#include <fmt/format.h>

#include <cstring>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace fw;
using namespace fw::test;

namespace {

// `PROGRAM --peak-of COMMAND...` runs a command and prints the most kilobytes that it, or a process
// it waited for, held at a time. A process of its own: a child begins with what its parent holds.
constexpr const char* peakOf = "--peak-of";

int printPeak(char** command) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
        ::execv(command[0], command);
        ::_exit(127);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) < 0)
        return 1;
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    fmt::print("{}\n", usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

} // namespace

class TestHeldWeights : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void weightsAreHeldTwice();
};

// Weights inside the file: the file's pages are given back while it is read. Weights beside it:
// those of the graph, and those of the module in its order. What is left is the program. Nobody
// holds a third copy.
void TestHeldWeights::weightsAreHeldTwice() {
    constexpr std::int64_t width = 2048, layers = 6; // 96 MiB
    QTemporaryDir folder;
    const auto path = [&](const char* name) {
        return folder.filePath(QString::fromLatin1(name)).toStdString();
    };
    std::string bytes(static_cast<std::size_t>(4 * width * width * layers), '\0');
    for (std::size_t i = 0; i < bytes.size(); i += 4) { // no two layers are equal
        const auto value = static_cast<float>(mixHash(i, 1) % 1000) * 1e-4F;
        std::memcpy(bytes.data() + i, &value, sizeof value);
    }
    QVERIFY(writeFile(path("w.bin"), bytes).ok());
    const auto write = [&](std::int64_t wide, bool isInside, const char* name) {
        ModelBuilder model(17);
        model.input("x0", {"N", std::to_string(wide)});
        const std::int64_t size = wide * wide * 4;
        for (std::int64_t i = 0; i < layers; ++i) {
            model.externalWeights(fmt::format("w{}", i), wide, "w.bin", std::to_string(i * size),
                                  std::to_string(size));
            auto& weights = *model.graph().mutable_initializer(static_cast<int>(i));
            weights.add_dims(wide);
            if (isInside) {
                weights.clear_data_location();
                weights.clear_external_data();
                weights.set_raw_data(bytes.substr(static_cast<std::size_t>(i * size),
                                                  static_cast<std::size_t>(size)));
            }
            model.node("MatMul", fmt::format("x{0} w{0}", i), fmt::format("m{}", i));
            model.node("Relu", fmt::format("m{}", i), fmt::format("x{}", i + 1));
        }
        model.output(fmt::format("x{}", layers));
        return writeFile(path(name), model.bytes()).ok();
    };
    QVERIFY(write(16, false, "small.onnx") && write(width, true, "inside.onnx") &&
            write(width, false, "beside.onnx"));
    const auto peak = [](std::vector<std::string> command) {
        command.insert(command.begin(), {"/proc/self/exe", fw::test::runningTest(), peakOf,
                                         FW_BINARY_DIR "/bin/fw"});
        ProcessRequest process;
        process.command = std::move(command);
        const auto done = runProcess(process, {});
        return done.ok() && done->exitCode == 0 ? std::strtod(done->output.c_str(), nullptr) / 1024
                                                : 0.0;
    };
    const auto exported = [&](const char* name) {
        return peak({"export", path(name), "--target", "x86-64 -libs=", "-o", path("out")});
    };
    const double without = exported("small.onnx");
    const double inside = peak({"info", path("inside.onnx")});
    const double beside = exported("beside.onnx");
    const double weights = 4.0 * width * width * layers / (1 << 20);
    qInfo("%.0f MB of weights: info %.0f MB, export %.0f MB, without %.0f MB", weights, inside,
          beside, without);
    QVERIFY(without > 0 && inside > 0 && beside > 0);
    QVERIFY2(inside < 85 + 2 * weights, qPrintable(QString::number(inside)));
    QVERIFY2(beside < 85 + 2 * weights, qPrintable(QString::number(beside)));
}

FW_TEST_BY([](int count, char** words) {
    if (count > 2 && std::string_view(words[1]) == peakOf)
        return printPeak(words + 2);
    return fw::test::runAs<TestHeldWeights, QCoreApplication>(count, words);
})
#include "test_held_weights.moc"
