// One LLVM target machine per call; private to this folder.
#pragma once

#include "base/result.h"
#include "target/target.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace fw::codegen {

struct MachineDeleter {
    void operator()(llvm::TargetMachine* machine) const;
};
using Machine = std::unique_ptr<llvm::TargetMachine, MachineDeleter>;

void initializeLlvm(); // once, from any thread
Result<Machine> makeMachine(const Target& target);

Status verifyModule(const llvm::Module& module, const std::string& name);
Result<std::vector<std::byte>> emitObject(llvm::Module& module, llvm::TargetMachine& machine);

} // namespace fw::codegen
