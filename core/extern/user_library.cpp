#include "extern/user_library.h"

#include "base/files.h"
#include "base/sha256.h"
#include "extern/adapter.h"
#include "extern/user_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>

namespace fw {

namespace {

constexpr std::uint64_t largestFile = std::uint64_t{1} << 32;

bool isSwitchedOff(const DeclaredLibrary& library) {
    const char* set = std::getenv(runtime::userLibraryVariable(library.name).c_str());
    return set != nullptr && *set == '\0';
}

class UserLibrary final : public Library, public std::enable_shared_from_this<UserLibrary> {
public:
    UserLibrary(DeclaredLibrary declared, std::vector<std::string> agreed)
        : m_declared(std::move(declared)), m_agreed(std::move(agreed)) {}

    const std::string& name() const override { return m_declared.name; }
    bool isDeclared() const override { return true; }

    const LibraryStatus& status() const override {
        std::call_once(m_once, [&] { m_status = open(); });
        return m_status;
    }

    std::vector<std::shared_ptr<const Implementation>> implementations() const override {
        return {}; // a composite says what each kernel computes
    }

    std::shared_ptr<const Implementation> kernel(std::string_view name) const override {
        if (status().state != LibraryState::Ready || m_opened->find(std::string(name)) == nullptr)
            return nullptr;
        return std::make_shared<UserKernel>(shared_from_this(), *m_opened, std::string(name));
    }

    std::string kernels() const override {
        return status().state == LibraryState::Ready ? m_opened->kernels() : std::string();
    }

private:
    LibraryStatus open() const {
        LibraryStatus out;
        out.path = fileOf(m_declared);
        const auto state = [&](LibraryState what, std::string why) {
            out.state = what;
            out.reason = std::move(why);
            return out;
        };
        if (isSwitchedOff(m_declared))
            return state(LibraryState::Missing,
                         "switched off by " + runtime::userLibraryVariable(m_declared.name));
        std::error_code error;
        if (!std::filesystem::is_regular_file(out.path, error))
            return state(LibraryState::Missing, "there is no file " + out.path);
        const std::string content = contentOf(m_declared);
        const auto agreed = [&](const std::string& one) {
            return std::find(m_agreed.begin(), m_agreed.end(), one) != m_agreed.end();
        };
        if (!agreed(m_declared.name) && !agreed(content))
            return state(LibraryState::NotAgreed, "nobody agreed to load " + out.path);
        const runtime::UserLibrary& opened =
            runtime::openUserLibrary(m_declared.name, out.path, content);
        if (opened.content != content || opened.info.path != out.path)
            return state(LibraryState::OtherOpened,
                         fmt::format("this process opened {} before it changed", opened.info.path));
        if (opened.info.presence != runtime::LibraryPresence::Ready)
            return state(LibraryState::Unusable, opened.info.reason);
        m_opened = &opened;
        out.version = opened.info.version;
        return state(LibraryState::Ready, {});
    }

    DeclaredLibrary m_declared;
    std::vector<std::string> m_agreed;
    mutable std::once_flag m_once;
    mutable LibraryStatus m_status;
    mutable const runtime::UserLibrary* m_opened = nullptr;
};

} // namespace

std::string fileOf(const DeclaredLibrary& library) {
    const char* set = std::getenv(runtime::userLibraryVariable(library.name).c_str());
    return set == nullptr ? library.path : std::string(set);
}

std::string contentOf(const DeclaredLibrary& library) {
    const Result<MappedFile> file = mapFile(fileOf(library), largestFile);
    return file ? sha256Hex(file->bytes) : std::string();
}

std::vector<std::shared_ptr<const Library>>
userLibraries(const std::vector<DeclaredLibrary>& declared,
              const std::vector<std::string>& agreed) {
    std::vector<std::shared_ptr<const Library>> out;
    for (const DeclaredLibrary& library : declared)
        out.push_back(std::make_shared<UserLibrary>(library, agreed));
    return out;
}

Status checkUserLibraries(const std::vector<DeclaredLibrary>& declared,
                          const std::vector<std::shared_ptr<const Library>>& libraries,
                          const Target& target) {
    for (std::size_t i = 0; i < declared.size(); ++i) {
        const DeclaredLibrary& library = declared[i];
        if (std::find(target.libs.begin(), target.libs.end(), library.name) == target.libs.end())
            continue;
        const LibraryStatus& status = libraries[i]->status();
        switch (status.state) {
        case LibraryState::Ready:
            break;
        case LibraryState::NotAgreed:
            return makeDiag(
                DiagCode::LibraryNotAgreed,
                fmt::format("the library {} is not loaded: {}", library.name, status.reason),
                library.where,
                fmt::format("write -libs={} on the command line, or tick it in the window",
                            library.name));
        case LibraryState::OtherOpened:
            return makeDiag(DiagCode::LibraryLevel,
                            fmt::format("the library {}: {}", library.name, status.reason),
                            library.where, "a fresh worker opens the file as it is now");
        case LibraryState::Missing:
        case LibraryState::Unusable:
            return makeDiag(DiagCode::LibraryMissing,
                            fmt::format("the library {} ({}) cannot be used: {}", library.name,
                                        status.path, status.reason),
                            library.where,
                            status.state == LibraryState::Missing
                                ? fmt::format("build it, let {} name its file, or leave it out of "
                                              "-libs=",
                                              runtime::userLibraryVariable(library.name))
                                : std::string("build it against fusewright_library.h of this "
                                              "program, or leave it out of -libs="));
        }
    }
    return {};
}

} // namespace fw
