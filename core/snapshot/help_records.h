// What `fw help --json` says of the program: commands, the records that they answer, codes.
#pragma once

#include "snapshot/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fw::snapshot {

// clang-format off
FW_RECORD(OptionHelp,
    (std::string, name),                // "--output"; of an operand "model"
    (std::vector<std::string>, names),  // "-o", "--output"
    (std::string, about),
    (std::string, value),               // "TEXT", "INT", "FLOAT", or nothing: a flag
    (std::vector<std::string>, values), // the words it takes, if they are few
    (bool, required),
    (bool, many)                        // values
)
FW_RECORD(CommandHelp,
    (std::string, name),
    (std::string, about),
    (std::string, answer),              // the record that --json prints; empty: it speaks a protocol
    (std::vector<OptionHelp>, options)
)
FW_RECORD(FieldHelp,
    (std::string, name),
    // "text", "flag", "integer", "number", "code", "one of X, Y", a record, "list of T",
    // "T by name" or "T or null"
    (std::string, type)
)
FW_RECORD(RecordHelp,
    (std::string, name),
    (std::vector<FieldHelp>, fields)
)
FW_RECORD(CodeHelp,
    (std::string, code),
    (std::string, about),
    (std::optional<std::int64_t>, exit) // of an error that ends a command; else a reason
)
FW_RECORD(HelpDocument,
    (std::string, version),
    (std::vector<CommandHelp>, commands),
    (std::vector<RecordHelp>, records),
    (std::vector<CodeHelp>, codes)
)
// clang-format on

// From the rows of commands.def and the lists of fields and codes.
HelpDocument describeProgram(std::string version);

} // namespace fw::snapshot
