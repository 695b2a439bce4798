#include "session/remote_files.h"

#include "base/files.h"
#include "base/sha256.h"
#include "book/include.h"
#include "onnx/model/external_files.h"
#include "session/book_texts.h"
#include "session/graph_file.h"
#include "snapshot/json.h"
#include "target/saved_machine.h"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>

namespace fw {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t mostFiles = 10'000; // of one request

std::string fromRoot(const std::string& path) {
    std::error_code error;
    std::string out = fs::absolute(path, error).lexically_normal().string();
    while (out.size() > 1 && out.ends_with('/'))
        out.pop_back();
    return out;
}

bool isHere(const std::string& path) {
    std::error_code error;
    return !path.empty() && fs::exists(path, error);
}

// The file of a machine in a target: "-mcpu=./epyc.machine".
std::string machineIn(const std::string& target) {
    constexpr std::string_view option = "-mcpu=";
    const std::size_t at = (" " + target).find(" " + std::string(option));
    if (at == std::string::npos)
        return {};
    const std::size_t begin = at + option.size();
    const std::string file = target.substr(begin, target.find(' ', begin) - begin);
    return isMachineFile(file) ? file : std::string();
}

// The text of a path in JSON, without its quotes.
std::string escaped(const std::string& path) {
    const std::string text = snapshot::Writer::text(path);
    return text.substr(1, text.size() - 2);
}

Result<std::string> shaOf(std::span<const std::byte> bytes, const std::string& path,
                          const Hashed& hashed) {
    constexpr std::size_t piece = std::size_t(32) << 20;
    Sha256 sha;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        if (bytes.size() > piece && !hashed(path, at, bytes.size()))
            return makeDiag(DiagCode::Cancelled, "the work was cancelled");
        sha.add(bytes.subspan(at, std::min(piece, bytes.size() - at)));
    }
    return sha.hex();
}

} // namespace

Status RemoteFiles::add(const std::string& given, std::vector<LocalFile>& out) {
    const std::string path = fromRoot(given);
    if (std::any_of(out.begin(), out.end(), [&](const LocalFile& one) { return one.path == path; }))
        return {};
    if (out.size() == mostFiles)
        return makeDiag(DiagCode::LimitReached,
                        "more files than are sent to another machine for one request", {given});
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        return {}; // the answer says so
    const std::int64_t changed = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
    HashedFile& known = m_known[path];
    if (known.sha.empty() || known.bytes != static_cast<std::uint64_t>(status.st_size) ||
        known.changed != changed) {
        FW_TRY(const MappedFile file, mapFile(path, ~std::uint64_t{0}));
        FW_TRY(std::string sha, shaOf(file.bytes, path, m_hashed));
        known = {file.bytes.size(), changed, std::move(sha)};
    }
    out.push_back({path, known.sha, known.bytes});
    return {};
}

Status RemoteFiles::addBook(const std::string& book, std::vector<LocalFile>& out,
                            std::size_t depth) {
    if (!isHere(book) || depth > mostIncluded) // shipped, or missing as the answer says
        return {};
    const std::size_t before = out.size();
    FW_CHECK(add(book, out));
    if (out.size() == before)
        return {};
    const auto opened = [](const std::string& file) { return readFile(file, 64u << 20); };
    const Result<std::string> text = opened(book);
    if (!text)
        return {};
    for (const BookText& one : withIncluded({{book, *text}}, opened))
        if (one.file != book && isHere(one.file))
            FW_CHECK(add(one.file, out));
    return {};
}

