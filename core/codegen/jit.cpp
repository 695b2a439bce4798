#include "codegen/jit.h"

#include "codegen/machine.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>

#include <mutex>

namespace fw {

struct JitState {
    std::unique_ptr<llvm::orc::LLJIT> jit;
    std::mutex mutex;
    std::uint64_t modules = 0;
};

namespace {

Diag failed(std::string what, llvm::Error error) {
    return makeDiag(DiagCode::CodegenFailed,
                    std::move(what) + ": " + llvm::toString(std::move(error)));
}

} // namespace

JitModule::JitModule(JitModule&& other) noexcept
    : m_state(std::move(other.m_state)), m_library(std::exchange(other.m_library, nullptr)) {}

JitModule& JitModule::operator=(JitModule&& other) noexcept {
    if (this != &other) {
        release();
        m_state = std::move(other.m_state);
        m_library = std::exchange(other.m_library, nullptr);
    }
    return *this;
}

JitModule::~JitModule() {
    release();
}

void JitModule::release() {
    if (!m_library)
        return;
    const std::lock_guard lock(m_state->mutex);
    auto* library = static_cast<llvm::orc::JITDylib*>(m_library);
    llvm::consumeError(m_state->jit->getExecutionSession().removeJITDylib(*library));
    m_library = nullptr;
}

Result<LoadedKernel> JitModule::kernel(const std::string& symbol) const {
    if (!m_library)
        return makeDiag(DiagCode::CodegenFailed, "no code is loaded");
    auto* library = static_cast<llvm::orc::JITDylib*>(m_library);
    auto address = m_state->jit->lookup(*library, symbol);
    if (!address)
        return failed("kernel " + symbol + " cannot be loaded", address.takeError());
    return LoadedKernel{address->toPtr<fw_kernel>()};
}

Result<Jit> Jit::create() {
    codegen::initializeLlvm();
    llvm::orc::JITTargetMachineBuilder machine{llvm::Triple("x86_64-unknown-linux-gnu")};
    machine.setRelocationModel(llvm::Reloc::PIC_);
    machine.setCodeModel(llvm::CodeModel::Small);
    auto jit =
        llvm::orc::LLJITBuilder()
            .setJITTargetMachineBuilder(std::move(machine))
            .setObjectLinkingLayerCreator(
                [](llvm::orc::ExecutionSession& session,
                   const llvm::Triple&) -> llvm::Expected<std::unique_ptr<llvm::orc::ObjectLayer>> {
                    return std::make_unique<llvm::orc::ObjectLinkingLayer>(session);
                })
            .setLinkProcessSymbolsByDefault(false)
            .setPlatformSetUp(
                llvm::orc::setUpInactivePlatform) // no constructors, nothing to register
            .create();
    if (!jit)
        return failed("the JIT cannot start", jit.takeError());
    auto state = std::make_shared<JitState>();
    state->jit = std::move(*jit);
    return Jit(std::move(state));
}

Result<JitModule> Jit::load(std::span<const std::vector<std::byte>> objects) const {
    JitModule module;
    {
        const std::lock_guard lock(m_state->mutex);
        auto library = m_state->jit->createJITDylib("module" + std::to_string(m_state->modules++));
        if (!library)
            return failed("the JIT has no room for a module", library.takeError());
        module.m_state = m_state;
        module.m_library = &*library;
    }
    auto* library = static_cast<llvm::orc::JITDylib*>(module.m_library);
    for (const std::vector<std::byte>& object : objects) {
        const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
        if (auto error = m_state->jit->addObjectFile(
                *library, llvm::MemoryBuffer::getMemBufferCopy(bytes, "kernel")))
            return failed("an object cannot be loaded", std::move(error));
    }
    return module;
}

} // namespace fw
