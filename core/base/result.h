// Result<T>: a value, or the Diag that says why there is none. GCC 12 has no std::expected.
//
//     FW_TRY(auto graph, importModel(path));   // returns the Diag to the caller if there is one
//
// Refusals are Results. A broken invariant throws InternalError, caught at the worker's door.
#pragma once

#include "base/diag.h"

#include <cassert>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

namespace fw {

class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Diag diag) : m_state(std::in_place_index<1>, std::move(diag)) {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() { return get(*this); }
    const T& value() const { return get(*this); }
    T take() { return std::move(get(*this)); }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Diag& diag() const {
        assert(!ok());
        return std::get<1>(m_state);
    }
    Diag takeDiag() { return std::move(std::get<1>(m_state)); }

private:
    template <class Self>
    static auto& get(Self& self) {
        if (!self.ok())
            throw InternalError("value of a failed result: " + std::get<1>(self.m_state).text());
        return std::get<0>(self.m_state);
    }

    std::variant<T, Diag> m_state;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Diag diag) : m_diag(std::move(diag)) {}

    bool ok() const { return !m_diag; }
    explicit operator bool() const { return ok(); }
    const Diag& diag() const { return *m_diag; }
    Diag takeDiag() { return std::move(*m_diag); }

private:
    std::optional<Diag> m_diag;
};

using Status = Result<void>;

} // namespace fw

#define FW_CONCAT_(a, b) a##b
#define FW_CONCAT(a, b) FW_CONCAT_(a, b)
#define FW_TRY_(temporary, declaration, expression)                                                \
    auto temporary = (expression);                                                                 \
    if (!temporary.ok())                                                                           \
        return temporary.takeDiag();                                                               \
    declaration = temporary.take()
#define FW_TRY(declaration, expression)                                                            \
    FW_TRY_(FW_CONCAT(fwResult, __LINE__), declaration, expression)
#define FW_CHECK(expression)                                                                       \
    if (auto fwStatus = (expression); !fwStatus.ok())                                              \
    return fwStatus.takeDiag()
