// command_mutants: books, documents, models, tensors and requests that were right, changed in a few
// places, given to the commands that take them. Each is taken or refused with a message: whatever
// ends the process, breaks an invariant of it or keeps it busy is a failure. accuracy.md has the
// last result.
#include "base/files.h"
#include "fuzz/forked.h"
#include "mutants/mutate.h"
#include "onnx/model/tensor_file.h"
#include "session/commands.h"
#include "snapshot/document_file.h"
#include "snapshot/documents.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <unistd.h>

using namespace fw;
using namespace fw::test;

namespace {

namespace fs = std::filesystem;
const std::string samples = FW_SOURCE_DIR "/samples/";
const std::string target = "x86-64 -libs= -threads=1";

std::vector<std::string> filesBelow(const std::string& folder, const std::string& ending,
                                    std::uint64_t mostBytes) {
    std::vector<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().string().ends_with(ending) &&
            entry.file_size() <= mostBytes)
            out.push_back(entry.path().string());
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<std::string> textsOf(const std::vector<std::string>& files) {
    std::vector<std::string> out;
    for (const std::string& file : files)
        if (auto text = readFile(file, 1U << 20))
            out.push_back(text.take());
    return out;
}

// What asks the commands, and counts how they answered.
class Asking {
public:
    Asking(std::string folder, std::size_t index)
        : m_stem((fs::path(folder) / fmt::format("m{}", index)).string()) {}

