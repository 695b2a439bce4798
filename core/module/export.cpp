#include "module/export.h"

#include "base/files.h"
#include "base/leftovers.h"
#include "base/process.h"
#include "base/sha256.h"
#include "base/system_limit.h"
#include "module/embedded.h"
#include "module/export_cmake.h"
#include "module/export_text.h"
#include "module/placement.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <list>
#include <memory>
#include <set>
#include <unistd.h>

namespace fw::module {

namespace fs = std::filesystem;

namespace {

bool isIdentifier(std::string_view text, std::string_view extra) {
    if (text.empty() || (text.front() >= '0' && text.front() <= '9'))
        return false;
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || extra.find(c) != std::string_view::npos;
    });
}

std::string_view view(const std::vector<std::uint8_t>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A folder beside the results, in which everything is built before anything is replaced. Removed in
// the end, or when a signal ends the process.
class Staging {
public:
    // `made`: the folders around it that were made for this export, the outermost first.
    Staging(std::string path, const std::vector<std::string>& made) : m_path(std::move(path)) {
        for (const std::string& folder : made)
            m_left.emplace_back(Leftover::Kind::EmptyFolder, folder);
        m_left.emplace_back(Leftover::Kind::Folder, m_path);
    }
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;
    ~Staging() {
        for (auto one = m_left.rbegin(); one != m_left.rend(); ++one)
            one->removeNow();
    }

    const std::string& path() const { return m_path; }
    std::string file(std::string_view name) const { return fmt::format("{}/{}", m_path, name); }

private:
    std::string m_path;
    std::list<Leftover> m_left;
};

// Those of `folder` that there are not, the outermost first.
std::vector<std::string> missingFolders(const fs::path& folder) {
    std::vector<std::string> out;
    std::error_code error;
    for (fs::path one = folder; !one.empty() && !fs::exists(one, error); one = one.parent_path())
        out.insert(out.begin(), one.string());
    return out;
}

Result<std::unique_ptr<Staging>> makeStaging(const std::string& directory) {
    const Making making;
    const std::vector<std::string> made = missingFolders(directory);
    std::error_code error;
    fs::create_directories(directory, error);
    if (error)
        return makeDiag(DiagCode::FileUnwritable,
                        fmt::format("cannot make the folder {}: {}", directory, error.message()));
    std::string path = directory + "/.export-XXXXXX";
    if (!mkdtemp(path.data()))
        return makeDiag(DiagCode::FileUnwritable,
                        fmt::format("cannot write into {}: {}", directory, strerror(errno)));
    return std::make_unique<Staging>(std::move(path), made);
}

fw::Status checkRequest(const ExportRequest& request) {
    if (!isIdentifier(request.name, ""))
        return makeDiag(DiagCode::Usage, fmt::format("\"{}\" cannot name a module", request.name),
                        {}, "letters, digits and _, not starting with a digit");
    for (const std::string& kernel : request.kernels)
        if (!isIdentifier(kernel, ".$"))
            return makeDiag(DiagCode::ExportFailed,
                            fmt::format("\"{}\" cannot name a kernel", kernel));
    if (request.kernels.size() != request.program.kernelCount)
        return makeDiag(DiagCode::ExportFailed,
                        fmt::format("the program has {} kernels, the table {}",
                                    request.program.kernelCount, request.kernels.size()));
    if (const auto status = checkProgram(request.program); !status.ok())
        return makeDiag(DiagCode::ExportFailed, status.message);
    return {};
}

// The payload of the weights file: that of the request, or `payload` where pieces of it lie
// elsewhere. Constants may share a place; gaps are zero.
Result<std::span<const std::byte>> gatherWeights(const ExportRequest& request,
                                                 std::vector<std::byte>& payload) {
    const runtime::Program& program = request.program;
    const bool whole = request.weights.payload != nullptr;
    const std::vector<const void*> pieces(request.weights.pieces.begin(),
                                          request.weights.pieces.end());
    if (whole && std::all_of(pieces.begin(), pieces.end(),
                             [](const void* piece) { return piece == nullptr; }))
        return std::span(request.weights.payload, program.weightsBytes);
    if (whole)
        payload.assign(request.weights.payload, request.weights.payload + program.weightsBytes);
    else
        payload.resize(program.weightsBytes);
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
        const runtime::Tensor& tensor = program.tensors[i];
        if (tensor.storage != runtime::Storage::Constant)
            continue;
        const void* piece = i < pieces.size() ? pieces[i] : nullptr;
        std::int64_t bytes = 0;
        runtime::evaluate(program.expressions[tensor.bytes], nullptr,
                          bytes); // checkProgram did it without error
        if (piece && bytes > 0)
            std::memcpy(payload.data() + tensor.offset, piece, static_cast<std::size_t>(bytes));
        else if (!whole && bytes > 0)
            return makeDiag(DiagCode::ExportFailed,
                            fmt::format("the constant {} has no data", tensor.name));
    }
    return std::span<const std::byte>(payload);
}

