// What a request for a worker on another machine names of this one: files to send, places for what
// it writes, and the same request with the paths there.
#pragma once

#include "base/result.h"
#include "snapshot/protocol.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fw {

struct LocalFile {
    std::string path; // from the root
    std::string sha;
    std::uint64_t bytes = 0;
};

// Told while the content of a large file is read: how much of how many bytes. False ends it.
using Hashed = std::function<bool(const std::string& path, std::uint64_t done, std::uint64_t all)>;

class RemoteFiles {
public:
    // The files of the request that are here: models with their weights and data, books with those
    // that they include, logs, inputs, machines. Refused if one cannot be read; Cancelled.
    Result<std::vector<LocalFile>> of(const snapshot::Arguments& arguments, const Hashed& hashed);

private:
    Status add(const std::string& path, std::vector<LocalFile>& out);
    Status addModel(const std::string& model, std::vector<LocalFile>& out);
    Status addBook(const std::string& book, std::vector<LocalFile>& out, std::size_t depth = 0);

    struct HashedFile {
        std::uint64_t bytes = 0;
        std::int64_t changed = 0;
        std::string sha;
    };
    std::map<std::string, HashedFile> m_known; // by path
    Hashed m_hashed;
};

// What it writes to, from the root: files, or folders.
std::vector<std::string> outputsOf(const snapshot::Arguments& arguments);

// Paths lead below `root`, where they are as they are here.
class RemotePaths {
public:
    RemotePaths(const snapshot::Arguments& arguments, std::string root);

    const snapshot::Arguments& arguments() const { return m_there; }
    // A line of the answer with the paths as the request had them.
    std::string back(std::string_view line) const;

private:
    void map(std::string& path);

    snapshot::Arguments m_there;
    std::string m_root;
    std::vector<std::pair<std::string, std::string>>
        m_given; // there, as it was given; longest first
};

} // namespace fw
