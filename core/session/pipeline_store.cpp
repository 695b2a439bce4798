#include "session/pipeline_store.h"

#include "extern/user_library.h"
#include "session/book_texts.h"
#include "session/stage_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace fw {

namespace {

constexpr std::size_t keptPipelines = 4;
constexpr std::ptrdiff_t keptTyped = 2; // of them, with text that is not saved

} // namespace

// Says another thing when a file of weights is no longer what was read.
std::string PipelineStore::modelStamp(const std::string& file) {
    WeightFiles& weights = m_shared->weightFiles[file];
    for (auto& [weightFile, stamp] : weights.stamps)
        if (std::string now = stampOf(weightFile); now != stamp) {
            stamp = std::move(now);
            ++weights.changed;
        }
    return fmt::format("{} {}", stampOf(file), weights.changed);
}

namespace {

// What stands in a path for bytes that are no text: whoever made a text of it put it there.
constexpr std::string_view replacementCharacter = "\xEF\xBF\xBD";

Diag notFound(const std::string& path, const std::error_code& error) {
    if (path.find(replacementCharacter) != std::string::npos)
        return makeDiag(DiagCode::FileMissing,
                        "there is no file of this name, which is no text in UTF-8", {path},
                        "names of files are text here; rename the file");
    return error
               ? makeDiag(DiagCode::FileMissing, "cannot be read: " + error.message(), {path})
               : makeDiag(DiagCode::FileMissing, "there is no such file", {path}, "check the path");
}

} // namespace

Result<Pipeline*> PipelineStore::find(const PipelineInputs& inputs) {
    const std::string file = modelFileOf(inputs.model);
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        return notFound(inputs.model, error);
    const Pipeline::Stamps stamps{modelStamp(file),
                                  inputs.log.empty() ? std::string() : stampOf(inputs.log)};
    std::string stamp = stamps.model + "|" + stamps.log;
    for (const std::string& rules : inputs.rules) {
        const bool unsaved = std::any_of(inputs.texts.begin(), inputs.texts.end(),
                                         [&](const auto& source) { return source.file == rules; });
        stamp += "|" + (unsaved ? std::string() : stampOf(rules));
    }
    if (const auto books = bookTexts(inputs.rules, inputs.texts))
        for (const BookText& book : *books) {
            for (const auto& library : librariesOf(book.text))
                stamp +=
                    "|" + library->name + stampOf(fileOf(declaredLibrary(*library, book.file)));
            if (std::find(inputs.rules.begin(), inputs.rules.end(), book.file) ==
                inputs.rules.end()) // it is included
                stamp += "|" + book.file + stampOf(book.file);
            for (const Diag& problem : book.problems)
                stamp += problem.text();
        }
    std::erase_if(m_entries, [](const Entry& entry) { return entry.pipeline->importFailed(); });
    const auto found = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& entry) {
        return entry.inputs == inputs && entry.stamp == stamp;
    });
    if (found != m_entries.end()) {
        std::rotate(m_entries.begin(), found, found + 1);
        return m_entries.front().pipeline.get();
    }
    m_entries.insert(m_entries.begin(),
                     Entry{inputs, stamp, std::make_unique<Pipeline>(inputs, stamps, m_shared)});
    // Text that is typed is soon another one: it must not push out what was compiled.
    const auto typed = [](const Entry& entry) { return !entry.inputs.texts.empty(); };
    if (std::count_if(m_entries.begin(), m_entries.end(), typed) > keptTyped)
        m_entries.erase(std::find_if(m_entries.rbegin(), m_entries.rend(), typed).base() - 1);
    if (m_entries.size() > keptPipelines)
        m_entries.resize(keptPipelines);
    return m_entries.front().pipeline.get();
}

} // namespace fw
