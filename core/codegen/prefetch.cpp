#include "codegen/prefetch.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace fw::codegen {

namespace {

constexpr std::int64_t line = 64;     // bytes
constexpr std::int64_t ahead = 8;     // iterations, of some 14 cycles each
constexpr std::int64_t leastWork = 8; // vector multiply-adds in an iteration
constexpr std::int64_t mostLines = 8; // in an iteration

struct Read {
    llvm::LoadInst* load = nullptr;
    std::int64_t stride = 0;
};

// Vector reads of an innermost loop that move by whole lines, if it is a loop of multiply-adds.
std::vector<Read> readsOf(llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
    std::int64_t work = 0;
    std::vector<Read> out;
    for (llvm::BasicBlock* block : loop.blocks())
        for (llvm::Instruction& instruction : *block) {
            if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
                work +=
                    call->getIntrinsicID() == llvm::Intrinsic::fma && call->getType()->isVectorTy();
            auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
            if (load == nullptr || !load->getType()->isVectorTy())
                continue;
            const auto* moving =
                llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(load->getPointerOperand()));
            if (moving == nullptr || moving->getLoop() != &loop)
                continue;
            const auto* step =
                llvm::dyn_cast<llvm::SCEVConstant>(moving->getStepRecurrence(evolution));
            if (step == nullptr || step->getAPInt().abs().ult(line))
                continue;
            out.push_back({load, step->getAPInt().getSExtValue()});
        }
    return work >= leastWork && static_cast<std::int64_t>(out.size()) <= mostLines
               ? out
               : std::vector<Read>();
}

} // namespace

void addPrefetches(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution) {
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
        if (!loop->isInnermost())
            continue;
        for (const Read& read : readsOf(*loop, evolution)) {
            llvm::IRBuilder<> builder(read.load);
            llvm::Value* place = builder.CreateGEP(
                builder.getInt8Ty(), read.load->getPointerOperand(),
                builder.getInt64(static_cast<std::uint64_t>(read.stride * ahead)));
            builder.CreateIntrinsic(
                llvm::Intrinsic::prefetch, {place->getType()},
                {place, builder.getInt32(0), builder.getInt32(3), builder.getInt32(1)});
        }
    }
}

} // namespace fw::codegen