// Weights are as large as the memory that they leave: they are written from where they lie, and
// read back in pieces.
fw::Status writeWeights(const std::string& path, std::span<const std::uint8_t> header,
                        std::span<const std::byte> payload) {
    const auto unwritable = [&] {
        return makeDiag(DiagCode::FileUnwritable,
                        fmt::format("cannot write {}: {}", path, strerror(errno)));
    };
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return unwritable();
    bool fine = true;
    for (std::span<const std::byte> rest : {std::as_bytes(header), payload})
        while (fine && !rest.empty()) {
            const ssize_t count = ::write(file, rest.data(), rest.size());
            if (count > 0)
                rest = rest.subspan(static_cast<std::size_t>(count));
            else
                fine = count < 0 && errno == EINTR;
        }
    fine = fine && ::fsync(file) == 0;
    fw::Status out = fine ? fw::Status() : fw::Status(unwritable());
    if (::close(file) != 0 && out.ok())
        out = unwritable();
    return out;
}

Result<FileEntry> entryOf(const std::string& name, const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> piece(std::size_t{1} << 20);
    Sha256 sum;
    std::uint64_t size = 0;
    while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) ||
           file.gcount() > 0) {
        const std::span<const char> read(piece.data(), static_cast<std::size_t>(file.gcount()));
        sum.add(std::as_bytes(read));
        size += read.size();
    }
    if (!file.eof())
        return makeDiag(DiagCode::FileMissing, fmt::format("cannot read {}", path));
    return FileEntry{name, size, sum.hex()};
}

fw::Status runTool(std::vector<std::string> command, const Staging& staging,
                   const CancelToken& cancel) {
    ProcessRequest process;
    process.folder = staging.path();
    process.temporaries = "."; // removed with all else
    process.inEnglish = true;
    process.timeout = std::chrono::minutes(5);
    process.command = std::move(command);
    const std::string tool = process.command.front();
    auto result = runProcess(process, cancel);
    if (!result.ok() && result.diag().code == DiagCode::FileMissing)
        return makeDiag(DiagCode::ExportFailed, result.diag().message, {},
                        "a C compiler links the module: install the package gcc");
    if (!result.ok())
        return result.takeDiag();
    if (result->exitCode == 0)
        return {};
    if (auto limit = systemLimitIn(result->errors, tool + " could not link the module"))
        return std::move(*limit);
    return makeDiag(DiagCode::ExportFailed,
                    fmt::format("{} could not link the module (exit code {}): {}", tool,
                                result->exitCode, result->errors.substr(0, 2000)));
}

fw::Status linkShared(const ExportRequest& request, const Staging& staging,
                      const CancelToken& cancel) {
    std::vector<std::string> command = {request.compiler, "-shared", "-o", request.library(),
                                        "contents.s"};
    for (std::size_t i = 0; i < request.objects.size(); ++i)
        command.push_back(fmt::format("kernels{}.o", i));
    // -Bsymbolic: the module calls its own functions even when another module in the process has
    // the same names.
    for (const char* word :
         {"-Wl,--whole-archive", "runtime.a", "-Wl,--no-whole-archive", "-Wl,--gc-sections",
          "-Wl,-Bsymbolic", "-Wl,-z,now", "-Wl,-z,relro", "-Wl,-z,defs", "-Wl,-z,noexecstack",
          "-Wl,--version-script=exports.map", "-Wl,--build-id=sha1", "-static-libgcc",
          "-Wl,--as-needed", "-lm"})
        command.emplace_back(word);
    command.push_back("-Wl,-soname," + request.library());
    return runTool(std::move(command), staging, cancel);
}

// Two members. What a module holds is one object in which every name is local but for its own:
// fw_NAME_api, and fw_NAME_open for fw_open. The other one gives the functions their common names;
// of several modules in a program the linker takes that of the first, and only if one is called.
fw::Status linkStatic(const ExportRequest& request, const Staging& staging,
                      const CancelToken& cancel) {
    std::vector<std::string> whole = {request.compiler, "-r",        "-nostdlib", "-o",
                                      "module.o",       "contents.s"};
    for (std::size_t i = 0; i < request.objects.size(); ++i)
        whole.push_back(fmt::format("kernels{}.o", i));
    // Groups of sections that two modules share by name would be thrown away in the second.
    for (const char* word : {"-Wl,--whole-archive", "runtime.a", "-Wl,--no-whole-archive",
                             "-Wl,--force-group-allocation", "-Wl,-z,noexecstack"})
        whole.emplace_back(word);
    FW_CHECK(runTool(std::move(whole), staging, cancel));
    FW_CHECK(runTool({"objcopy", "--redefine-syms=renamed", "--keep-global-symbols=kept",
                      "module.o", request.name + ".o"},
                     staging, cancel));
    FW_CHECK(
        runTool({request.compiler, "-c", "-o", "functions.o", "functions.s"}, staging, cancel));
    return runTool({"ar", "rcsD", request.library(), request.name + ".o", "functions.o"}, staging,
                   cancel);
}

