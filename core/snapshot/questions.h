// The commands of commands.def as values: what each is called, takes and answers. From these rows
// `fw` builds its options, its help, its completion and its manual page, and the worker its table.
#pragma once

#include "snapshot/arguments.h"

#include <limits>
#include <string_view>
#include <variant>

namespace fw::snapshot {

// What one types: a question to the worker, what becomes part of it when it is understood, and how
// the answer is shown.
struct Asked : Arguments {
    std::vector<std::string> givenInputs;     // "rate=16000", "x=image.npy"
    std::vector<std::string> givenDims;       // "N=4", "N=1..8"
    std::vector<std::string> givenTypes;      // "x=f32[N, 4]"
    std::vector<std::string> givenLevels;     // "relu.rank=any"
    std::vector<std::string> givenAttributes; // "axis=1"
    std::string ofBook, place;                // assist: "3:14"
    std::string machine;                      // a file of `fw doctor --save`
    std::string worker;                       // a command that reaches one
    std::string report;                       // rewrite: a file
    std::string baseline;                     // profile: a file
    std::string as;                           // help
    std::vector<std::string> commands;        // mcp: those that are tools
    std::optional<int> depth;                 // draw
    bool edges = false;                       // draw
    std::vector<std::string> hide, only;      // draw: queries
    bool json = false;
    bool eachOperator = false;                  // fuse
    bool writeFiles = false, checkOnly = false; // format
};

// One operand or option.
struct Option {
    template <class T>
    using Member = T Asked::*;
    using Slot =
        std::variant<std::monostate, Member<bool>, Member<std::optional<bool>>, Member<std::string>,
                     Member<std::vector<std::string>>, Member<std::optional<int>>,
                     Member<std::optional<std::int64_t>>, Member<std::optional<double>>>;
    static constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

    std::string_view names; // "-o,--output", "--expect,!--no-expect"; an operand: "model"
    Slot slot;              // nothing: the parser of options answers it
    std::string_view about;

    bool required = false;
    std::vector<std::string_view> values = {};   // the words it takes, if they are few
    std::int64_t least = 0, most = any;          // a number; least may be -any
    std::int64_t words = any;                    // that an operand takes at most
    bool takesSeveral = false;                   // words behind one option
    std::string_view excludes = {};              // the name of another option
    std::optional<bool> Asked::*alone = nullptr; // true where the option stands without its value

    Option must() const;
    Option oneOf(std::vector<std::string_view> words) const;
    Option within(std::int64_t from, std::int64_t to = any) const;
    Option upTo(std::int64_t operands) const;
    Option several() const;
    Option without(std::string_view other) const;
    Option orAlone(std::optional<bool> Asked::*flag) const;

    bool isOperand() const { return !names.starts_with('-'); }
    bool isFlag() const;                       // without a value
    bool isMany() const;                       // several values in all
    std::string name() const;                  // the long one: "--output"
    std::vector<std::string> allNames() const; // "-o", "--output"
    std::string_view kind() const;             // of its value: "TEXT", "INT", "FLOAT", or nothing
    bool isWritten() const;                    // it names a file or folder to write, or asks for it
};
using Options = std::vector<Option>;

// How a command treats what it is given.
enum Trait : unsigned {
    Plain = 0,
    ListsBooks = 1,  // its answer lists the books with what is wrong in them
    ChecksBooks = 2, // it answers for each book apart
    ReadsFiles = 4,  // --input may name files
    WritesLog = 8,   // --log need not be there
    Speaks = 16,     // a protocol, on standard input and output: it has no document
};

struct CommandRow {
    std::string_view name;     // of `fw`; empty: the window's alone
    std::string_view worker;   // of the worker; empty: `fw` makes the answer itself
    std::string_view document; // the record that is answered
    unsigned traits = Plain;
    std::string_view about;
    Options options = {};

    bool has(Trait trait) const { return (traits & trait) != 0; }
    bool writes() const; // files that its options name
};

const std::vector<CommandRow>& commandRows();
const CommandRow* commandNamed(std::string_view name); // of `fw`; null: there is none

} // namespace fw::snapshot
