#include "base/files.h"

#include "base/leftovers.h"
#include "base/mapped_pages.h"
#include "base/system_limit.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace fw {

namespace {

class Descriptor {
public:
    explicit Descriptor(int value) : m_value(value) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (m_value >= 0)
            ::close(m_value);
    }
    int value() const { return m_value; }
    int release() {
        const int value = m_value;
        m_value = -1;
        return value;
    }

private:
    int m_value;
};

std::string errorText(int error) {
    return std::strerror(error);
}

// All that are there, by where they begin.
struct Mappings {
    std::mutex mutex;
    std::map<std::uintptr_t, std::size_t> sizes;

    static Mappings& all() {
        static auto* const out = new Mappings; // outlives static destructors
        return *out;
    }
};

std::uintptr_t addressOf(const void* place) {
    return reinterpret_cast<std::uintptr_t>(place);
}

struct Mapping {
    void* address;
    std::size_t size;
    Mapping(void* start, std::size_t length) : address(start), size(length) {
        const std::lock_guard lock(Mappings::all().mutex);
        Mappings::all().sizes.emplace(addressOf(address), size);
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() {
        const std::lock_guard lock(Mappings::all().mutex);
        Mappings::all().sizes.erase(addressOf(address));
        ::munmap(address, size);
    }
};

Diag unreadable(const std::string& path, int error) {
    if (isSystemLimit(error))
        return systemLimitDiag("cannot be read", error, {path});
    return makeDiag(DiagCode::FileMissing, "cannot be read: " + errorText(error), {path});
}

// Of a regular file of that size at most.
Result<struct stat> statusOf(int descriptor, const std::string& name, std::uint64_t maxBytes) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0)
        return unreadable(name, errno);
    if (S_ISDIR(status.st_mode))
        return makeDiag(DiagCode::FileMissing, "is a folder, not a file", {name});
    if (!S_ISREG(status.st_mode))
        return makeDiag(DiagCode::FileMissing, "is not a regular file", {name});
    if (const auto size = static_cast<std::uint64_t>(status.st_size); size > maxBytes)
        return makeDiag(DiagCode::FileTooLarge,
                        fmt::format("has {} bytes, the limit is {}", size, maxBytes), {name});
    return status;
}

