// Inputs: what the user decided, as one value, and the pure edits that lead from one value to the
// next.
//
// Everything the engine shows is a function of Inputs, so undo is the inputs of before (and answers
// that are still kept), and a document file is nothing but Inputs in text. The libraries are kept
// apart from the text of the target, because a check box and `-libs=` say the same thing: an edit
// that types `-libs=` into the target ticks boxes, and fullTarget() puts both together again.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fw::snapshot {

enum class PinKind : std::uint8_t { Together, Apart, Use, Avoid };
enum class Enabled : std::uint8_t { No, Yes };

// What the user fixed against the plan. Nodes are named by a result of theirs or by themselves, as
// in a book.
struct Pin {
    PinKind kind = PinKind::Together;
    std::vector<std::string> nodes;  // none of Avoid: everywhere
    std::string implementation = {}; // of Together it may be empty; of Avoid also a library
    std::string because = {};        // of Avoid: shown as the reason

    bool operator==(const Pin&) const = default;
};

struct Book {
    std::string path; // absolute
    Enabled enabled = Enabled::Yes;

    bool operator==(const Book&) const = default;
};

struct Inputs {
    std::string model;  // absolute path of a file or of a test folder
    std::string target; // without -libs=; may be incomplete
    std::optional<std::vector<std::string>> libraries; // none: all that are found
    std::vector<Book> books;                           // in the order in which they apply
    std::vector<std::string> without;                  // shipped books that are switched off
    std::vector<std::string> leftOut; // applications that are not wanted: "fold_bn at Conv_3"
    std::vector<Pin> pins;
    std::map<std::string, std::int64_t> dims; // free dimensions bound by name
    std::map<std::string, std::string> types; // of values that nothing infers: "f32[N, 4]"
    std::string log;                          // absolute path of a file of measurements; or empty

    std::string fullTarget() const; // with -libs= if libraries are listed
    std::vector<std::string> enabledBooks() const;
    std::string pinText() const; // a `pin` block of the language; empty without pins
    bool operator==(const Inputs&) const = default;
};

// --- edits

struct SetTarget {
    std::string text; // may name libraries
};
// `found` are the libraries that the target takes without -libs=.
struct SwitchLibrary {
    std::string name;
    Enabled enabled = Enabled::Yes;
    std::vector<std::string> found;
};
struct AddBook {
    std::string path;
};
struct RemoveBook {
    std::string path;
};
// Saved under another name; it takes the place of one that has that name.
struct RenameBook {
    std::string path;
    std::string to;
};
// Books apply in their order; `to` is the place it gets, from 0.
struct MoveBook {
    std::string path;
    std::size_t to = 0;
};
struct SwitchBook {
    std::string path;
    Enabled enabled = Enabled::Yes;
};
// A book of rules that is shipped, by its file name.
struct SwitchShipped {
    std::string file;
    Enabled enabled = Enabled::Yes;
};
// Applications of rules, "fold_bn at Conv_3", are left out, and others wanted again.
struct LeaveOut {
    std::vector<std::string> applications;
    std::vector<std::string> again = {};
};
struct AddPin {
    Pin pin;
};
struct AddPins {
    std::vector<Pin> pins; // in one step
    std::string what;      // for the undo menu: "region onednn_0 to code of ours"
};
struct RemovePin {
    Pin pin;
};
struct ClearPins {};
struct SetDims {
    std::map<std::string, std::int64_t> dims; // those that are not listed are free
};
struct SetTypes {
    std::map<std::string, std::string> types; // those that are not listed stay unknown
};
struct SetLog {
    std::string path; // empty: none
};

using Edit = std::variant<SetTarget, SwitchLibrary, AddBook, RemoveBook, RenameBook, MoveBook,
                          SwitchBook, SwitchShipped, LeaveOut, AddPin, AddPins, RemovePin,
                          ClearPins, SetDims, SetTypes, SetLog>;

// An edit that changes nothing gives equal inputs.
Inputs applied(Inputs inputs, const Edit& edit);
// For the undo menu: "switch onednn off".
std::string editText(const Edit& edit);
std::string pinText(const Pin& pin); // "together a, b with openblas.sgemm"

// Takes -libs= out of a target: the rest, and the list if there was one.
struct SplitTarget {
    std::string rest;
    std::optional<std::vector<std::string>> libraries;
};
SplitTarget splitTarget(std::string_view text);
// Whether its first word is the name of a target that a book declares, which may say its libraries.
bool namesDeclaredTarget(std::string_view text);

} // namespace fw::snapshot
