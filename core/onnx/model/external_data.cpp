#include "onnx/model/external_data.h"

#include "base/numbers.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace fw {

namespace {

Diag refused(const std::string& message, const std::string& hint = {}) {
    return makeDiag(DiagCode::ExternalData, message, {}, hint);
}

Result<std::vector<std::string>> pathParts(const std::string& location) {
    if (location.empty())
        return refused("names no file");
    if (location.find('\0') != std::string::npos || location.find('\\') != std::string::npos)
        return refused("its path holds a zero byte or a backslash");
    if (location.front() == '/' || (location.size() > 1 && location[1] == ':'))
        return refused(fmt::format("'{}' is an absolute path", location),
                       "external data must lie in the model's folder");
    std::vector<std::string> parts;
    std::size_t start = 0;
    while (start <= location.size()) {
        const std::size_t end = std::min(location.find('/', start), location.size());
        const std::string part = location.substr(start, end - start);
        if (part == "..")
            return refused(fmt::format("'{}' leaves the model's folder", location),
                           "external data must lie in the model's folder");
        if (!part.empty() && part != ".")
            parts.push_back(part);
        start = end + 1;
    }
    if (parts.empty())
        return refused(fmt::format("'{}' is no file", location));
    return parts;
}

// A text of some 130 bytes in place of what a repository keeps elsewhere.
bool isLfsPointer(std::span<const std::byte> bytes) {
    constexpr std::string_view start = "version https://git-lfs";
    constexpr std::size_t longest =
        1024; // https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
    return bytes.size() >= start.size() && bytes.size() < longest &&
           std::memcmp(bytes.data(), start.data(), start.size()) == 0;
}

class Handle {
public:
    explicit Handle(int value) : m_value(value) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { reset(-1); }
    int value() const { return m_value; }
    void reset(int value) {
        if (m_value >= 0)
            ::close(m_value);
        m_value = value;
    }

private:
    int m_value;
};

} // namespace

Result<MappedFile> ExternalData::open(const std::string& location) {
    if (m_folder.empty())
        return refused("the model was not read from a folder");
    FW_TRY(const auto parts, pathParts(location));
    Handle place(::open(m_folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (std::size_t i = 0; i < parts.size() && place.value() >= 0; ++i) {
        const bool last = i + 1 == parts.size();
        const int flags = last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY;
        const int next = ::openat(place.value(), parts[i].c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
        const int error = errno;
        if (next < 0 && (error == ELOOP || error == ENOTDIR))
            return refused(fmt::format("'{}' goes through a link or a file", location),
                           "copy the file itself into the model's folder");
        place.reset(next);
        errno = error;
    }
    if (place.value() < 0)
        return refused(fmt::format("'{}' cannot be read: {}", location, std::strerror(errno)),
                       "put the file beside the model");
    struct stat status {};
    if (::fstat(place.value(), &status) != 0 || !S_ISREG(status.st_mode))
        return refused(fmt::format("'{}' is not a regular file", location));
    if (status.st_nlink != 1)
        return refused(
            fmt::format("'{}' has other names (a hard link), which may lie elsewhere", location),
            "copy the file into the model's folder");
    auto mapped = mapOpenFile(place.value(), location, m_limits.externalBytes);
    if (!mapped)
        return refused(fmt::format("'{}': {}", location, mapped.diag().message));
    if (isLfsPointer(mapped->bytes))
        return refused(fmt::format("'{}' is a Git LFS pointer", location),
                       "fetch the real file with `git lfs pull`");
    return mapped;
}

std::vector<std::string> ExternalData::files() const {
    std::vector<std::string> out;
    for (const auto& [location, file] : m_files)
        out.push_back(m_folder + "/" + location);
    return out;
}

Result<ExternalBytes> ExternalData::read(const proto::TensorProto& tensor, std::uint64_t expected) {
    std::string location;
    std::int64_t offset = 0;
    std::optional<std::int64_t> length;
    std::set<std::string> seen;
    for (const auto& entry : tensor.external_data()) {
        if (!seen.insert(entry.key()).second)
            return refused(fmt::format("names '{}' twice", entry.key()));
        if (entry.key() == "location") {
            location = entry.value();
        } else if (entry.key() == "offset" || entry.key() == "length") {
            const auto number = parseInteger(entry.value());
            if (!number || *number < 0)
                return refused(
                    fmt::format("{} '{}' is not a number of bytes", entry.key(), entry.value()));
            if (entry.key() == "offset")
                offset = *number;
            else
                length = number;
        } else if (entry.key() != "checksum") {
            return refused(fmt::format("unknown key '{}'", entry.key()));
        }
    }
    auto found = m_files.find(location);
    if (found == m_files.end()) {
        FW_TRY(auto file, open(location));
        found = m_files.emplace(location, std::move(file)).first;
    }
    const MappedFile& file = found->second;
    const std::uint64_t size = file.bytes.size();
    if (length && static_cast<std::uint64_t>(*length) != expected)
        return refused(fmt::format("'{}': its length is {} bytes, its shape needs {}", location,
                                   *length, expected));
    const auto start = static_cast<std::uint64_t>(offset);
    if (start > size || size - start < expected)
        return refused(fmt::format("'{}' has {} bytes, {} at offset {} are needed", location, size,
                                   expected, offset));
    return ExternalBytes{file.bytes.subspan(start, expected), file.owner};
}

} // namespace fw
