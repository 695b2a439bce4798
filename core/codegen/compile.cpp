#include "codegen/compile.h"

#include "base/stopwatch.h"
#include "codegen/emitter.h"
#include "codegen/machine.h"
#include "codegen/prefetch.h"
#include "loop/print.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <chrono>

namespace fw {

namespace {

constexpr std::string_view codegenVersion = "codegen 14, LLVM 19";

// A comparison of widened halves is narrowed by LLVM, for which x86 has no instruction: a select
// beside it between the same values would become a call of fmaxf or fminf.
void compareInFloat(llvm::Module& module) {
    for (llvm::Function& function : module)
        for (llvm::BasicBlock& block : function)
            for (llvm::Instruction& instruction : block) {
                auto* comparison = llvm::dyn_cast<llvm::FCmpInst>(&instruction);
                if (!comparison ||
                    !comparison->getOperand(0)->getType()->getScalarType()->isHalfTy())
                    continue;
                llvm::IRBuilder<> builder(comparison);
                llvm::Type* wide =
                    comparison->getOperand(0)->getType()->getWithNewType(builder.getFloatTy());
                for (unsigned i = 0; i < 2; ++i)
                    comparison->setOperand(i, builder.CreateFPExt(comparison->getOperand(i), wide));
            }
}

// Registers and loop-invariant code; no vectoriser, no unroller: the nest says what is unrolled.
void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager callGraph;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(callGraph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, callGraph, modules);

    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(
        llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
    passes.addPass(llvm::GVNPass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::DSEPass());
    llvm::ModulePassManager pipeline;
    pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
    pipeline.run(module, modules);
    compareInFloat(module);
    for (llvm::Function& function : module)
        if (!function.isDeclaration())
            codegen::addPrefetches(functions.getResult<llvm::LoopAnalysis>(function),
                                   functions.getResult<llvm::ScalarEvolutionAnalysis>(function));
}

std::string printed(const llvm::Module& module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    return text;
}

KernelCounters count(const llvm::Module& module) {
    KernelCounters counters;
    for (const llvm::Function& function : module)
        for (const llvm::BasicBlock& block : function)
            for (const llvm::Instruction& instruction : block) {
                if (llvm::isa<llvm::LoadInst>(instruction))
                    ++counters.loads;
                else if (llvm::isa<llvm::StoreInst>(instruction))
                    ++counters.stores;
                const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
                if (!call)
                    continue;
                const llvm::Intrinsic::ID id = call->getIntrinsicID();
                counters.calls += id == llvm::Intrinsic::not_intrinsic;
                counters.fmas += id == llvm::Intrinsic::fma;
                counters.loads += id == llvm::Intrinsic::masked_load;
                counters.stores += id == llvm::Intrinsic::masked_store;
                counters.gathers +=
                    id == llvm::Intrinsic::masked_gather || id == llvm::Intrinsic::masked_scatter;
            }
    return counters;
}

std::int64_t textBytes(const std::vector<std::byte>& object) {
    const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
    auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "kernel"));
    if (!file) {
        llvm::consumeError(file.takeError());
        return 0;
    }
    std::int64_t size = 0;
    for (const llvm::object::SectionRef& section : (*file)->sections())
        if (section.isText())
            size += static_cast<std::int64_t>(section.getSize());
    return size;
}

} // namespace

Hash kernelKey(const LoopNest& nest, const Target& target, const CompileOptions& options) {
    std::string content(codegenVersion);
    content += "\n" + target.codeKey() + "\n";
    for (const auto& [a, b] : options.sharedBuffers)
        content += "shared " + std::to_string(a) + " " + std::to_string(b) + "\n";
    if (options.origins == Origins::Wanted)
        content += "origins\n";
    return hashOf(content + text(nest));
}

std::string kernelSymbol(const LoopNest& nest, const Hash& key) {
    std::string name = "fw_";
    for (char c : nest.name.substr(0, 48))
        name +=
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
    return name + "_" + key.hex().substr(0, 16);
}