    std::string file(const std::string& ending, std::string_view bytes) {
        const std::string path = m_stem + ending;
        if (const Status written = writeFile(path, bytes); !written)
            throw InternalError(written.diag().text());
        m_files.push_back(path);
        return path;
    }
    std::string result(const std::string& ending) {
        m_files.push_back(m_stem + ending);
        return m_files.back();
    }
    void ask(Commands& commands, const std::string& command, snapshot::Arguments arguments) {
        snapshot::Request request;
        request.command = command;
        request.arguments = std::move(arguments);
        ask(commands, request);
    }
    void ask(Commands& commands, const snapshot::Request& request) {
        const Context context;
        const Result<std::string> answer = commands.run(request, context);
        if (!answer && answer.diag().code == DiagCode::Internal)
            m_broken = request.command + ": " + answer.diag().text();
        m_taken = m_taken || answer.ok();
    }
    bool taken() const { return m_taken; }
    const std::string& broken() const { return m_broken; }
    void clean() const {
        std::error_code ignored;
        for (const std::string& path : m_files)
            fs::remove_all(path, ignored);
    }

private:
    std::string m_stem, m_broken;
    std::vector<std::string> m_files;
    bool m_taken = false; // by one of the commands at least
};

struct Kind {
    const char* name;
    std::vector<std::string> (*sources)();
    std::string (*mutated)(const std::string& source, const std::vector<std::string>& words,
                           Random& random);
    void (*ask)(Asking& asking, Commands& commands, const std::string& mutant);
    bool whole; // each source is taken, not only with others beside it
};

std::string changedText(const std::string& source, const std::vector<std::string>& words,
                        Random& random) {
    return mutatedText(source, words, random);
}

std::string changedModel(const std::string& source, const std::vector<std::string>&,
                         Random& random) {
    return random.chance(30) ? mutatedBytes(source, random) : mutatedModel(source, random);
}

std::string changedBytes(const std::string& source, const std::vector<std::string>&,
                         Random& random) {
    return mutatedBytes(source, random);
}

// --- books: one declaration at a time, as the whole books take seconds to check

std::vector<std::string> declarations() {
    std::vector<std::string> out;
    auto files = filesBelow(FW_SOURCE_DIR "/resources/library", ".fw", 1 << 20);
    const auto more = filesBelow(samples, ".fw", 1 << 20);
    files.insert(files.end(), more.begin(), more.end());
    for (const std::string& text : textsOf(files))
        for (std::size_t begin = 0; begin < text.size();) {
            std::size_t end = text.find("\n\n", begin);
            end = end == std::string::npos ? text.size() : end + 2;
            if (end - begin > 20)
                out.push_back(text.substr(begin, end - begin));
            begin = end;
        }
    return out;
}

void askBook(Asking& asking, Commands& commands, const std::string& mutant) {
    snapshot::Arguments arguments;
    arguments.rules = {asking.file(".fw", mutant)};
    asking.ask(commands, "check", arguments);
    arguments.model = samples + "lenet";
    arguments.target = target;
    asking.ask(commands, "fuse", arguments);
}

// --- documents

std::vector<std::string> documents() {
    std::vector<std::string> out;
    for (const char* sample : {"mlp", "lenet", "free_batch"}) {
        snapshot::Inputs inputs;
        inputs.model = samples + sample + "/model.onnx";
        inputs.target = target;
        inputs.libraries = {{"onednn"}};
        inputs.books = {{samples + "schedules/tiles.fw", snapshot::Enabled::Yes},
                        {samples + "onednn-partition/simple.fw", snapshot::Enabled::No}};
        inputs.without = {"scales.fw"};
        inputs.leftOut = {"fold_bn at nobody"};
        inputs.pins = {{snapshot::PinKind::Avoid, {}, "generated.tiled", "it is tried"}};
        if (sample == std::string("free_batch"))
            inputs.dims = {{"N", 8}};
        out.push_back(snapshot::documentText(inputs, "/nowhere"));
    }
    return out;
}

void askDocument(Asking& asking, Commands& commands, const std::string& mutant) {
    snapshot::Arguments arguments;
    arguments.model = asking.file(".fwdoc", mutant);
    asking.ask(commands, "info", arguments);
    asking.ask(commands, "fuse", arguments);
}

// --- models

std::vector<std::string> models() {
    std::vector<std::string> files = filesBelow(samples, ".onnx", 100 << 10);
    const auto cases = filesBelow(FW_SOURCE_DIR "/tests/conformance", "model.onnx", 20 << 10);
    files.insert(files.end(), cases.begin(), cases.end());
    return textsOf(files);
}

void askModel(Asking& asking, Commands& commands, const std::string& mutant) {
    snapshot::Arguments arguments;
    arguments.model = asking.file(".onnx", mutant);
    arguments.target = target;
    asking.ask(commands, "info", arguments);
    asking.ask(commands, "fuse", arguments);
    asking.ask(commands, "run", arguments);
    arguments.output = asking.result(".out.onnx");
    asking.ask(commands, "rewrite", arguments);
}

// --- tensors

std::vector<std::string> tensors() {
    std::vector<std::string> out = textsOf(filesBelow(samples + "mlp", "input_0.pb", 20 << 10));
    std::string npy("\x93NUMPY\x01\0v\0", 10);
    npy += "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 784), }";
    npy.resize(127, ' ');
    out.push_back(npy + "\n" + std::string(784 * 4, '\x3F'));
    return out;
}

void askTensor(Asking& asking, Commands& commands, const std::string& mutant) {
    snapshot::Arguments arguments;
    arguments.model = samples + "mlp";
    arguments.target = target;
    const bool isNumpy = mutant.starts_with("\x93NUM");
    static const std::string name = [&commands, arguments] {
        snapshot::Request request;
        request.command = "info";
        request.arguments = arguments;
        const auto text = commands.run(request, {});
        const auto info = text ? snapshot::fromJson<snapshot::InfoDocument>(*text)
                               : Result<snapshot::InfoDocument>(text.diag());
        return info ? info->inputs.at(0).name : std::string();
    }();
    arguments.inputs = {{name, asking.file(isNumpy ? ".npy" : ".pb", mutant)}};
    arguments.output = asking.result(".out");
    asking.ask(commands, "run", arguments);
}

// --- requests: what writes files is not among them

std::vector<std::string> requests() {
    std::vector<std::string> out;
    const auto add = [&](const char* command, auto change) {
        snapshot::Request request;
        request.id = 7;
        request.command = command;
        request.arguments.model = samples + "lenet";
        request.arguments.target = target;
        change(request.arguments);
        out.push_back(snapshot::requestLine(request));
    };
    add("info", [](auto& a) {
        a.model = samples + "free_batch";
        a.dims = {{"N", 4}};
    });
    add("fuse", [](auto& a) { a.rules = {samples + "schedules/tiles.fw"}; });
    add("explain", [](auto& a) { a.nodes = {"Conv_conv1", "Relu_relu1"}; });
    add("graph", [](auto& a) { a.stage = "fused"; });
    add("stages", [](auto& a) {
        a.stage = "loops";
        a.group = 1;
    });
    add("match", [](auto& a) {
        a.rules = {samples + "onednn-partition/simple.fw"};
        a.limit = 10;
        a.seconds = 2.0;
    });
    add("assist", [](auto& a) {
        a.rules = {samples + "schedules/tiles.fw"};
        a.position = snapshot::TextPlace{a.rules.front(), 3, 5};
    });
    add("ops", [](auto& a) { a.name = "conv2d"; });
    add("step", [](auto& a) { a.until = {"another rule"}; });
    add("sketch", [](auto& a) {
        a.nodes = {"Conv_conv1", "Relu_relu1"};
        a.kind = "rule";
    });
    return out;
}

void askRequest(Asking& asking, Commands& commands, const std::string& mutant) {
    const Result<snapshot::Command> command = snapshot::readCommand(mutant);
    if (!command || !command->request)
        return;
    snapshot::Request request = *command->request;
    request.arguments.output.clear();
    request.arguments.trace.clear();
    request.arguments.log.clear();
    asking.ask(commands, request);
}

constexpr Kind kinds[] = {
    {"book", declarations, changedText, askBook, false},
    {"document", documents, changedText, askDocument, true},
    {"model", models, changedModel, askModel, false},
    {"tensor", tensors, changedBytes, askTensor, true},
    {"request", requests, changedText, askRequest, true},
};

struct Options {
    std::uint64_t seed = 1;
    std::size_t count = 2000;
    long seconds = 120; // for one mutant
    std::string kind, keep;
};

class MutantProgram {
public:
    explicit MutantProgram(Options options)
        : m_options(std::move(options)),
          m_folder(
              (fs::temp_directory_path() / fmt::format("command_mutants_{}", getpid())).string()) {
        fs::create_directories(m_folder);
    }
    ~MutantProgram() {
        std::error_code ignored;
        fs::remove_all(m_folder, ignored);
    }

