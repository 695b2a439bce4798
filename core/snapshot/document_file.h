// The document file (.fwdoc): Inputs as versioned JSON text, for people and for `fw`.
//
//     { "fusewright_document": 1, "model": "resnet.onnx", "target": "x86-64 -threads=2",
//       "libraries": ["onednn"], "books": [{"path": "my.fw", "enabled": true}],
//       "pins": [{"kind": "apart", "nodes": ["c", "s"], "implementation": ""}], "dims": {"N": 8} }
//
// Beside the inputs stands what people left in the window, such as bookmarks, and what was
// measured: the baseline and the last times. Nothing is computed from either.
//
// Paths below the document's folder are written relative to it, so a folder can be moved as a
// whole. Other results are never saved: they follow from the inputs. A missing `libraries` means
// all that are found. Unknown fields are skipped; a newer version is refused, because what it says
// about the inputs could be misread. Saving replaces the file whole or leaves it as it was.
#pragma once

#include "snapshot/inputs.h"
#include "snapshot/kept_view.h"
#include "snapshot/saved_times.h"

namespace fw::snapshot {

constexpr std::int64_t documentVersion = 1;
constexpr std::uint64_t largestDocument = 16u << 20; // bytes

bool isDocumentFile(std::string_view path); // by its name

std::string documentText(const Inputs& inputs, const std::string& folder, const KeptView& kept = {},
                         const SavedTimes& times = {});
// `path` names the file in messages and its folder; relative paths in the text are below it.
Result<Inputs> parseDocument(std::string_view text, const std::string& path);

// What parseDocument() takes has times that can be read.
Result<SavedTimes> parseTimes(std::string_view text, const std::string& path);

Status saveDocument(const Inputs& inputs, const std::string& path, const KeptView& kept = {},
                    const SavedTimes& times = {});
Result<Inputs> loadDocument(const std::string& path);
// Nothing of a document that cannot be read.
KeptView parseKeptOf(std::string_view text, const std::string& path);
KeptView loadKept(const std::string& path);
// None of a document that has none, or cannot be read.
SavedTimes loadTimes(const std::string& path);
// What a run is compared with: a file of `fw profile --json`, or the baseline of a document, or, if
// it has none, its last times.
Result<ProfileDocument> loadBaseline(const std::string& path);

} // namespace fw::snapshot
