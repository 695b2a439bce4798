#include "snapshot/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fw::snapshot {

namespace {

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> out;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(" \t\n", at)) != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
        out.push_back(text.substr(at, end - at));
        at = end;
    }
    return out;
}

std::string inQuotes(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + '"';
}

// A node's name may hold anything; what is no plain name is quoted.
std::string quoted(const std::string& name) {
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    }) && !(name[0] >= '0' && name[0] <= '9');
    if (plain && name != "any")
        return name;
    return inQuotes(name);
}

// What two pins of the same nodes would contradict each other about.
std::string subjectOf(const Pin& pin) {
    switch (pin.kind) {
    case PinKind::Together:
    case PinKind::Apart:
        return "group";
    case PinKind::Use:
        return "implementation";
    case PinKind::Avoid:
        return "avoid " + pin.implementation;
    }
    return {};
}

std::string nameOf(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

struct Applier {
    Inputs& inputs;

    void operator()(const SetTarget& edit) const {
        SplitTarget split = splitTarget(edit.text);
        inputs.target = std::move(split.rest);
        if (split.libraries)
            inputs.libraries = std::move(split.libraries);
    }
    void operator()(const SwitchLibrary& edit) const {
        std::vector<std::string> listed = inputs.libraries.value_or(edit.found);
        std::erase(listed, edit.name);
        if (edit.enabled == Enabled::Yes)
            listed.push_back(edit.name);
        // The order of the list is an order of preference: that of the found ones.
        std::stable_sort(listed.begin(), listed.end(), [&](const auto& a, const auto& b) {
            return std::find(edit.found.begin(), edit.found.end(), a) <
                   std::find(edit.found.begin(), edit.found.end(), b);
        });
        if (inputs.libraries || listed != edit.found)
            inputs.libraries = std::move(listed);
        // What a declared target takes is not known any more once others are listed.
        if (inputs.libraries == edit.found && !namesDeclaredTarget(inputs.target))
            inputs.libraries.reset();
    }
    void operator()(const AddBook& edit) const {
        for (Book& book : inputs.books)
            if (book.path == edit.path) {
                book.enabled = Enabled::Yes;
                return;
            }
        inputs.books.push_back({edit.path, Enabled::Yes});
    }
    void operator()(const RemoveBook& edit) const {
        std::erase_if(inputs.books, [&](const Book& book) { return book.path == edit.path; });
    }
    void operator()(const RenameBook& edit) const {
        if (edit.path == edit.to)
            return;
        std::erase_if(inputs.books, [&](const Book& book) { return book.path == edit.to; });
        for (Book& book : inputs.books)
            if (book.path == edit.path)
                book.path = edit.to;
    }
    void operator()(const MoveBook& edit) const {
        const auto found = std::find_if(inputs.books.begin(), inputs.books.end(),
                                        [&](const Book& book) { return book.path == edit.path; });
        if (found == inputs.books.end())
            return;
        const Book moved = *found;
        inputs.books.erase(found);
        const std::size_t to = std::min(edit.to, inputs.books.size());
        inputs.books.insert(inputs.books.begin() + std::ptrdiff_t(to), moved);
    }
    void operator()(const SwitchBook& edit) const {
        for (Book& book : inputs.books)
            if (book.path == edit.path)
                book.enabled = edit.enabled;
    }
    void operator()(const SwitchShipped& edit) const {
        std::erase(inputs.without, edit.file);
        if (edit.enabled == Enabled::No)
            inputs.without.push_back(edit.file);
        std::sort(inputs.without.begin(), inputs.without.end());
    }
    void operator()(const LeaveOut& edit) const {
        for (const std::vector<std::string>* named : {&edit.applications, &edit.again})
            for (const std::string& one : *named)
                std::erase(inputs.leftOut, one);
        inputs.leftOut.insert(inputs.leftOut.end(), edit.applications.begin(),
                              edit.applications.end());
        std::sort(inputs.leftOut.begin(), inputs.leftOut.end());
    }
    void operator()(const AddPin& edit) const {
        // A later pin of the same nodes takes the place of the earlier one.
        std::erase_if(inputs.pins, [&](const Pin& pin) {
            return pin.nodes == edit.pin.nodes && subjectOf(pin) == subjectOf(edit.pin);
        });
        inputs.pins.push_back(edit.pin);
    }
    void operator()(const AddPins& edit) const {
        for (const Pin& pin : edit.pins)
            (*this)(AddPin{pin});
    }
    void operator()(const RemovePin& edit) const { std::erase(inputs.pins, edit.pin); }
    void operator()(const ClearPins&) const { inputs.pins.clear(); }
    void operator()(const SetDims& edit) const { inputs.dims = edit.dims; }
    void operator()(const SetTypes& edit) const { inputs.types = edit.types; }
    void operator()(const SetLog& edit) const { inputs.log = edit.path; }
};

struct Sayer {
    std::string operator()(const SetTarget& edit) const { return "target " + edit.text; }
    std::string operator()(const SwitchLibrary& edit) const {
        return fmt::format("switch {} {}", edit.name, edit.enabled == Enabled::Yes ? "on" : "off");
    }
    std::string operator()(const AddBook& edit) const { return "open " + nameOf(edit.path); }
    std::string operator()(const RemoveBook& edit) const { return "close " + nameOf(edit.path); }
    std::string operator()(const RenameBook& edit) const {
        return fmt::format("rename {} to {}", nameOf(edit.path), nameOf(edit.to));
    }
    std::string operator()(const MoveBook& edit) const { return "move " + nameOf(edit.path); }
    std::string operator()(const SwitchBook& edit) const {
        return fmt::format("switch {} {}", nameOf(edit.path),
                           edit.enabled == Enabled::Yes ? "on" : "off");
    }
    std::string operator()(const SwitchShipped& edit) const {
        return fmt::format("switch {} {}", edit.file, edit.enabled == Enabled::Yes ? "on" : "off");
    }
    std::string operator()(const LeaveOut& edit) const {
        return edit.applications.empty()
                   ? fmt::format("apply {}", fmt::join(edit.again, ", "))
                   : fmt::format("leave out {}", fmt::join(edit.applications, ", "));
    }
    std::string operator()(const AddPin& edit) const { return "pin " + pinText(edit.pin); }
    std::string operator()(const AddPins& edit) const { return "pin " + edit.what; }
    std::string operator()(const RemovePin& edit) const { return "unpin " + pinText(edit.pin); }
    std::string operator()(const ClearPins&) const { return "clear all pins"; }
    std::string operator()(const SetDims& edit) const {
        std::string out;
        for (const auto& [name, value] : edit.dims)
            out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, value);
        return out.empty() ? "free dimensions" : out;
    }
    std::string operator()(const SetTypes& edit) const {
        std::string out;
        for (const auto& [name, type] : edit.types)
            out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", name, type);
        return out.empty() ? "types" : out;
    }
    std::string operator()(const SetLog& edit) const {
        return edit.path.empty() ? "close measurements" : "measurements " + nameOf(edit.path);
    }
};

} // namespace