fw::Status writeParts(const ExportRequest& request, const Staging& staging,
                      std::span<const std::byte> payload) {
    runtime::Program stored = request.program;
    const std::uint64_t hash = runtime::hashWeights(payload.data(), payload.size());
    stored.weightsHash = hash;
    stored.metadata.clear(); // has its own place in the library
    FW_CHECK(writeWeights(staging.file(request.weightsFile()),
                          runtime::weightsHeader(payload.size(), hash), payload));
    const std::pair<std::string, std::string> files[] = {
        {"program.bin", std::string(view(runtime::writeProgram(stored)))},
        {"metadata.json", request.program.metadata},
        {"contents.s", contentsAssembly(request)},
        {"runtime.a", std::string(embeddedArchive())},
        {"exports.map", exportsText(request)},
        {"renamed", renamedText(request)},
        {"kept", keptText(request)},
        {"functions.s", functionsAssembly(request)},
        {request.name + ".h", headerText(request)},
        {request.name + "Config.cmake", configText(request)},
        {request.name + "ConfigVersion.cmake", configVersionText()},
        {"CMakeLists.txt", listsText(request)},
        {"example_main.c", exampleText(request)},
    };
    for (const auto& [name, text] : files)
        FW_CHECK(writeFile(staging.file(name), text));
    for (std::size_t i = 0; i < request.objects.size(); ++i) {
        const auto bytes = request.objects[i].bytes;
        FW_CHECK(writeFile(staging.file(fmt::format("kernels{}.o", i)),
                           {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    }
    return {};
}

// What the module opens when it is opened. It links libc and libm alone; -z defs holds it to that.
std::vector<std::string> openedLibraries(const runtime::Program& program) {
    std::vector<std::string> out;
    for (const runtime::LibraryCall& call : program.calls)
        if (const std::string name = runtime::libraryText(call);
            std::find(out.begin(), out.end(), name) == out.end())
            out.push_back(name);
    return out;
}

// They lie beside the module, which looks for them there.
Result<std::vector<std::string>> copyUserLibraries(const ExportRequest& request,
                                                   const Staging& staging) {
    std::vector<std::string> out;
    for (const std::string& file : request.userLibraries) {
        const std::string name = fs::path(file).filename().string();
        std::error_code error;
        if (fs::exists(staging.file(name), error))
            return makeDiag(DiagCode::ExportFailed,
                            fmt::format("{} would lie where the module's own {} lies", file, name),
                            {}, "give the model's file or the library's file another name");
        fs::copy_file(file, staging.file(name), error);
        if (error)
            return makeDiag(
                DiagCode::ExportFailed,
                fmt::format("{} cannot be copied beside the module: {}", file, error.message()));
        out.push_back(name);
    }
    return out;
}

} // namespace

std::string moduleName(std::string_view text) {
    std::string name;
    for (char c : text) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
        name += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
    }
    // fw_module_api is a function of the runtime, FW_INPUT_MISSING a status, and -lm the C
    // library's.
    static constexpr std::array taken{"module", "fw", "fusewright", "c",
                                      "m",      "dl", "rt",         "pthread"};
    if (name.empty() || (name.front() >= '0' && name.front() <= '9') ||
        std::find(taken.begin(), taken.end(), name) != taken.end())
        name.insert(0, "model_");
    return name;
}

Result<ExportReport> exportModule(const ExportRequest& request, const std::string& directory,
                                  const CancelToken& cancel) {
    FW_CHECK(checkRequest(request));
    std::vector<std::byte> gathered;
    FW_TRY(const std::span<const std::byte> payload, gatherWeights(request, gathered));
    FW_TRY(const std::unique_ptr<Staging> made, makeStaging(directory));
    const Staging& staging = *made;
    FW_CHECK(writeParts(request, staging, payload));
    FW_CHECK(request.isStatic ? linkStatic(request, staging, cancel)
                              : linkShared(request, staging, cancel));
    FW_TRY(const std::vector<std::string> libraries, copyUserLibraries(request, staging));

    std::vector<std::string> names = {"CMakeLists.txt",
                                      request.name + ".h",
                                      request.name + "Config.cmake",
                                      request.name + "ConfigVersion.cmake",
                                      "example_main.c",
                                      request.library()};
    if (!request.embedsWeights)
        names.push_back(request.weightsFile());
    names.insert(names.end(), libraries.begin(), libraries.end());
    std::sort(names.begin(), names.end());
    ExportReport report;
    std::vector<FileEntry> entries;
    for (const std::string& name : names) {
        FW_TRY(FileEntry entry, entryOf(name, staging.file(name)));
        entries.push_back(std::move(entry));
        report.sha256[name] = entries.back().sha256;
    }
    report.libraries = openedLibraries(request.program);
    FW_CHECK(
        writeFile(staging.file("manifest.json"), manifestText(request, entries, report.libraries)));
    names.push_back("manifest.json");

    FW_CHECK(placeAll(staging.path(), directory, names));
    std::sort(names.begin(), names.end());
    report.directory = directory;
    report.files = std::move(names);
    report.abi = fmt::format("{}", FW_ABI_VERSION);
    report.target = request.program.target;
    return report;
}

} // namespace fw::module
