#include "codegen/listing.h"

#include "codegen/machine.h"

#include <fmt/format.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <map>
#include <set>

namespace fw {

namespace {

// LLVM prints a tab before and after the mnemonic.
std::string tidied(llvm::StringRef text) {
    std::string out = text.trim().str();
    std::replace(out.begin(), out.end(), '\t', ' ');
    return out;
}

bool storesVectorToFrame(const std::string& text) {
    if (!text.starts_with("vmov") && !text.starts_with("mov"))
        return false;
    const std::size_t source = text.find(' ');
    const bool fromVector = source != std::string::npos && text.compare(source + 1, 1, "%") == 0 &&
                            text.compare(source + 3, 2, "mm") == 0;
    return fromVector && (text.ends_with("(%rsp)") || text.ends_with("(%rbp)"));
}

} // namespace

std::string Assembly::text() const {
    std::string out;
    for (const AssemblyLine& line : lines) {
        if (line.isLabel)
            out += line.text + ":\n";
        else
            out += fmt::format("{}{:6x}  {}\n", line.isTarget ? ">" : " ", line.offset, line.text);
    }
    return out;
}

Result<Assembly> disassemble(const std::vector<std::byte>& object) {
    codegen::initializeLlvm();
    const std::string triple = "x86_64-unknown-linux-gnu";
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
    const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
    auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "kernel"));
    if (!file || !target) {
        const std::string why = file ? error : llvm::toString(file.takeError());
        return makeDiag(DiagCode::CodegenFailed, "the object cannot be read: " + why);
    }
    const std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple));
    const std::unique_ptr<llvm::MCAsmInfo> info(
        target->createMCAsmInfo(*registers, triple, llvm::MCTargetOptions()));
    const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
        target->createMCSubtargetInfo(triple, "x86-64-v4", "+avx512vnni,+avx512bf16"));
    const std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
    const std::unique_ptr<llvm::MCInstrAnalysis> analysis(
        target->createMCInstrAnalysis(instructions.get()));
    llvm::MCContext context(llvm::Triple(triple), info.get(), registers.get(), subtarget.get());
    const std::unique_ptr<llvm::MCDisassembler> decoder(
        target->createMCDisassembler(*subtarget, context));
    const std::unique_ptr<llvm::MCInstPrinter> printer(
        target->createMCInstPrinter(llvm::Triple(triple), 0, *info, *instructions, *registers));
    printer->setPrintImmHex(false);

    const std::unique_ptr<llvm::DWARFContext> debug = llvm::DWARFContext::create(**file);
    Assembly out;
    for (const llvm::object::SectionRef& section : (*file)->sections()) {
        if (!section.isText() || section.getSize() == 0)
            continue;
        auto contents = section.getContents();
        if (!contents) {
            llvm::consumeError(contents.takeError());
            continue;
        }
        std::map<std::uint64_t, std::string> names;
        for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
            auto name = symbol.getName();
            auto where = symbol.getSection();
            auto address = symbol.getAddress();
            auto type = symbol.getType();
            const bool known = name && where && address && type;
            if (known && *where != (*file)->section_end() && **where == section &&
                *type == llvm::object::SymbolRef::ST_Function)
                names[*address] = name->str();
            llvm::consumeError(name.takeError());
            llvm::consumeError(where.takeError());
            llvm::consumeError(address.takeError());
            llvm::consumeError(type.takeError());
        }
        const llvm::ArrayRef<std::uint8_t> code(
            reinterpret_cast<const std::uint8_t*>(contents->data()), contents->size());
        std::set<std::uint64_t> targets;
        const std::size_t first = out.lines.size();
        for (std::uint64_t at = 0; at < code.size();) {
            if (const auto name = names.find(at); name != names.end())
                out.lines.push_back({at, name->second, true, false, -1, 0});
            llvm::MCInst instruction;
            std::uint64_t size = 0;
            AssemblyLine line;
            line.offset = at;
            line.line = debug->getLineInfoForAddress({at, section.getIndex()}).Line;
            if (decoder->getInstruction(instruction, size, code.slice(at), at, llvm::nulls()) ==
                llvm::MCDisassembler::Success) {
                std::string text;
                llvm::raw_string_ostream stream(text);
                printer->printInst(&instruction, at, "", *subtarget, stream);
                line.text = tidied(text);
                std::uint64_t to = 0;
                if (analysis->isBranch(instruction) &&
                    analysis->evaluateBranch(instruction, at, size, to)) {
                    line.jumpsTo = static_cast<std::int64_t>(to);
                    targets.insert(to);
                    line.text =
                        fmt::format("{} {:x}", line.text.substr(0, line.text.find(' ')), to);
                }
                out.calls += analysis->isCall(instruction);
            } else {
                line.text = "(bad)";
                size = std::max<std::uint64_t>(size, 1);
            }
            ++out.instructions;
            out.fmas += line.text.starts_with("vfmadd") || line.text.starts_with("vfnmadd") ||
                        line.text.starts_with("vfmsub") || line.text.starts_with("vfnmsub");
            out.spills += storesVectorToFrame(line.text);
            out.lines.push_back(std::move(line));
            at += size;
        }
        for (std::size_t i = first; i < out.lines.size(); ++i)
            out.lines[i].isTarget = !out.lines[i].isLabel && targets.contains(out.lines[i].offset);
    }
    return out;
}

} // namespace fw
