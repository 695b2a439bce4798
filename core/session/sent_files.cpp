#include "session/sent_files.h"

#include "base/base64.h"
#include "base/cache_folder.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/sha256.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace fw {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t mostStored = std::uint64_t{8} << 30; // bytes, of what no request needs
constexpr std::string_view rootName = "worker-";

bool isSha(std::string_view text) {
    return text.size() == 64 &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Diag unwritable(const std::string& path, const std::error_code& error) {
    return makeDiag(DiagCode::FileUnwritable,
                    fmt::format("{} cannot be written: {}", path, error.message()));
}

Diag malformed(std::string what) {
    return makeDiag(DiagCode::Usage, std::move(what));
}

// Folders of workers that are no more.
void sweep(const fs::path& cache) {
    std::error_code error;
    for (const fs::directory_entry& one : fs::directory_iterator(cache, error)) {
        const std::string name = one.path().filename().string();
        if (!name.starts_with(rootName))
            continue;
        const std::string rest = name.substr(rootName.size());
        const auto process = parseInteger(rest.substr(0, rest.find('-')));
        std::error_code ignored;
        if (process && *process > 1 && ::kill(static_cast<pid_t>(*process), 0) != 0 &&
            errno == ESRCH)
            fs::remove_all(one.path(), ignored);
    }
}

// The oldest contents go first.
void shrink(const fs::path& store) {
    struct StoredFile {
        fs::path path;
        fs::file_time_type time;
        std::uint64_t bytes;
    };
    std::vector<StoredFile> all;
    std::uint64_t sum = 0;
    std::error_code error;
    for (const fs::directory_entry& one : fs::directory_iterator(store, error)) {
        std::error_code gone;
        const StoredFile kept{one.path(), one.last_write_time(gone), one.file_size(gone)};
        if (gone)
            continue;
        sum += kept.bytes;
        all.push_back(kept);
    }
    std::sort(all.begin(), all.end(),
              [](const StoredFile& a, const StoredFile& b) { return a.time < b.time; });
    for (const StoredFile& kept : all) {
        if (sum <= mostStored)
            return;
        std::error_code ignored;
        if (fs::remove(kept.path, ignored))
            sum -= kept.bytes;
    }
}

Result<std::string> shaOf(const std::string& path) {
    FW_TRY(const MappedFile file, mapFile(path, ~std::uint64_t{0}));
    return sha256Hex(file.bytes);
}

struct Sent {
    std::string sha, path;
    std::uint64_t bytes = 0;
};

Result<Sent> sentOf(const std::string& text) {
    const std::size_t first = text.find(' ');
    const std::size_t second = first == std::string::npos ? first : text.find(' ', first + 1);
    if (second != std::string::npos) {
        Sent out{text.substr(0, first), text.substr(second + 1), 0};
        const auto bytes = parseInteger(text.substr(first + 1, second - first - 1));
        if (isSha(out.sha) && bytes && *bytes >= 0) {
            out.bytes = static_cast<std::uint64_t>(*bytes);
            return out;
        }
    }
    return malformed("a file is its SHA-256, its size and its path, not " + text);
}

} // namespace

Status SentFiles::begin() {
    if (!m_root.empty())
        return {};
    m_store = cacheFolder("sent");
    if (m_store.empty())
        return makeDiag(DiagCode::FileUnwritable,
                        "the worker has no folder for what it is sent: neither XDG_CACHE_HOME nor "
                        "HOME names one");
    std::error_code error;
    fs::create_directories(m_store, error);
    if (error)
        return unwritable(m_store, error);
    const fs::path cache = fs::path(m_store).parent_path();
    sweep(cache);
    std::string root = (cache / fmt::format("{}{}-XXXXXX", rootName, ::getpid())).string();
    const Making making;
    if (::mkdtemp(root.data()) == nullptr)
        return unwritable(root, std::error_code(errno, std::generic_category()));
    m_left.emplace(Leftover::Kind::Folder, root);
    m_root = root;
    return {};
}

void SentFiles::end() {
    std::error_code ignored;
    if (!m_root.empty())
        fs::remove_all(m_root, ignored);
    m_left.reset();
    m_root.clear();
}

// Nothing leads out of the folder.
Result<std::string> SentFiles::inRoot(const std::string& path) const {
    const fs::path given(path);
    if (!given.is_absolute() ||
        std::any_of(given.begin(), given.end(), [](const fs::path& part) { return part == ".."; }))
        return malformed(path + " is no path from the root");
    return m_root + given.lexically_normal().string();
}

