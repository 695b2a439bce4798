#include "module/placement.h"

#include "base/leftovers.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>

namespace fw::module {

namespace fs = std::filesystem;

namespace {

Diag unwritable(const std::string& target, const char* why) {
    return makeDiag(DiagCode::FileUnwritable, fmt::format("cannot write {}: {}", target, why));
}

// Before anything is moved, since most that stands in the way can be seen.
Status checkPlace(const std::string& target) {
    std::error_code error;
    switch (fs::symlink_status(target, error).type()) {
    case fs::file_type::not_found:
    case fs::file_type::regular:
    case fs::file_type::symlink:
        return {};
    case fs::file_type::directory:
        return unwritable(target, "a folder lies there");
    case fs::file_type::none:
        return unwritable(target, error.message().c_str());
    default:
        return unwritable(target, "what lies there is no file");
    }
}

class Placement {
public:
    explicit Placement(std::string from) : m_kept(std::move(from) + "/replaced.") {}
    Placement(const Placement&) = delete;
    Placement& operator=(const Placement&) = delete;
    ~Placement() {
        for (auto one = m_placed.rbegin(); one != m_placed.rend(); ++one)
            if (!one->kept.empty())
                rename(one->kept.c_str(), one->target.c_str());
            else
                unlink(one->target.c_str());
    }

    // By a second name, so that the target is there all the time; where the file system has none,
    // it is moved away.
    Status place(const std::string& file, const std::string& target) {
        std::string kept = m_kept + std::to_string(m_placed.size());
        if (link(target.c_str(), kept.c_str()) != 0 && rename(target.c_str(), kept.c_str()) != 0) {
            if (errno != ENOENT)
                return unwritable(target, strerror(errno));
            kept.clear();
        }
        if (rename(file.c_str(), target.c_str()) != 0) {
            const Diag diag = unwritable(target, strerror(errno));
            if (!kept.empty())
                rename(kept.c_str(), target.c_str());
            return diag;
        }
        m_placed.push_back({target, std::move(kept)});
        return {};
    }
    void keep() { m_placed.clear(); }

private:
    struct Placed {
        std::string target, kept; // kept: empty if nothing lay there
    };
    std::string m_kept;
    std::vector<Placed> m_placed;
};

} // namespace

Status placeAll(const std::string& from, const std::string& folder,
                std::span<const std::string> names) {
    const Making making; // a signal waits
    for (const std::string& name : names)
        FW_CHECK(checkPlace(fmt::format("{}/{}", folder, name)));
    Placement placement(from);
    for (const std::string& name : names)
        FW_CHECK(
            placement.place(fmt::format("{}/{}", from, name), fmt::format("{}/{}", folder, name)));
    placement.keep();
    return {};
}

} // namespace fw::module
