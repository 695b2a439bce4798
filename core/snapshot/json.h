// The two visitors of json_fields.h: a writer that builds an ordered JSON value and a reader that
// never throws. Included by the .cpp files of this folder only, so that nobody else compiles the
// JSON library.
#pragma once

#include "snapshot/json_fields.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace fw::snapshot {

using Json = nlohmann::ordered_json;

// Members, so that every overload sees every other.
class Writer {
public:
    template <class T>
    void operator()(const char* name, const T& member) {
        m_out[name] = write(member);
    }

    static Json write(const std::string& text) { return Json(text); }
    static Json write(bool flag) { return Json(flag); }
    static Json write(int number) { return Json(number); }
    static Json write(std::int64_t number) { return Json(number); }
    static Json write(double number) {
        return std::isfinite(number) ? Json(number) : Json(nullptr);
    }
    static Json write(DiagCode code);
    static Json write(Severity severity);
    template <class T>
    static Json write(const std::optional<T>& value) {
        return value ? write(*value) : Json(nullptr);
    }
    template <class T>
    static Json write(const std::map<std::string, T>& values) {
        Json out = Json::object();
        for (const auto& [key, value] : values)
            out[key] = write(value);
        return out;
    }
    template <class T>
    static Json write(const std::vector<T>& values) {
        Json out = Json::array();
        for (const T& value : values)
            out.push_back(write(value));
        return out;
    }
    template <class Record>
    requires requires(Writer& writer, const Record& record) { fields(writer, record); }
    static Json write(const Record& record) {
        Writer writer;
        fields(writer, record);
        return std::move(writer.m_out);
    }

private:
    Json m_out = Json::object();
};

// Reads members; the first failure stays in `diag` and the rest is skipped.
class Reader {
public:
    Reader(const Json& in, std::string path, std::optional<Diag>& diag)
        : m_in(in), m_path(std::move(path)), m_diag(diag) {}

    template <class T>
    void operator()(const char* name, T& member) {
        if (m_diag)
            return;
        const auto found = m_in.find(name);
        if (found != m_in.end())
            read(*found, member, m_path.empty() ? std::string(name) : m_path + "." + name, m_diag);
    }

    static void read(const Json& in, std::string& out, const std::string& path,
                     std::optional<Diag>& diag) {
        if (!in.is_string())
            return wrong(path, "text", diag);
        out = in.get_ref<const std::string&>();
    }
    static void read(const Json& in, bool& out, const std::string& path,
                     std::optional<Diag>& diag) {
        if (!in.is_boolean())
            return wrong(path, "true or false", diag);
        out = in.get<bool>();
    }
    static void read(const Json& in, std::int64_t& out, const std::string& path,
                     std::optional<Diag>& diag) {
        if (!in.is_number_integer() ||
            (in.is_number_unsigned() &&
             in.get<std::uint64_t>() > std::uint64_t(std::numeric_limits<std::int64_t>::max())))
            return wrong(path, "an integer", diag);
        out = in.get<std::int64_t>();
    }
    static void read(const Json& in, int& out, const std::string& path, std::optional<Diag>& diag) {
        std::int64_t wide = 0;
        read(in, wide, path, diag);
        if (!diag &&
            (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()))
            return wrong(path, "a small integer", diag);
        out = static_cast<int>(wide);
    }
    static void read(const Json& in, double& out, const std::string& path,
                     std::optional<Diag>& diag) {
        if (in.is_null())
            return; // a number that was not finite: the default stays
        if (!in.is_number())
            return wrong(path, "a number", diag);
        out = in.get<double>();
    }
    static void read(const Json& in, DiagCode& out, const std::string& path,
                     std::optional<Diag>& diag);
    static void read(const Json& in, Severity& out, const std::string& path,
                     std::optional<Diag>& diag);
    template <class T>
    static void read(const Json& in, std::optional<T>& out, const std::string& path,
                     std::optional<Diag>& diag) {
        out.reset();
        if (in.is_null())
            return;
        T value{};
        read(in, value, path, diag);
        if (!diag)
            out = std::move(value);
    }
    template <class T>
    static void read(const Json& in, std::vector<T>& out, const std::string& path,
                     std::optional<Diag>& diag) {
        if (!in.is_array())
            return wrong(path, "a list", diag);
        out.clear();
        out.reserve(in.size());
        for (const Json& item : in) {
            T value{};
            // The path is spelled only for the item that fails: lists may be long.
            read(item, value, {}, diag);
            if (diag) {
                const std::string inner = diag->message;
                diag->message = path + "[" + std::to_string(out.size()) + "]" +
                                (inner.empty() || inner[0] == ' ' ? "" : ".") + inner;
                return;
            }
            out.push_back(std::move(value));
        }
    }
    template <class T>
    static void read(const Json& in, std::map<std::string, T>& out, const std::string& path,
                     std::optional<Diag>& diag) {
        if (!in.is_object())
            return wrong(path, "an object", diag);
        out.clear();
        for (const auto& [key, item] : in.items()) {
            T value{};
            read(item, value, path + "." + key, diag);
            if (diag)
                return;
            out.insert_or_assign(key, std::move(value));
        }
    }
    template <class Record>
    requires requires(Reader& reader, Record& record) { fields(reader, record); }
    static void read(const Json& in, Record& out, const std::string& path,
                     std::optional<Diag>& diag) {
        if (!in.is_object())
            return wrong(path, "an object", diag);
        Reader reader(in, path, diag);
        fields(reader, out);
    }

private:
    static void wrong(const std::string& path, const char* expected, std::optional<Diag>& diag) {
        diag = makeDiag(DiagCode::Syntax, path + " is not " + expected);
    }

    const Json& m_in;
    std::string m_path;
    std::optional<Diag>& m_diag;
};

inline std::string print(const Json& value, JsonStyle style) {
    // Names in models are bytes: what is not UTF-8 is replaced, not thrown.
    return value.dump(style == JsonStyle::Indented ? 2 : -1, ' ', false,
                      Json::error_handler_t::replace);
}

} // namespace fw::snapshot
