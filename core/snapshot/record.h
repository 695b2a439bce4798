// Records from one list: members, equality and the fields of their JSON.
//
//     FW_RECORD(BookDocument,
//               (std::string, file),          // its type, its name
//               (std::vector<int>, endLines), // "end_lines" in JSON
//               (bool, isLast, true))         // "last" in JSON, true unless it is said otherwise
//
// makes a struct and `fields(visitor, record)`, which calls `visitor("file", record.file)` in the
// order in which they are printed. A type with a comma has a name without one: ByName<int>. What is
// a MakerRecord gives its own fields in its place (isFlat). Likewise
//
//     FW_ENUM(Maker, (Nobody, ""), (Generated, "generated"))
//
// makes an enumeration that is those texts in JSON: wordsOf(Maker()), textOf(maker).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace fw::snapshot {

template <class T>
using ByName = std::map<std::string, T>;

// The name of a member as it stands in JSON, and a null at the end.
template <std::size_t size>
constexpr auto jsonName(const char (&member)[size]) {
    constexpr auto isLarge = [](char c) { return c >= 'A' && c <= 'Z'; };
    std::array<char, 2 * size> out{};
    std::size_t at = 0, from = 0;
    if (size > 3 && member[0] == 'i' && member[1] == 's' && isLarge(member[2]))
        from = 2;
    for (std::size_t i = from; i + 1 < size; ++i) {
        if (isLarge(member[i]) && i > from)
            out[at++] = '_';
        out[at++] = isLarge(member[i]) ? static_cast<char>(member[i] - 'A' + 'a') : member[i];
    }
    return out;
}

// Whether the fields of a member stand among those of its record.
template <class T>
inline constexpr bool isFlat = false;

template <class Base, class R>
auto& baseOf(R& record) {
    return static_cast<std::conditional_t<std::is_const_v<R>, const Base, Base>&>(record);
}

// A text that is one of a few. A literal is checked when it is compiled; find() is for others.
template <class Words>
class OneOf {
public:
    constexpr OneOf() = default; // the first of them
    consteval OneOf(const char* text) : m_index(find(text).value().m_index) {}

    static constexpr std::optional<OneOf> find(std::string_view text) {
        static_assert(Words::all.size() <= 256, "m_index counts to 255");
        for (std::size_t i = 0; i < Words::all.size(); ++i)
            if (Words::all[i] == text) {
                OneOf out;
                out.m_index = static_cast<std::uint8_t>(i);
                return out;
            }
        return std::nullopt;
    }
    static constexpr OneOf of(std::string_view text) { return find(text).value(); } // that is one
    static constexpr std::span<const std::string_view> all() { return Words::all; }

    constexpr std::string_view text() const { return Words::all[m_index]; }
    std::string str() const { return std::string(text()); }
    operator std::string() const { return str(); }
    constexpr bool empty() const { return text().empty(); }
    constexpr bool operator==(const OneOf&) const = default;
    template <class Text>
    requires(std::same_as<Text, std::string> || std::same_as<Text, std::string_view>) friend bool
    operator==(const OneOf& a, const Text& b) {
        return a.text() == b;
    }

private:
    std::uint8_t m_index = 0;
};

// `macro` with each of the lists in parentheses behind it.
// clang-format off
#define FW_EACH(macro, ...) __VA_OPT__(FW_EACH_256(FW_EACH_STEP(macro, __VA_ARGS__)))
#ifdef Q_MOC_RUN // Qt's moc knows no __VA_OPT__, and needs to know no members
#undef FW_EACH
#define FW_EACH(...)
#endif
#define FW_EACH_STEP(macro, first, ...) macro first __VA_OPT__(FW_EACH_AGAIN FW_EACH_NOTHING () (macro, __VA_ARGS__))
#define FW_EACH_AGAIN() FW_EACH_STEP
#define FW_EACH_NOTHING
#define FW_EACH_256(...) FW_EACH_64(FW_EACH_64(FW_EACH_64(FW_EACH_64(__VA_ARGS__))))
#define FW_EACH_64(...) FW_EACH_16(FW_EACH_16(FW_EACH_16(FW_EACH_16(__VA_ARGS__))))
#define FW_EACH_16(...) FW_EACH_4(FW_EACH_4(FW_EACH_4(FW_EACH_4(__VA_ARGS__))))
#define FW_EACH_4(...) __VA_ARGS__

#define FW_RECORD_MEMBER(Type, member, ...) Type member{__VA_ARGS__};
#define FW_RECORD_FIELD(Type, member, ...)                                                         \
    if constexpr (isFlat<Type>) {                                                                  \
        fields(v, r.member);                                                                       \
    } else {                                                                                       \
        static constexpr auto name = jsonName(#member);                                            \
        v(name.data(), r.member);                                                                  \
    }
// clang-format on

#define FW_RECORD_BODY(Record, Base, ofBase, ...)                                                  \
    struct Record Base {                                                                           \
        FW_EACH(FW_RECORD_MEMBER, __VA_ARGS__)                                                     \
        bool operator==(const Record&) const = default;                                            \
    };                                                                                             \
    constexpr std::string_view recordName(const Record*) {                                         \
        return #Record;                                                                            \
    }                                                                                              \
    template <class Visitor, class R>                                                              \
    requires std::is_same_v<std::remove_const_t<R>, Record>                                        \
    void fields(Visitor& v, R& r) {                                                                \
        ofBase FW_EACH(FW_RECORD_FIELD, __VA_ARGS__)                                               \
    }
#define FW_RECORD(Record, ...) FW_RECORD_BODY(Record, , , __VA_ARGS__)
// A record that is another one as well, whose fields come first.
#define FW_RECORD_THAT_IS(Base, Record, ...)                                                       \
    FW_RECORD_BODY(Record, : Base, fields(v, baseOf<Base>(r));, __VA_ARGS__)
#define FW_ENUM_NAME(name, text) name,
#define FW_ENUM_TEXT(name, text) text,
#define FW_ENUM(Enum, ...)                                                                         \
    enum class Enum : std::uint8_t { FW_EACH(FW_ENUM_NAME, __VA_ARGS__) };                         \
    constexpr auto wordsOf(Enum) {                                                                 \
        return std::to_array<std::string_view>({FW_EACH(FW_ENUM_TEXT, __VA_ARGS__)});              \
    }                                                                                              \
    constexpr std::string_view textOf(Enum value) {                                                \
        return wordsOf(value)[static_cast<std::size_t>(value)];                                    \
    }

// FW_WORDS(RunVerdict, "exact", "within"): a text of a record that is one of these.
#define FW_WORDS(Name, ...)                                                                        \
    struct Name##Words {                                                                           \
        static constexpr auto all = std::to_array<std::string_view>({__VA_ARGS__});                \
    };                                                                                             \
    using Name = OneOf<Name##Words>;

} // namespace fw::snapshot
