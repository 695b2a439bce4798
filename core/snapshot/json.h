// The two visitors of json_fields.h: a writer of JSON text and a reader of it that never throws.
// Neither makes a tree of the text in between, which for a large graph would be most of the time
// and of the memory. Included by the .cpp files of this folder only.
#pragma once

#include "snapshot/documents.h"
#include "snapshot/json_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace fw::snapshot {

// A value that stays as it is written.
struct RawJson {
    std::string text;
};

class Writer {
public:
    explicit Writer(JsonStyle style) : m_style(style) {}

    template <class T>
    static std::string text(const T& value, JsonStyle style = JsonStyle::Line) {
        Writer writer(style);
        writer.write(value);
        return std::move(writer.m_out);
    }
    template <class T>
    static void pieces(const T& value, const JsonSink& sink) {
        Writer writer(JsonStyle::Line);
        writer.m_sink = &sink;
        writer.write(value);
        sink(writer.m_out);
    }

    // As a visitor of fields
    template <class T>
    void operator()(std::string_view name, const T& member) {
        next();
        write(name);
        m_out += m_style == JsonStyle::Line ? ":" : ": ";
        write(member);
    }

    void write(std::string_view text);
    void write(const std::string& text) { write(std::string_view(text)); }
    void write(const SharedText& text) { write(text.str()); }
    void write(bool flag) { m_out += flag ? "true" : "false"; }
    void write(std::int64_t number);
    void write(int number) { write(std::int64_t(number)); }
    void write(double number);
    void write(DiagCode code) { write(codeText(code)); }
    void write(const RawJson& value) { m_out += value.text; }
    template <class Enum>
    requires std::is_enum_v<Enum>
    void write(Enum value) { write(wordsOf(value)[static_cast<std::size_t>(value)]); }
    template <class Words>
    void write(const OneOf<Words>& value) {
        write(value.text());
    }
    template <class T>
    void write(const std::optional<T>& value) {
        if (value)
            write(*value);
        else
            m_out += "null";
    }
    template <class T>
    void write(const std::map<std::string, T>& values) {
        open('{');
        for (const auto& [key, value] : values)
            (*this)(key, value);
        close('}');
    }
    template <class T>
    void write(const std::vector<T>& values) {
        open('[');
        for (const T& value : values) {
            next();
            write(value);
        }
        close(']');
    }
    template <class Record>
    requires requires(Writer& writer, const Record& record) { fields(writer, record); }
    void write(const Record& record) {
        open('{');
        fields(*this, record);
        close('}');
    }

private:
    void open(char bracket);
    void close(char bracket);
    void next(); // before every member

    JsonStyle m_style;
    const JsonSink* m_sink = nullptr; // takes m_out whenever that is large
    std::string m_out;
    int m_depth = 0;
    bool m_first = true; // of the list or object at hand
};

// Reads one text. Every read() is false once something is wrong; diag() then says what.
class Reader {
public:
    explicit Reader(std::string_view text);
    explicit Reader(Pieces text);
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // The whole text as one object.
    template <class Record>
    std::optional<Diag> readAll(Record& record) {
        if (read(record) && atEnd())
            return std::nullopt;
        return diag();
    }

    bool read(std::string& out);
    bool read(SharedText& out);
    bool read(bool& out);
    bool read(std::int64_t& out);
    bool read(int& out);
    bool read(double& out); // null is a number that was not finite: the default stays
    bool read(DiagCode& out);
    bool read(Severity& out);
    template <class Enum>
    requires std::is_enum_v<Enum>
    bool read(Enum& out) {
        std::string text;
        if (!read(text))
            return wrong("a word");
        constexpr auto words = wordsOf(Enum());
        const auto found = std::find(words.begin(), words.end(), text);
        if (found == words.end())
            return wrong("one of its words");
        out = static_cast<Enum>(found - words.begin());
        return true;
    }
    template <class Words>
    bool read(OneOf<Words>& out) {
        std::string text;
        if (!read(text))
            return wrong("a word");
        const auto found = OneOf<Words>::find(text);
        if (!found)
            return wrong("one of its words");
        out = *found;
        return true;
    }
    bool read(RawJson& out);
    template <class T>
    bool read(std::optional<T>& out) {
        out.reset();
        if (takeNull())
            return true;
        T value{};
        if (!read(value))
            return false;
        out = std::move(value);
        return true;
    }
    template <class T>
    bool read(std::vector<T>& out) {
        if (!open('['))
            return wrong("a list");
        out.clear();
        for (bool more = !close(']'); more;) {
            T value{};
            if (!read(value)) {
                within("[" + std::to_string(out.size()) + "]");
                return false;
            }
            out.push_back(std::move(value));
            if (!another(']', more))
                return false;
        }
        if (out.size() >= 1000) // documents are kept
            out.shrink_to_fit();
        return true;
    }
    template <class T>
    bool read(std::map<std::string, T>& out) {
        if (!open('{'))
            return wrong("an object");
        out.clear();
        std::string key;
        for (bool more = !close('}'); more;) {
            if (!readKey(key))
                return false;
            T value{};
            if (!read(value)) {
                within(key);
                return false;
            }
            out.insert_or_assign(key, std::move(value));
            if (!another('}', more))
                return false;
        }
        return true;
    }
    template <class Record>
    requires requires(Reader& reader, Record& record) { fields(reader, record); }
    bool read(Record& out) {
        if (!open('{'))
            return wrong("an object");
        Members members{*this};
        if (close('}'))
            return true;
        if (!readKey(members.key))
            return false;
        while (members.more) {
            members.taken = false;
            fields(members, out);
            if (members.failed || (!members.taken && !members.skip()))
                return false;
        }
        return true;
    }
    Diag diag() const;

private:
    // The members of one object, read as their keys come; in the order of the fields, as we write
    // them, one walk over the fields reads them all.
    struct Members {
        Reader& in;
        std::string key = {};
        bool more = true;
        bool taken = false;
        bool failed = false;

        template <class T>
        void operator()(const char* name, T& member) {
            if (failed || !more || key != name)
                return;
            taken = true;
            if (!in.read(member)) {
                in.within(name);
                failed = true;
            } else {
                failed = !step();
            }
        }
        bool skip() { return in.skipValue() && step(); }
        bool step() { return in.another('}', more) && (!more || in.readKey(key)); }
    };

    bool open(char bracket);
    bool close(char bracket);               // if it comes next
    bool another(char bracket, bool& more); // behind a member: a comma or the end
    bool readKey(std::string& key);
    bool takeNull();
    bool takeWord(std::string_view word);
    bool atEnd();
    std::string_view numberHere();
    bool more();    // the next piece, behind what is not read yet; false: there is none
    void gather();  // all of them, for what looks at a value as a whole
    bool hasNext(); // another character
    bool skipValue();
    void skipSpace();
    void within(const std::string& place); // the part of the path that holds the failure
    bool wrong(const char* expected);
    bool broken();

    std::string_view m_text; // all, or of the pieces those at hand
    std::size_t m_at = 0;
    SharedTexts m_texts;
    Pieces m_pieces; // that are not at hand yet
    std::string m_hand;
    bool m_whole = true;    // m_text begins with the text
    std::string m_path;     // of what is wrong
    std::string m_expected; // empty: this is not JSON
};

} // namespace fw::snapshot
