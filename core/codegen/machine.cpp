#include "codegen/machine.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <cstring>
#include <mutex>

namespace fw::codegen {

void MachineDeleter::operator()(llvm::TargetMachine* machine) const {
    delete machine;
}

// Its pass of loop strength reduction takes a third to two thirds of code generation and gains
// nothing: addresses here are sums of loop variables and constants (performance.md). The flag is
// read by the passes of every machine, and there is no other way to it.
static void leaveOutLoopStrengthReduction() {
    const auto& options = llvm::cl::getRegisteredOptions();
    if (const auto found = options.find("disable-lsr"); found != options.end())
        static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(true);
}

void initializeLlvm() {
    static std::once_flag once;
    std::call_once(once, [] {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeX86AsmParser();
        LLVMInitializeX86Disassembler();
        leaveOutLoopStrengthReduction();
    });
}

Result<Machine> makeMachine(const Target& target) {
    initializeLlvm();
    const std::string triple = "x86_64-unknown-linux-gnu";
    std::string error;
    const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!found)
        return makeDiag(DiagCode::CodegenFailed, "LLVM has no x86-64 target: " + error);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    options.FunctionSections = true;
    // Below Default, FastISel runs and tiles spill.
    Machine machine(found->createTargetMachine(triple, target.llvmCpu(), "", options,
                                               llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                               llvm::CodeGenOptLevel::Default));
    if (!machine)
        return makeDiag(DiagCode::CodegenFailed, "LLVM has no machine for " + target.llvmCpu());
    return machine;
}

Status verifyModule(const llvm::Module& module, const std::string& name) {
    std::string message;
    llvm::raw_string_ostream stream(message);
    if (llvm::verifyModule(module, &stream))
        return makeDiag(DiagCode::CodegenFailed, "the LLVM code is not valid: " + message,
                        {.node = name});
    return {};
}

Result<std::vector<std::byte>> emitObject(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
        return makeDiag(DiagCode::CodegenFailed, "LLVM cannot write object files for this target");
    passes.run(module);
    std::vector<std::byte> object(bytes.size());
    if (!bytes.empty())
        std::memcpy(object.data(), bytes.data(), bytes.size());
    return object;
}

} // namespace fw::codegen
