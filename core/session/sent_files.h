// Files that another machine sends to this worker, for its requests: `fw --worker` at the far end
// of session/remote.h.
//
// The contents lie by their SHA-256 in the user's cache folder, so that each is sent once. Requests
// name paths of the other machine; these are laid out, as they are there, below a folder of this
// worker, which it removes at its end.
//
//   place  nodes: "SHA256 BYTES /path"; values: paths that something will be written to
//          -> {"root": "/folder", "missing": ["SHA256", ...]}: nothing is laid out while one is
//          missing
//   put    name: SHA256, limit: bytes of all, application: where this piece begins, texts[0]:
//   base64
//          -> {"bytes": how many there are now}
//   take   name: path -> {"files": [["/path", BYTES], ...]} of what lies there, in the root;
//          with application, where the piece begins -> {"base64": "..."}
#pragma once

#include "base/leftovers.h"
#include "base/result.h"
#include "snapshot/protocol.h"

#include <map>
#include <optional>
#include <string>

namespace fw {

class SentFiles {
public:
    static constexpr std::size_t pieceBytes = std::size_t{4} << 20;

    Result<std::string> place(const snapshot::Arguments& arguments);
    Result<std::string> put(const snapshot::Arguments& arguments);
    Result<std::string> take(const snapshot::Arguments& arguments);
    void end(); // removes the folder

private:
    Status begin();
    Result<std::string> inRoot(const std::string& path) const;

    std::string m_store, m_root;
    std::optional<Leftover> m_left;
    std::map<std::string, std::string> m_placed; // SHA-256 by path
};

} // namespace fw
