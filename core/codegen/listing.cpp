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

namespace {

std::map<std::uint64_t, std::string> functionsIn(const llvm::object::ObjectFile& file,
                                                 const llvm::object::SectionRef& section) {
    std::map<std::uint64_t, std::string> names;
    for (const llvm::object::SymbolRef& symbol : file.symbols()) {
        auto name = symbol.getName();
        auto where = symbol.getSection();
        auto address = symbol.getAddress();
        auto type = symbol.getType();
        const bool known = name && where && address && type;
        if (known && *where != file.section_end() && **where == section &&
            *type == llvm::object::SymbolRef::ST_Function)
            names[*address] = name->str();
        llvm::consumeError(name.takeError());
        llvm::consumeError(where.takeError());
        llvm::consumeError(address.takeError());
        llvm::consumeError(type.takeError());
    }
    return names;
}

// What reads and prints the instructions of one kind of machine.
class Machine {
public:
    explicit Machine(const llvm::Target& target)
        : m_registers(target.createMCRegInfo(triple)),
          m_info(target.createMCAsmInfo(*m_registers, triple, llvm::MCTargetOptions())),
          m_subtarget(target.createMCSubtargetInfo(triple, "x86-64-v4", "+avx512vnni,+avx512bf16")),
          m_instructions(target.createMCInstrInfo()),
          m_analysis(target.createMCInstrAnalysis(m_instructions.get())),
          m_context(llvm::Triple(triple), m_info.get(), m_registers.get(), m_subtarget.get()),
          m_decoder(target.createMCDisassembler(*m_subtarget, m_context)),
          m_printer(target.createMCInstPrinter(llvm::Triple(triple), 0, *m_info, *m_instructions,
                                               *m_registers)) {
        m_printer->setPrintImmHex(false);
    }

    // Of the instruction at this place: its text and where it jumps to. Gives its size.
    std::uint64_t read(llvm::ArrayRef<std::uint8_t> code, std::uint64_t at, AssemblyLine& line,
                       Assembly& out) {
        llvm::MCInst instruction;
        std::uint64_t size = 0;
        if (m_decoder->getInstruction(instruction, size, code.slice(at), at, llvm::nulls()) !=
            llvm::MCDisassembler::Success) {
            line.text = "(bad)";
            return std::max<std::uint64_t>(size, 1);
        }
        std::string text;
        llvm::raw_string_ostream stream(text);
        m_printer->printInst(&instruction, at, "", *m_subtarget, stream);
        line.text = tidied(text);
        std::uint64_t to = 0;
        if (m_analysis->isBranch(instruction) &&
            m_analysis->evaluateBranch(instruction, at, size, to)) {
            line.jumpsTo = static_cast<std::int64_t>(to);
            line.text = fmt::format("{} {:x}", line.text.substr(0, line.text.find(' ')), to);
        }
        out.calls += m_analysis->isCall(instruction);
        return size;
    }

    static constexpr const char* triple = "x86_64-unknown-linux-gnu";

private:
    std::unique_ptr<llvm::MCRegisterInfo> m_registers;
    std::unique_ptr<llvm::MCAsmInfo> m_info;
    std::unique_ptr<llvm::MCSubtargetInfo> m_subtarget;
    std::unique_ptr<llvm::MCInstrInfo> m_instructions;
    std::unique_ptr<llvm::MCInstrAnalysis> m_analysis;
    llvm::MCContext m_context;
    std::unique_ptr<llvm::MCDisassembler> m_decoder;
    std::unique_ptr<llvm::MCInstPrinter> m_printer;
};

void listSection(const llvm::object::ObjectFile& file, const llvm::object::SectionRef& section,
                 llvm::DWARFContext& debug, Machine& machine, Assembly& out) {
    auto contents = section.getContents();
    if (!contents) {
        llvm::consumeError(contents.takeError());
        return;
    }
    const std::map<std::uint64_t, std::string> names = functionsIn(file, section);
    const llvm::ArrayRef<std::uint8_t> code(reinterpret_cast<const std::uint8_t*>(contents->data()),
                                            contents->size());
    std::set<std::uint64_t> targets;
    const std::size_t first = out.lines.size();
    for (std::uint64_t at = 0; at < code.size();) {
        if (const auto name = names.find(at); name != names.end())
            out.lines.push_back({at, name->second, true, false, -1, 0});
        AssemblyLine line;
        line.offset = at;
        line.line = debug.getLineInfoForAddress({at, section.getIndex()}).Line;
        at += machine.read(code, at, line, out);
        if (line.jumpsTo >= 0)
            targets.insert(static_cast<std::uint64_t>(line.jumpsTo));
        ++out.instructions;
        out.fmas += line.text.starts_with("vfmadd") || line.text.starts_with("vfnmadd") ||
                    line.text.starts_with("vfmsub") || line.text.starts_with("vfnmsub");
        out.spills += storesVectorToFrame(line.text);
        out.lines.push_back(std::move(line));
    }
    for (std::size_t i = first; i < out.lines.size(); ++i)
        out.lines[i].isTarget = !out.lines[i].isLabel && targets.contains(out.lines[i].offset);
}

} // namespace

Result<Assembly> disassemble(const std::vector<std::byte>& object) {
    codegen::initializeLlvm();
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(Machine::triple, error);
    const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
    auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "kernel"));
    if (!file || !target) {
        const std::string why = file ? error : llvm::toString(file.takeError());
        return makeDiag(DiagCode::CodegenFailed, "the object cannot be read: " + why);
    }
    Machine machine(*target);
    const std::unique_ptr<llvm::DWARFContext> debug = llvm::DWARFContext::create(**file);
    Assembly out;
    for (const llvm::object::SectionRef& section : (*file)->sections())
        if (section.isText() && section.getSize() > 0)
            listSection(**file, section, *debug, machine, out);
    return out;
}

} // namespace fw