SplitTarget splitTarget(std::string_view text) {
    constexpr std::string_view option = "-libs=";
    SplitTarget out;
    for (const std::string_view word : words(text)) {
        if (!word.starts_with(option)) {
            out.rest += (out.rest.empty() ? "" : " ") + std::string(word);
            continue;
        }
        out.libraries.emplace();
        std::string_view list = word.substr(option.size());
        while (!list.empty()) {
            const std::size_t comma = std::min(list.find(','), list.size());
            if (comma > 0)
                out.libraries->emplace_back(list.substr(0, comma));
            list.remove_prefix(std::min(comma + 1, list.size()));
        }
    }
    return out;
}

bool namesDeclaredTarget(std::string_view text) {
    const std::vector<std::string_view> all = words(text);
    return !all.empty() && all.front() != "x86-64" && !all.front().starts_with("-");
}

std::string Inputs::fullTarget() const {
    if (!libraries)
        return target;
    return fmt::format("{}{}-libs={}", target, target.empty() ? "" : " ",
                       fmt::join(*libraries, ","));
}

std::vector<std::string> Inputs::enabledBooks() const {
    std::vector<std::string> out;
    for (const Book& book : books)
        if (book.enabled == Enabled::Yes)
            out.push_back(book.path);
    return out;
}

std::string pinText(const Pin& pin) {
    std::vector<std::string> names;
    for (const std::string& node : pin.nodes)
        names.push_back(quoted(node));
    const std::string list = fmt::format("{}", fmt::join(names, ", "));
    switch (pin.kind) {
    case PinKind::Together:
        return "together " + list +
               (pin.implementation.empty() ? std::string() : " with " + pin.implementation);
    case PinKind::Apart:
        return "apart " + list;
    case PinKind::Use:
        return fmt::format("use {} for {}", pin.implementation, list);
    case PinKind::Avoid:
        return fmt::format("avoid {} for {}{}", pin.implementation, list.empty() ? "any" : list,
                           pin.because.empty() ? "" : " because " + inQuotes(pin.because));
    }
    return {};
}

std::string Inputs::pinText() const {
    if (pins.empty())
        return {};
    std::string out = "pin {\n";
    for (const Pin& pin : pins)
        out += "  " + snapshot::pinText(pin) + "\n";
    return out + "}\n";
}

Inputs applied(Inputs inputs, const Edit& edit) {
    std::visit(Applier{inputs}, edit);
    return inputs;
}

std::string editText(const Edit& edit) {
    return std::visit(Sayer{}, edit);
}

} // namespace fw::snapshot
