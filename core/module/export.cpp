#include "module/export.h"

#include "base/files.h"
#include "base/process.h"
#include "base/sha256.h"
#include "module/embedded.h"
#include "module/export_text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace fw::module {

using namespace runtime;
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
// the end.
class Staging {
public:
    // `made`: the folder around it, if it was made for this export.
    Staging(std::string path, std::string made)
        : m_path(std::move(path)), m_made(std::move(made)) {}
    Staging(Staging&& other) noexcept
        : m_path(std::exchange(other.m_path, {})), m_made(std::exchange(other.m_made, {})) {}
    Staging& operator=(Staging&&) = delete;
    ~Staging() {
        std::error_code ignored;
        if (!m_path.empty())
            fs::remove_all(m_path, ignored);
        if (!m_made.empty())
            fs::remove(m_made, ignored); // if nothing was written there
    }

    const std::string& path() const { return m_path; }
    std::string file(std::string_view name) const { return fmt::format("{}/{}", m_path, name); }

private:
    std::string m_path;
    std::string m_made;
};

Result<Staging> makeStaging(const std::string& directory) {
    std::error_code error;
    const bool made = fs::create_directories(directory, error);
    if (error)
        return makeDiag(DiagCode::FileUnwritable,
                        fmt::format("cannot make the folder {}: {}", directory, error.message()));
    std::string path = directory + "/.export-XXXXXX";
    if (!mkdtemp(path.data()))
        return makeDiag(DiagCode::FileUnwritable,
                        fmt::format("cannot write into {}: {}", directory, strerror(errno)));
    return Staging(std::move(path), made ? directory : std::string());
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

// The payload of the weights file. Constants may share a place; gaps are zero.
Result<std::vector<std::byte>> gatherWeights(const ExportRequest& request) {
    const Program& program = request.program;
    std::vector<std::byte> payload;
    if (request.weights.payload)
        payload.assign(request.weights.payload, request.weights.payload + program.weightsBytes);
    else
        payload.resize(program.weightsBytes);
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
        const Tensor& tensor = program.tensors[i];
        if (tensor.storage != Storage::Constant)
            continue;
        const void* piece = i < request.weights.pieces.size() ? request.weights.pieces[i] : nullptr;
        std::int64_t bytes = 0;
        evaluate(program.expressions[tensor.bytes], nullptr,
                 bytes); // checkProgram did it without error
        if (piece && bytes > 0)
            std::memcpy(payload.data() + tensor.offset, piece, static_cast<std::size_t>(bytes));
        else if (!request.weights.payload && bytes > 0)
            return makeDiag(DiagCode::ExportFailed,
                            fmt::format("the constant {} has no data", tensor.name));
    }
    return payload;
}

fw::Status link(const ExportRequest& request, const Staging& staging, const CancelToken& cancel) {
    ProcessRequest process;
    process.folder = staging.path();
    process.timeout = std::chrono::minutes(5);
    const std::string library = fmt::format("lib{}.so", request.name);
    process.command = {request.compiler, "-shared", "-o", library, "contents.s"};
    for (std::size_t i = 0; i < request.objects.size(); ++i)
        process.command.push_back(fmt::format("kernels{}.o", i));
    // -Bsymbolic: the module calls its own functions even when another module in the process has
    // the same names.
    for (const char* word :
         {"-Wl,--whole-archive", "runtime.a", "-Wl,--no-whole-archive", "-Wl,--gc-sections",
          "-Wl,-Bsymbolic", "-Wl,-z,now", "-Wl,-z,relro", "-Wl,-z,defs", "-Wl,-z,noexecstack",
          "-Wl,--version-script=exports.map", "-Wl,--build-id=sha1", "-static-libgcc",
          "-Wl,--as-needed", "-lm"})
        process.command.emplace_back(word);
    process.command.push_back("-Wl,-soname," + library);

    auto result = runProcess(process, cancel);
    if (!result.ok() && result.diag().code == DiagCode::FileMissing)
        return makeDiag(DiagCode::ExportFailed, result.diag().message, {},
                        "a C compiler links the module: install the package gcc");
    if (!result.ok())
        return result.takeDiag();
    if (result->exitCode != 0)
        return makeDiag(DiagCode::ExportFailed,
                        fmt::format("{} could not link the module (exit code {}): {}",
                                    request.compiler, result->exitCode,
                                    result->errors.substr(0, 2000)));
    return {};
}

fw::Status writeParts(const ExportRequest& request, const Staging& staging,
                      std::string_view payload, std::uint64_t hash) {
    Program stored = request.program;
    stored.weightsHash = hash;
    stored.metadata.clear(); // has its own place in the library
    std::string weights(view(weightsHeader(payload.size(), hash)));
    weights += payload;
    const std::pair<std::string, std::string> files[] = {
        {"program.bin", std::string(view(writeProgram(stored)))},
        {"metadata.json", request.program.metadata},
        {"contents.s", contentsAssembly(request)},
        {"runtime.a", std::string(embeddedArchive())},
        {"exports.map", exportsText(request)},
        {request.name + ".weights", std::move(weights)},
        {request.name + ".h", headerText(request)},
        {request.name + "Config.cmake", configText(request)},
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
std::vector<std::string> openedLibraries(const Program& program) {
    std::vector<std::string> out;
    for (const LibraryCall& call : program.calls)
        if (const std::string name = libraryText(call);
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
    if (name.empty() || (name.front() >= '0' && name.front() <= '9'))
        name.insert(0, "model_");
    return name;
}

Result<ExportReport> exportModule(const ExportRequest& request, const std::string& directory,
                                  const CancelToken& cancel) {
    FW_CHECK(checkRequest(request));
    FW_TRY(const std::vector<std::byte> payload, gatherWeights(request));
    FW_TRY(const Staging staging, makeStaging(directory));
    FW_CHECK(writeParts(request, staging,
                        {reinterpret_cast<const char*>(payload.data()), payload.size()},
                        hashWeights(payload.data(), payload.size())));
    FW_CHECK(link(request, staging, cancel));
    FW_TRY(const std::vector<std::string> libraries, copyUserLibraries(request, staging));

    std::vector<std::string> names = {
        "CMakeLists.txt",          request.name + ".h",
        request.name + ".weights", request.name + "Config.cmake",
        "example_main.c",          fmt::format("lib{}.so", request.name)};
    names.insert(names.end(), libraries.begin(), libraries.end());
    std::sort(names.begin(), names.end());
    ExportReport report;
    std::vector<FileEntry> entries;
    for (const std::string& name : names) {
        FW_TRY(const MappedFile file, mapFile(staging.file(name), std::uint64_t{1} << 40));
        entries.push_back({name, file.bytes.size(), sha256Hex(file.bytes)});
        report.sha256[name] = entries.back().sha256;
    }
    report.libraries = openedLibraries(request.program);
    FW_CHECK(
        writeFile(staging.file("manifest.json"), manifestText(request, entries, report.libraries)));
    names.push_back("manifest.json");

    for (const std::string& name : names) {
        std::error_code error;
        const std::string target = fmt::format("{}/{}", directory, name);
        fs::rename(staging.file(name), target, error);
        if (error)
            return makeDiag(DiagCode::FileUnwritable,
                            fmt::format("cannot write {}: {}", target, error.message()));
    }
    std::sort(names.begin(), names.end());
    report.directory = directory;
    report.files = std::move(names);
    report.abi = fmt::format("{}", FW_ABI_VERSION);
    report.target = request.program.target;
    return report;
}

} // namespace fw::module
