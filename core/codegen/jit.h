// Jit: loads the objects of compileKernel into this process.
//
// Every load makes a module of its own; destroying the JitModule frees its code, so nobody may be
// inside a kernel of it then. Objects may refer only to each other. The Jit outlives its modules by
// shared ownership.
#pragma once

#include "base/result.h"
#include "runtime/kernel_abi.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fw {

struct JitState;

struct LoadedKernel {
    fw_kernel run = nullptr;
};

class JitModule {
public:
    JitModule() = default;
    JitModule(JitModule&& other) noexcept;
    JitModule& operator=(JitModule&& other) noexcept;
    ~JitModule();

    Result<LoadedKernel> kernel(const std::string& symbol) const;

private:
    friend class Jit;
    void release();
    std::shared_ptr<JitState> m_state;
    void* m_library = nullptr; // llvm::orc::JITDylib
};

class Jit {
public:
    static Result<Jit> create();
    Result<JitModule> load(std::span<const std::vector<std::byte>> objects) const;

private:
    explicit Jit(std::shared_ptr<JitState> state) : m_state(std::move(state)) {}
    std::shared_ptr<JitState> m_state;
};

} // namespace fw
