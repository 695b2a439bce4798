// Symbol: an interned name. Equal names are equal symbols; comparing costs one integer compare.
// Ordering is by name, so that nothing depends on the order in which names were first seen.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace fw {

class Symbol {
public:
    Symbol() = default; // the empty name
    Symbol(std::string_view name);
    Symbol(const std::string& name) : Symbol(std::string_view(name)) {}
    Symbol(const char* name) : Symbol(std::string_view(name)) {}

    const std::string& text() const; // lives as long as the program
    bool empty() const { return m_id == 0; }
    std::uint32_t id() const { return m_id; }

    bool operator==(const Symbol&) const = default;
    std::strong_ordering operator<=>(const Symbol& other) const {
        return m_id == other.m_id ? std::strong_ordering::equal : text() <=> other.text();
    }

private:
    std::uint32_t m_id = 0;
};

} // namespace fw

// moc of Qt 6.4 does not parse `struct std::hash<...>`, so the namespace is opened.
namespace std {
template <>
struct hash<fw::Symbol> {
    std::size_t operator()(const fw::Symbol& symbol) const noexcept { return symbol.id(); }
};
} // namespace std