Status RemoteFiles::addModel(const std::string& model, std::vector<LocalFile>& out) {
    std::error_code error;
    if (fs::is_directory(model, error)) {
        for (const fs::directory_entry& one : fs::recursive_directory_iterator(model, error))
            if (one.is_regular_file(error))
                FW_CHECK(add(one.path().string(), out));
        return {};
    }
    if (!isHere(model))
        return {};
    FW_CHECK(add(model, out));
    const fs::path folder = fs::path(model).parent_path();
    if (isGraphFile(model)) {
        FW_CHECK(addBook(model, out));
        // Constants that the text has by name only.
        for (const fs::directory_entry& one :
             fs::directory_iterator(folder.empty() ? fs::path(".") : folder, error))
            if (one.path().extension() == ".npy" || one.path().extension() == ".pb")
                FW_CHECK(add(one.path().string(), out));
        return {};
    }
    const Result<std::vector<std::string>> weights = externalFiles(model);
    if (!weights)
        return {}; // it is no model, as the answer says
    for (const std::string& file : *weights)
        if (const fs::path path = folder / file; isHere(path.string()))
            FW_CHECK(add(path.string(), out));
    return {};
}

Result<std::vector<LocalFile>> RemoteFiles::of(const snapshot::Arguments& arguments,
                                               const Hashed& hashed) {
    m_hashed = hashed;
    std::vector<LocalFile> out;
    for (const auto* models : {&arguments.models, &arguments.folders})
        for (const std::string& model : *models)
            FW_CHECK(addModel(model, out));
    FW_CHECK(addModel(arguments.model, out));
    for (const auto* books : {&arguments.rules, &arguments.versus})
        for (const std::string& book : *books)
            FW_CHECK(addBook(book, out));
    FW_CHECK(addBook(arguments.book, out));
    for (const auto& [name, file] : arguments.inputs)
        if (isHere(file))
            FW_CHECK(add(file, out));
    if (isHere(arguments.log))
        FW_CHECK(add(arguments.log, out));
    std::vector<std::string> targets = arguments.targets;
    targets.push_back(arguments.target);
    for (const std::string& target : targets)
        if (const std::string machine = machineIn(target); isHere(machine))
            FW_CHECK(add(machine, out));
    return out;
}

std::vector<std::string> outputsOf(const snapshot::Arguments& arguments) {
    std::vector<std::string> out;
    for (const std::string& path : {arguments.output, arguments.trace})
        if (!path.empty() && path != "-")
            out.push_back(fromRoot(path));
    return out;
}

RemotePaths::RemotePaths(const snapshot::Arguments& arguments, std::string root)
    : m_there(arguments), m_root(std::move(root)) {
    for (std::string* path :
         {&m_there.model, &m_there.log, &m_there.book, &m_there.output, &m_there.trace})
        if (*path != "-")
            map(*path);
    for (auto* paths : {&m_there.models, &m_there.folders, &m_there.rules, &m_there.versus})
        for (std::string& path : *paths)
            map(path);
    for (snapshot::BookSource& text : m_there.texts)
        map(text.file);
    if (m_there.position)
        map(m_there.position->file);
    for (auto& [name, file] : m_there.inputs)
        map(file);
    for (std::string& target : m_there.targets)
        if (std::string file = machineIn(target); !file.empty()) {
            const std::string given = file;
            map(file);
            target.replace(target.find("-mcpu=" + given) + 6, given.size(), file);
        }
    if (std::string file = machineIn(m_there.target); !file.empty()) {
        const std::string given = file;
        map(file);
        m_there.target.replace(m_there.target.find("-mcpu=" + given) + 6, given.size(), file);
    }
    std::sort(m_given.begin(), m_given.end(),
              [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    m_root = escaped(m_root);
}

// Names of shipped books are no paths.
void RemotePaths::map(std::string& path) {
    if (path.empty() || (isShippedBook(path) && !isHere(path)))
        return;
    std::string there = m_root + fromRoot(path);
    m_given.emplace_back(escaped(there), escaped(path));
    path = std::move(there);
}

std::string RemotePaths::back(std::string_view line) const {
    std::string out;
    for (;;) {
        const std::size_t at = line.find(m_root);
        out += line.substr(0, at);
        if (at == std::string_view::npos)
            return out;
        line.remove_prefix(at);
        const auto given = std::find_if(m_given.begin(), m_given.end(), [&](const auto& one) {
            return line.starts_with(one.first);
        });
        if (given != m_given.end())
            out += given->second;
        line.remove_prefix(given != m_given.end() ? given->first.size() : m_root.size());
    }
}

} // namespace fw