Result<std::string> SentFiles::place(const snapshot::Arguments& arguments) {
    FW_CHECK(begin());
    std::vector<Sent> files;
    for (const std::string& text : arguments.nodes) {
        FW_TRY(Sent sent, sentOf(text));
        files.push_back(std::move(sent));
    }
    json missing = json::array();
    for (const Sent& sent : files) {
        std::error_code error;
        if (fs::file_size(fs::path(m_store) / sent.sha, error) != sent.bytes || error)
            missing.push_back(sent.sha);
    }
    if (missing.empty()) {
        for (const Sent& sent : files) {
            FW_TRY(const std::string path, inRoot(sent.path));
            const auto known = m_placed.find(path);
            std::error_code error;
            if (known != m_placed.end() && known->second == sent.sha && fs::exists(path, error))
                continue;
            // A copy: models take no weights that have other names, and logs are written on.
            fs::create_directories(fs::path(path).parent_path(), error);
            fs::remove(path, error);
            fs::copy_file(fs::path(m_store) / sent.sha, path, error);
            if (error)
                return unwritable(path, error);
            m_placed[path] = sent.sha;
        }
        for (const std::string& output : arguments.values) {
            FW_TRY(const std::string path, inRoot(output));
            std::error_code error;
            fs::create_directories(fs::path(path).parent_path(), error);
            if (error)
                return unwritable(path, error);
            m_placed.erase(path); // it may be written
        }
    }
    return json{{"root", m_root}, {"missing", missing}}.dump();
}

Result<std::string> SentFiles::put(const snapshot::Arguments& arguments) {
    FW_CHECK(begin());
    const std::int64_t at = arguments.application.value_or(0);
    if (!isSha(arguments.name) || arguments.texts.empty() || at < 0 || !arguments.limit)
        return malformed("a piece of a file has its SHA-256, its place, the size and base64");
    const auto bytes = fromBase64(arguments.texts.front().text);
    if (!bytes || at > *arguments.limit ||
        static_cast<std::int64_t>(bytes->size()) > *arguments.limit - at)
        return malformed("a piece of a file is no base64, or longer than the file");
    const std::string part = fmt::format("{}/{}", m_root, arguments.name);
    const int file =
        ::open(part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (at == 0 ? O_TRUNC : 0), 0600);
    if (file < 0)
        return unwritable(part, std::error_code(errno, std::generic_category()));
    std::size_t done = 0;
    int error = 0;
    while (done < bytes->size() && error == 0) {
        const ssize_t count = ::pwrite(file, bytes->data() + done, bytes->size() - done,
                                       static_cast<off_t>(at) + static_cast<off_t>(done));
        if (count > 0)
            done += static_cast<std::size_t>(count);
        else if (errno != EINTR)
            error = count < 0 ? errno : EIO;
    }
    ::close(file);
    if (error != 0)
        return unwritable(part, std::error_code(error, std::generic_category()));
    const std::int64_t now = at + static_cast<std::int64_t>(done);
    if (now == *arguments.limit) {
        FW_TRY(const std::string sha, shaOf(part));
        std::error_code failed;
        if (sha != arguments.name) {
            fs::remove(part, failed);
            return makeDiag(DiagCode::Usage, "a file arrived with another content than was sent");
        }
        fs::rename(part, fs::path(m_store) / sha, failed);
        if (failed)
            return unwritable(m_store + "/" + sha, failed);
        shrink(m_store);
    }
    return json{{"bytes", now}}.dump();
}

Result<std::string> SentFiles::take(const snapshot::Arguments& arguments) {
    FW_CHECK(begin());
    FW_TRY(const std::string path, inRoot(arguments.name));
    std::error_code error;
    if (!arguments.application) {
        json files = json::array();
        const auto add = [&](const fs::path& one) {
            std::error_code gone;
            const std::uint64_t bytes = fs::file_size(one, gone);
            if (!gone)
                files.push_back({one.string().substr(m_root.size()), bytes});
        };
        if (fs::is_regular_file(path, error)) {
            add(path);
        } else if (fs::is_directory(path, error)) {
            for (const fs::directory_entry& one : fs::recursive_directory_iterator(path, error))
                if (one.is_regular_file(error))
                    add(one.path());
        }
        return json{{"files", files}}.dump();
    }
    FW_TRY(const MappedFile file, mapFile(path, ~std::uint64_t{0}));
    const std::string_view text = file.text();
    const auto at = static_cast<std::size_t>(std::max<std::int64_t>(*arguments.application, 0));
    return json{
        {"base64", base64Of(at < text.size() ? text.substr(at, pieceBytes) : std::string_view())}}
        .dump();
}

} // namespace fw
