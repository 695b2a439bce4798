// Reading and writing whole files, with the refusals that every door needs.
//
// A folder, a pipe or a device is refused. Writing goes to a temporary name
// in the same folder and is renamed over the target, so that an old file stays whole or is replaced
// whole; a target that exists and is no regular file (a device, a pipe, a link) is refused.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fw {

struct MappedFile {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner; // keeps the mapping alive; null for an empty file

    std::string_view text() const {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
};

// Maps an open regular file read-only; the descriptor stays with the caller. `name` is for
// messages.
Result<MappedFile> mapOpenFile(int descriptor, const std::string& name, std::uint64_t maxBytes);
// FileMissing when it cannot be read, FileTooLarge above `maxBytes`.
Result<MappedFile> mapFile(const std::string& path, std::uint64_t maxBytes);
// A copy, for files that others may edit meanwhile: what is mapped ends the program if it is cut
// short. One that changes while it is read is read again; FileMissing if it does not come to rest.
Result<std::string> readFile(const std::string& path, std::uint64_t maxBytes);

// What a power cut may do to a written file: leave the old or the new one, or spoil it, where it
// can be made again. Waiting for a busy disk takes from 1 ms to seconds.
enum class Durability : std::uint8_t { Synced, Cache };

// FileUnwritable when the target cannot be replaced. Readers see the old or the new content.
Status writeFile(const std::string& path, std::string_view bytes,
                 Durability durability = Durability::Synced);
// At the end, in one write, so that several programs may append; the file is made if it is missing.
Status appendFile(const std::string& path, std::string_view bytes);

} // namespace fw
