#include "app/lsp/documents.h"

#include "base/cache_folder.h"
#include "base/files.h"
#include "book/include.h"
#include "session/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace fw::lsp {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view scheme = "file://";

std::optional<unsigned> hexDigit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return std::nullopt;
}

std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto high = i + 2 < text.size() ? hexDigit(text[i + 1]) : std::nullopt;
        const auto low = i + 2 < text.size() ? hexDigit(text[i + 2]) : std::nullopt;
        if (text[i] == '%' && high && low) {
            out += static_cast<char>(*high * 16 + *low);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

// Of this version, so that another one does not show its books.
std::string folderOfShipped() {
    const std::string folder = cacheFolder("books");
    return folder.empty() ? folder : folder + "/" + programVersion;
}

} // namespace

Document::Document(std::string itsUri, std::int64_t itsVersion, std::string itsText,
                   Encoding encoding)
    : uri(std::move(itsUri)), file(fileOf(uri)), version(itsVersion),
      text(std::move(itsText), encoding) {}

bool Document::isShipped() const {
    return file.find_first_of("/:") == std::string::npos && isShippedBook(file);
}

void Documents::put(DocumentPtr document) {
    for (DocumentPtr& known : m_all)
        if (known->uri == document->uri) {
            known = std::move(document);
            return;
        }
    m_all.push_back(std::move(document));
}

void Documents::remove(const std::string& uri) {
    std::erase_if(m_all, [&](const DocumentPtr& one) { return one->uri == uri; });
}

DocumentPtr Documents::find(const std::string& uri) const {
    const auto found = std::find_if(m_all.begin(), m_all.end(),
                                    [&](const DocumentPtr& one) { return one->uri == uri; });
    return found == m_all.end() ? nullptr : *found;
}

DocumentPtr Documents::ofFile(const std::string& file) const {
    const auto found = std::find_if(m_all.begin(), m_all.end(), [&](const DocumentPtr& one) {
        return !one->isShipped() && isSameBook(one->file, file);
    });
    return found == m_all.end() ? nullptr : *found;
}

snapshot::Arguments Documents::question(const snapshot::Arguments& always,
                                        const Document& about) const {
    snapshot::Arguments out = always;
    for (const DocumentPtr& one : m_all) {
        if (one->isShipped())
            continue;
        const auto known = std::find_if(out.rules.begin(), out.rules.end(), [&](const auto& file) {
            return isSameBook(file, one->file);
        });
        if (known == out.rules.end())
            out.rules.push_back(one->file);
        else
            *known = one->file;
        out.texts.push_back({one->file, one->text.text()});
    }
    out.book = about.file;
    return out;
}

std::string fileOf(const std::string& uri) {
    if (!uri.starts_with(scheme))
        return uri;
    // What stands before the path is a machine: this one, or nothing.
    const std::size_t path = uri.find('/', scheme.size());
    if (path == std::string::npos)
        return uri;
    const std::string file =
        fs::path(decoded(std::string_view(uri).substr(path))).lexically_normal().string();
    const fs::path shipped = folderOfShipped();
    return !shipped.empty() && fs::path(file).parent_path() == shipped
               ? fs::path(file).filename().string()
               : file;
}

std::string uriOf(const std::string& file) {
    if (!file.starts_with('/'))
        return file.find(':') == std::string::npos ? uriOf(fs::absolute(file).string()) : file;
    constexpr std::string_view plain = "/-._~";
    std::string out(scheme);
    for (const char c : fs::path(file).lexically_normal().string()) {
        const bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || plain.find(c) != std::string_view::npos;
        out += isPlain
                   ? std::string(1, c)
                   : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
    return out;
}

std::string uriOfShipped(const std::string& name) {
    const std::string folder = folderOfShipped();
    const std::vector<ShippedText> all = shippedTexts();
    const auto shipped = std::find_if(all.begin(), all.end(),
                                      [&](const ShippedText& one) { return one.file == name; });
    if (folder.empty() || shipped == all.end())
        return {};
    const std::string file = folder + "/" + name;
    const Result<std::string> there = readFile(file, largestBook);
    if (!there || *there != shipped->text) {
        std::error_code error;
        fs::create_directories(folder, error);
        if (error || !writeFile(file, shipped->text, Durability::Cache))
            return {};
        fs::permissions(file, fs::perms::owner_read | fs::perms::group_read, error);
    }
    return uriOf(file);
}

} // namespace fw::lsp
