// The few functions of the C++ library that this folder needs, so that a module depends on the C
// library alone and runs where no libstdc++ (or another one) is installed. Hidden: a
// program's own operator new stays its own. The compiler of this folder sees no exceptions; where
// the standard library would throw, the process cannot go on.
#include <cstdlib>
#include <new>
#include <string>

// The headers promise that the library holds these; here they are.
template class std::basic_string<char>;

void* operator new(std::size_t size) {
    void* memory = std::malloc(size ? size : 1);
    if (!memory)
        std::abort();
    return memory;
}

void* operator new(std::size_t size, std::align_val_t alignment) {
    const auto multiple = static_cast<std::size_t>(alignment);
    void* memory = std::aligned_alloc(multiple, (size + multiple - 1) / multiple * multiple);
    if (!memory)
        std::abort();
    return memory;
}

void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

extern "C" [[noreturn]] void __cxa_pure_virtual() {
    std::abort();
}

namespace std {
__attribute__((__noreturn__)) void __throw_length_error(const char*) {
    abort();
}
__attribute__((__noreturn__)) void __throw_logic_error(const char*) {
    abort();
}
__attribute__((__noreturn__)) void __throw_out_of_range_fmt(const char*, ...) {
    abort();
}
__attribute__((__noreturn__)) void __throw_bad_alloc() {
    abort();
}
__attribute__((__noreturn__)) void __throw_bad_array_new_length() {
    abort();
}
} // namespace std
