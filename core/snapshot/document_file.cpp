#include "snapshot/document_file.h"

#include "base/files.h"
#include "snapshot/kept_records.h"

#include <fmt/format.h>

#include <filesystem>

namespace fw::snapshot {

namespace {

constexpr const char* versionField = "fusewright_document";

const char* kindName(PinKind kind) {
    switch (kind) {
    case PinKind::Together:
        return "together";
    case PinKind::Apart:
        return "apart";
    case PinKind::Use:
        return "use";
    case PinKind::Avoid:
        return "avoid";
    }
    return "";
}

std::filesystem::path folderOf(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    return folder.empty() ? std::filesystem::path(".") : folder;
}

// Relative only downwards: a path that climbs would mean another file after a move.
std::string shortened(const std::string& path, const std::string& folder) {
    if (folder.empty() || path.empty())
        return path;
    const std::filesystem::path relative =
        std::filesystem::path(path).lexically_relative(std::filesystem::path(folder));
    if (relative.empty() || *relative.begin() == "..")
        return path;
    return relative.string();
}

std::string absolute(const std::string& path, const std::filesystem::path& folder) {
    if (path.empty() || path[0] == '/')
        return path;
    std::error_code error;
    const std::filesystem::path base = std::filesystem::absolute(folder, error);
    return ((error ? folder : base) / path).lexically_normal().string();
}

struct BookRecord {
    std::string path;
    bool enabled = true;
};

struct PinRecord {
    std::string kind;
    std::vector<std::string> nodes;
    std::string implementation;
    std::string because;
};

// What every version has: `Version` is its number, or its text if that may be anything.
template <class Version>
struct VersionRecord {
    std::optional<Version> version;
};

template <class Visitor, class Version>
void fields(Visitor& v, VersionRecord<Version>& r) {
    v(versionField, r.version);
}

struct DocumentRecord {
    std::int64_t version = 0;
    std::string model;
    std::string target;
    std::optional<std::vector<std::string>> libraries;
    std::vector<BookRecord> books;
    std::vector<std::string> without;
    std::vector<std::string> leftOut;
    std::vector<PinRecord> pins;
    std::map<std::string, std::int64_t> dims;
    std::map<std::string, std::string> types;
    std::string log;
    KeptRecord kept;
    std::optional<RawJson> baseline, times;
};

template <class Visitor, class R>
requires std::is_same_v<std::remove_const_t<R>, BookRecord>
void fields(Visitor& v, R& r) {
    v("path", r.path);
    v("enabled", r.enabled);
}

template <class Visitor, class R>
requires std::is_same_v<std::remove_const_t<R>, PinRecord>
void fields(Visitor& v, R& r) {
    v("kind", r.kind);
    v("nodes", r.nodes);
    v("implementation", r.implementation);
    v("because", r.because);
}

template <class Visitor, class R>
requires std::is_same_v<std::remove_const_t<R>, DocumentRecord>
void fields(Visitor& v, R& r) {
    v(versionField, r.version);
    v("model", r.model);
    v("target", r.target);
    v("libraries", r.libraries);
    v("books", r.books);
    v("without", r.without);
    v("left_out", r.leftOut);
    v("pins", r.pins);
    v("dims", r.dims);
    v("types", r.types);
    v("log", r.log);
    fields(v, r.kept);
    v("baseline", r.baseline);
    v("times", r.times);
}

Diag wrong(const std::string& what, const std::string& path, std::string hint = {}) {
    return makeDiag(DiagCode::Syntax, what, {path}, std::move(hint));
}

Result<SavedTimes> keptTimesOf(const DocumentRecord& in, const std::string& path) {
    SavedTimes out;
    if (in.baseline) {
        FW_TRY(KeptTimes kept, parseKeptTimes(in.baseline->text, "baseline", path));
        out.baseline = std::move(kept.profile);
    }
    if (in.times) {
        FW_TRY(KeptTimes kept, parseKeptTimes(in.times->text, "times", path));
        out.last = std::move(kept.profile);
        out.plan = std::move(kept.plan);
    }
    return out;
}

} // namespace

bool isDocumentFile(std::string_view path) {
    return path.ends_with(".fwdoc");
}

std::string documentText(const Inputs& inputs, const std::string& folder, const KeptView& kept,
                         const SavedTimes& times) {
    DocumentRecord out;
    out.version = documentVersion;
    out.model = shortened(inputs.model, folder);
    out.target = inputs.target;
    out.libraries = inputs.libraries;
    for (const Book& book : inputs.books)
        out.books.push_back({shortened(book.path, folder), book.enabled == Enabled::Yes});
    out.without = inputs.without;
    out.leftOut = inputs.leftOut;
    for (const Pin& pin : inputs.pins)
        out.pins.push_back({kindName(pin.kind), pin.nodes, pin.implementation, pin.because});
    out.dims = inputs.dims;
    out.types = inputs.types;
    out.log = shortened(inputs.log, folder);
    out.kept = recordOf(kept, [&](const std::string& path) { return shortened(path, folder); });
    // On one line each: what takes the most room is not for people.
    if (times.baseline)
        if (std::string text = timesText(*times.baseline, {}); !text.empty())
            out.baseline = RawJson{std::move(text)};
    if (times.last)
        if (std::string text = timesText(*times.last, times.plan); !text.empty())
            out.times = RawJson{std::move(text)};
    return Writer::text(out, JsonStyle::Indented) + "\n";
}

Result<Inputs> parseDocument(std::string_view text, const std::string& path) {
    const std::string hint = "a document is what File > Save writes";
    VersionRecord<RawJson> any;
    if (Reader(text).readAll(any) || !any.version)
        return wrong("is not a Fusewright document", path, hint);
    // Of a newer version nothing but its number is read.
    VersionRecord<std::int64_t> numbered;
    DocumentRecord in;
    auto diag = Reader(text).readAll(numbered);
    if (!diag && numbered.version > documentVersion)
        return wrong(fmt::format("is a document of version {}, this program reads up to {}",
                                 *numbered.version, documentVersion),
                     path, "open it with a newer Fusewright");
    if (!diag && numbered.version < 1)
        return wrong("has no version", path, hint);
    if (!diag)
        diag = Reader(text).readAll(in);
    if (diag) {
        diag->at({path});
        return *diag;
    }
    if (in.model.empty())
        return wrong("names no model", path);
    const std::filesystem::path folder = folderOf(path);
    Inputs out;
    out.model = absolute(in.model, folder);
    out.target = in.target;
    out.libraries = in.libraries;
    for (const BookRecord& book : in.books)
        out.books.push_back(
            {absolute(book.path, folder), book.enabled ? Enabled::Yes : Enabled::No});
    out.without = std::move(in.without);
    out.leftOut = std::move(in.leftOut);
    for (PinRecord& pin : in.pins) {
        Pin made;
        bool known = false;
        for (const PinKind kind : {PinKind::Together, PinKind::Apart, PinKind::Use, PinKind::Avoid})
            if (pin.kind == kindName(kind)) {
                made.kind = kind;
                known = true;
            }
        if (!known)
            return wrong("has a pin of unknown kind '" + pin.kind + "'", path,
                         "together, apart, use or avoid");
        made.nodes = std::move(pin.nodes);
        made.implementation = std::move(pin.implementation);
        made.because = std::move(pin.because);
        out.pins.push_back(std::move(made));
    }
    out.dims = std::move(in.dims);
    out.types = std::move(in.types);
    out.log = absolute(in.log, folder);
    FW_TRY(const SavedTimes times, keptTimesOf(in, path));
    return out;
}

Result<SavedTimes> parseTimes(std::string_view text, const std::string& path) {
    DocumentRecord in;
    if (auto diag = Reader(text).readAll(in)) {
        diag->at({path});
        return *diag;
    }
    return keptTimesOf(in, path);
}

Status saveDocument(const Inputs& inputs, const std::string& path, const KeptView& kept,
                    const SavedTimes& times) {
    std::error_code error;
    const std::filesystem::path full = std::filesystem::absolute(path, error);
    return writeFile(
        path, documentText(inputs, folderOf(error ? path : full.string()).string(), kept, times));
}

Result<Inputs> loadDocument(const std::string& path) {
    FW_TRY(const std::string text, readFile(path, largestDocument));
    return parseDocument(text, path);
}

KeptView parseKeptOf(std::string_view text, const std::string& path) {
    DocumentRecord in;
    if (Reader(text).readAll(in))
        return {};
    return keptOf(in.kept, [folder = folderOf(path)](const std::string& one) {
        return absolute(one, folder);
    });
}

KeptView loadKept(const std::string& path) {
    const Result<std::string> text = readFile(path, largestDocument);
    return text ? parseKeptOf(*text, path) : KeptView();
}

SavedTimes loadTimes(const std::string& path) {
    const Result<std::string> text = readFile(path, largestDocument);
    Result<SavedTimes> out = text ? parseTimes(*text, path) : Result<SavedTimes>(text.diag());
    return out ? out.take() : SavedTimes();
}

Result<ProfileDocument> loadBaseline(const std::string& path) {
    FW_TRY(const std::string text, readFile(path, largestDocument));
    if (!isDocumentFile(path)) {
        FW_TRY(const KeptTimes kept, parseKeptTimes(text, {}, path));
        return *kept.profile;
    }
    FW_CHECK(parseDocument(text, path));
    FW_TRY(const SavedTimes times, parseTimes(text, path));
    if (!times.baseline && !times.last)
        return wrong("has no times", path,
                     "pin a baseline in the window, or take what `fw profile --json` prints");
    return times.baseline ? *times.baseline : *times.last;
}

} // namespace fw::snapshot
