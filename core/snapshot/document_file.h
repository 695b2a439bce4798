// The document file (.fwdoc): Inputs as versioned JSON text, for people and for `fw`.
//
//     { "fusewright_document": 1, "model": "resnet.onnx", "target": "x86-64 -threads=2",
//       "libraries": ["onednn"], "books": [{"path": "my.fw", "enabled": true}],
//       "pins": [{"kind": "apart", "nodes": ["c", "s"], "implementation": ""}], "dims": {"N": 8} }
//
// Beside the inputs stands which blocks of the graphs are open, which nothing is computed from.
//
// Paths below the document's folder are written relative to it, so a folder can be moved as a
// whole. Results are never saved: they follow from the inputs. A missing `libraries` means all that
// are found. Unknown fields are skipped; a newer version is refused, because what it says about the
// inputs could be misread. Saving replaces the file whole or leaves it as it was.
#pragma once

#include "snapshot/hierarchy.h"
#include "snapshot/inputs.h"

namespace fw::snapshot {

constexpr std::int64_t documentVersion = 1;
constexpr std::uint64_t largestDocument = 16u << 20; // bytes

bool isDocumentFile(std::string_view path); // by its name

std::string documentText(const Inputs& inputs, const std::string& folder,
                         const std::optional<BlockView>& blocks = {});
// `path` names the file in messages and its folder; relative paths in the text are below it.
Result<Inputs> parseDocument(std::string_view text, const std::string& path);

Status saveDocument(const Inputs& inputs, const std::string& path,
                    const std::optional<BlockView>& blocks = {});
Result<Inputs> loadDocument(const std::string& path);
// None if the document does not say, or cannot be read.
std::optional<BlockView> loadBlocks(const std::string& path);

} // namespace fw::snapshot
