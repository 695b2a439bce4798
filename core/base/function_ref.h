// A callable that somebody else holds: what is passed down a call and not kept.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace fw {

template <class Signature>
class FunctionRef;

template <class Out, class... In>
class FunctionRef<Out(In...)> {
public:
    template <class Function>
    requires(!std::is_same_v<std::remove_cvref_t<Function>, FunctionRef>)
        FunctionRef(Function&& function) // NOLINT: it stands for the function
        : m_function(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
          m_call([](void* held, In... in) -> Out {
              return (*static_cast<std::remove_reference_t<Function>*>(held))(
                  std::forward<In>(in)...);
          }) {}

    Out operator()(In... in) const { return m_call(m_function, std::forward<In>(in)...); }

private:
    void* m_function;
    Out (*m_call)(void*, In...);
};

} // namespace fw