// O_NONBLOCK: opening a pipe that nobody writes to must not hang.
int openForReading(const std::string& path) {
    return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

bool isSame(const struct stat& a, const struct stat& b) {
    return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
           a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

// As long as `bytes` at most; shorter if the file was cut meanwhile. An error number if there is
// one.
int readInto(int descriptor, std::string& bytes) {
    std::size_t at = 0;
    while (at < bytes.size()) {
        const ssize_t count =
            ::pread(descriptor, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno;
        if (count == 0)
            break;
        at += static_cast<std::size_t>(count);
    }
    bytes.resize(at);
    return 0;
}

Diag unwritable(const std::string& path, const std::string& why) {
    return makeDiag(DiagCode::FileUnwritable, "cannot be written: " + why, {path},
                    "choose another place, or make it writable");
}

Diag unwritable(const std::string& path, int error) {
    if (isSystemLimit(error))
        return systemLimitDiag("cannot be written", error, {path});
    return unwritable(path, errorText(error));
}

std::string folderOf(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos)
        return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

} // namespace

Result<MappedFile> mapOpenFile(int descriptor, const std::string& name, std::uint64_t maxBytes) {
    FW_TRY(const struct stat status, statusOf(descriptor, name, maxBytes));
    const auto size = static_cast<std::uint64_t>(status.st_size);
    MappedFile file;
    if (size == 0)
        return file;
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED && isSystemLimit(errno))
        return systemLimitDiag("cannot be mapped", errno, {name});
    if (address == MAP_FAILED)
        return makeDiag(DiagCode::FileMissing, "cannot be mapped: " + errorText(errno), {name});
    file.bytes = {static_cast<const std::byte*>(address), static_cast<std::size_t>(size)};
    file.owner = std::make_shared<Mapping>(address, static_cast<std::size_t>(size));
    return file;
}

void releasePages(std::span<const std::byte> bytes) {
    static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const std::uintptr_t begin = addressOf(bytes.data());
    const std::uintptr_t first = (begin + page - 1) / page * page;
    const std::uintptr_t last = (begin + bytes.size()) / page * page;
    if (last <= first)
        return;
    Mappings& mappings = Mappings::all();
    const std::lock_guard lock(mappings.mutex); // so that it stays mapped
    const auto behind = mappings.sizes.upper_bound(begin);
    if (behind == mappings.sizes.begin())
        return;
    const auto& [start, size] = *std::prev(behind);
    if (begin + bytes.size() <= start + size)
        ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

Result<MappedFile> mapFile(const std::string& path, std::uint64_t maxBytes) {
    const Descriptor file(openForReading(path));
    if (file.value() < 0)
        return unreadable(path, errno);
    return mapOpenFile(file.value(), path, maxBytes);
}

Result<std::string> readFile(const std::string& path, std::uint64_t maxBytes) {
    constexpr int tries = 5;
    constexpr auto pause = std::chrono::milliseconds(2);
    for (int i = 0; i < tries; ++i) {
        if (i > 0)
            std::this_thread::sleep_for(pause);
        const Descriptor file(openForReading(path));
        if (file.value() < 0)
            return unreadable(path, errno);
        FW_TRY(const struct stat before, statusOf(file.value(), path, maxBytes));
        std::string bytes(static_cast<std::size_t>(before.st_size), '\0');
        if (const int error = readInto(file.value(), bytes))
            return unreadable(path, error);
        FW_TRY(const struct stat after, statusOf(file.value(), path, maxBytes));
        if (isSame(before, after) && bytes.size() == static_cast<std::size_t>(after.st_size))
            return bytes;
    }
    return makeDiag(DiagCode::FileMissing,
                    fmt::format("changed while it was read, {} times in a row", tries), {path},
                    "try again when what writes it has ended");
}

Status writeFile(const std::string& path, std::string_view bytes, Durability durability) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        return unwritable(path, "the target exists and is not a regular file");
    const std::string temporary = fmt::format("{}.tmp-{}", path, ::getpid());
    const Leftover left(Leftover::Kind::File, temporary);
    const auto make = [&] {
        const Making making;
        return ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                      0666);
    };
    Descriptor file(make());
    if (file.value() < 0)
        return unwritable(path, errno);
    std::size_t written = 0;
    while (written < bytes.size()) {
        const ssize_t count = ::write(file.value(), bytes.data() + written, bytes.size() - written);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            const int error = errno;
            ::unlink(temporary.c_str());
            return unwritable(path, errorText(error));
        }
        written += static_cast<std::size_t>(count);
    }
    const bool wait = durability == Durability::Synced;
    const bool synced = !wait || ::fsync(file.value()) == 0;
    const bool closed = ::close(file.release()) == 0;
    if (!synced || !closed || std::rename(temporary.c_str(), path.c_str()) != 0) {
        const int error = errno;
        ::unlink(temporary.c_str());
        return unwritable(path, errorText(error));
    }
    if (!wait)
        return {};
    const Descriptor folder(::open(folderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.value() >= 0)
        ::fsync(folder.value());
    return {};
}

Status appendFile(const std::string& path, std::string_view bytes) {
    const auto open = [&](int mode) {
        return ::open(path.c_str(), mode | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    };
    int opened = open(O_RDWR);
    if (opened < 0 && errno == EACCES)
        opened = open(O_WRONLY); // it may be written, and not be read
    const Descriptor file(opened);
    if (file.value() < 0)
        return unwritable(path, errno);
    ::flock(file.value(), LOCK_EX); // until it is closed; where there are no locks it goes without
    struct stat status {};
    if (::fstat(file.value(), &status) != 0)
        return unwritable(path, errorText(errno));
    if (!S_ISREG(status.st_mode))
        return unwritable(path, "it is not a regular file");
    char last = '\n';
    if (status.st_size > 0 && !bytes.empty())
        (void)::pread(file.value(), &last, 1, status.st_size - 1);
    const std::string text = (last == '\n' ? "" : "\n") + std::string(bytes);
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t count = ::write(file.value(), text.data() + at, text.size() - at);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            const int error = errno;
            // All of it or nothing.
            const bool isBack = ::ftruncate(file.value(), status.st_size) == 0;
            return unwritable(path,
                              errorText(error) + (isBack ? "" : ", and a part of it is written"));
        }
        at += static_cast<std::size_t>(count);
    }
    return {};
}

} // namespace fw