    int main() {
        bool asked = false;
        for (const Kind& kind : kinds)
            if (m_options.kind.empty() || m_options.kind == kind.name) {
                ask(kind);
                asked = true;
            }
        if (!asked)
            fmt::print("there is no kind {}\n", m_options.kind);
        return asked && m_failures == 0 ? 0 : asked ? 1 : 2;
    }

private:
    // So many are asked by one child: what it holds of them is let go.
    static constexpr std::size_t mostOfAChild = 50;

    std::string mutant(const Kind& kind, std::size_t index) const {
        Random random(m_options.seed + index);
        return kind.mutated(random.pick(m_sources), m_words, random);
    }

    void ask(const Kind& kind) {
        const auto start = std::chrono::steady_clock::now();
        m_sources = kind.sources();
        m_words = wordsOf(m_sources);
        std::map<std::string, int> answers;
        int failures = kind.whole ? refusedSources(kind) : 0;
        for (std::size_t next = 0; next < m_options.count;) {
            std::string ending;
            const std::size_t end = std::min(next + mostOfAChild, m_options.count);
            const std::vector<std::string> lines =
                fuzz::linesOf([&](const fuzz::Say& say) { askSome(kind, next, end, say); },
                              std::chrono::seconds(m_options.seconds), ending);
            std::string broken;
            for (const std::string& line : lines) {
                if (line == "taken" || line == "refused") {
                    ++answers[line];
                    ++next;
                } else {
                    broken = line;
                    break;
                }
            }
            if (broken.empty() && next < end)
                broken = ending.empty() ? "no answer" : ending;
            if (broken.empty())
                continue;
            ++failures;
            fmt::print("FAILED command_mutants --kind {} --seed {} --count 1\n    {}\n", kind.name,
                       m_options.seed + next, broken);
            keep(kind, next);
            ++next;
        }
        m_failures += failures;
        fmt::print("{}: {} to {}: {} mutants of {} sources, {} taken, {} refused, {} failures, "
                   "{} s\n",
                   kind.name, m_options.seed, m_options.seed + m_options.count - 1, m_options.count,
                   m_sources.size(), answers["taken"], answers["refused"], failures,
                   std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::steady_clock::now() - start)
                       .count());
        std::fflush(stdout);
    }

    // What is not taken as it is says nothing when it is changed.
    int refusedSources(const Kind& kind) const {
        std::string ending;
        const auto lines = fuzz::linesOf(
            [&](const fuzz::Say& say) {
                Commands commands;
                for (std::size_t i = 0; i < m_sources.size(); ++i) {
                    Asking asking(m_folder, i);
                    kind.ask(asking, commands, m_sources[i]);
                    asking.clean();
                    if (!asking.taken())
                        say(fmt::format("refused {}", i));
                }
            },
            std::chrono::seconds(m_options.seconds), ending);
        for (const std::string& line : lines)
            fmt::print("source of kind {}: {}\n", kind.name, line);
        if (!ending.empty())
            fmt::print("sources of kind {}: {}\n", kind.name, ending);
        return static_cast<int>(lines.size()) + (ending.empty() ? 0 : 1);
    }

    void askSome(const Kind& kind, std::size_t begin, std::size_t end, const fuzz::Say& say) const {
        Commands commands;
        for (std::size_t i = begin; i < end; ++i) {
            Asking asking(m_folder, i);
            kind.ask(asking, commands, mutant(kind, i));
            asking.clean();
            if (!asking.broken().empty())
                return say(asking.broken());
            say(asking.taken() ? "taken" : "refused");
        }
    }

    void keep(const Kind& kind, std::size_t index) const {
        if (m_options.keep.empty())
            return;
        std::error_code error;
        fs::create_directories(m_options.keep, error);
        const std::string file =
            (fs::path(m_options.keep) / fmt::format("{}_{}", kind.name, m_options.seed + index))
                .string();
        if (const Status written = writeFile(file, mutant(kind, index)); !written)
            fmt::print("{}\n", written.diag().text());
    }

    Options m_options;
    std::string m_folder;
    std::vector<std::string> m_sources, m_words;
    int m_failures = 0;
};

} // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Inputs of the commands, changed in a few places");
    app.add_option("--kind", options.kind, "book, document, model, tensor or request; else all");
    app.add_option("--seed", options.seed, "of the first mutant of each kind");
    app.add_option("--count", options.count, "how many of each kind");
    app.add_option("--seconds", options.seconds, "for one at most");
    app.add_option("--keep", options.keep, "folder for those that fail");
    CLI11_PARSE(app, argc, argv);
    return MutantProgram(std::move(options)).main();
}