Result<CompiledKernel> compileKernel(const LoopNest& nest, const Target& target,
                                     const CompileOptions& options) {
    const auto begin = std::chrono::steady_clock::now();
    FW_TRY(const codegen::Machine machine, codegen::makeMachine(target));
    CompiledKernel kernel;
    kernel.key = kernelKey(nest, target, options);
    kernel.symbol = kernelSymbol(nest, kernel.key);

    llvm::LLVMContext context;
    llvm::Module module(kernel.symbol, context);
    module.setSourceFileName("");
    module.setTargetTriple(machine->getTargetTriple().str());
    module.setDataLayout(machine->createDataLayout());
    {
        llvm::IRBuilder<> builder(context);
        codegen::EmitRequest request;
        request.nest = &nest;
        request.target = &target;
        request.symbol = kernel.symbol;
        request.sharedBuffers = options.sharedBuffers;
        request.wantsOrigins = options.origins == Origins::Wanted;
        codegen::Emitter emitter(module, builder, request);
        FW_CHECK(emitter.run());
        kernel.lineNodes = emitter.origins();
    }
    FW_CHECK(codegen::verifyModule(module, nest.name));
    if (options.keepLlvm == KeepText::Yes)
        kernel.llvmBefore = printed(module);
    optimize(module, *machine);
    if (options.keepLlvm == KeepText::Yes)
        kernel.llvmAfter = printed(module);
    kernel.counters = count(module);
    FW_TRY(kernel.object, codegen::emitObject(module, *machine));
    kernel.counters.textBytes = textBytes(kernel.object);
    kernel.milliseconds = millisecondsSince(begin);
    return kernel;
}

Result<std::vector<std::byte>> dataObject(const std::vector<std::string>& kernels,
                                          const std::vector<DataBlob>& blobs,
                                          const Target& target) {
    FW_TRY(const codegen::Machine machine, codegen::makeMachine(target));
    llvm::LLVMContext context;
    llvm::Module module("fw_data", context);
    module.setSourceFileName("");
    module.setTargetTriple(machine->getTargetTriple().str());
    module.setDataLayout(machine->createDataLayout());
    llvm::Type* pointer = llvm::PointerType::get(context, 0);
    llvm::Type* u64 = llvm::Type::getInt64Ty(context);
    auto* kernelType = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false);
    const auto addConstant = [&](llvm::Constant* value, const std::string& name,
                                 std::uint64_t align) {
        auto* global =
            llvm::cast<llvm::GlobalVariable>(module.getOrInsertGlobal(name, value->getType()));
        global->setInitializer(value);
        global->setConstant(true);
        global->setVisibility(llvm::GlobalValue::HiddenVisibility);
        global->setAlignment(llvm::Align(align));
    };
    std::vector<llvm::Constant*> table;
    for (const std::string& name : kernels) {
        auto* function =
            llvm::cast<llvm::Function>(module.getOrInsertFunction(name, kernelType).getCallee());
        function->setVisibility(llvm::GlobalValue::HiddenVisibility);
        table.push_back(function);
    }
    table.push_back(llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0)));
    addConstant(llvm::ConstantArray::get(llvm::ArrayType::get(pointer, table.size()), table),
                "fw_kernel_table", 8);
    addConstant(llvm::ConstantInt::get(u64, kernels.size()), "fw_kernel_table_size", 8);
    for (const DataBlob& blob : blobs) {
        const llvm::StringRef bytes(reinterpret_cast<const char*>(blob.bytes.data()),
                                    blob.bytes.size());
        addConstant(llvm::ConstantDataArray::getString(context, bytes, false), blob.name, 64);
        addConstant(llvm::ConstantInt::get(u64, blob.bytes.size()), blob.name + "_size", 8);
    }
    FW_CHECK(codegen::verifyModule(module, "fw_data"));
    return codegen::emitObject(module, *machine);
}

} // namespace fw
