// Functions of a kernel: what they are told of memory that does not overlap, their symbols, and
// from which nodes their code comes.
#include "codegen/emitter.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace fw::codegen {

namespace {

constexpr unsigned contextSymbols = 1; // field of fw_kernel_context

} // namespace

Emitter::Emitter(llvm::Module& module, llvm::IRBuilderBase& builder, const EmitRequest& request)
    : m_module(module), m_builder(builder), m_request(request), m_nest(*request.nest) {
    llvm::MDBuilder metadata(module.getContext());
    llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain(request.symbol);
    const std::size_t count = m_nest.parameters.size();
    std::vector<std::size_t> group(count);
    for (std::size_t i = 0; i < count; ++i)
        group[i] = i;
    for (const auto& [a, b] : request.sharedBuffers)
        if (a < count && b < count) {
            const std::size_t from = group[a], to = group[b];
            for (std::size_t& g : group)
                g = g == from ? to : g;
        }
    std::vector<llvm::MDNode*> scopes(count);
    for (std::size_t i = 0; i < count; ++i)
        scopes[i] = metadata.createAnonymousAliasScope(domain, m_nest.parameters[i].name.text());
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<llvm::Metadata*> others;
        for (std::size_t j = 0; j < count; ++j)
            if (group[j] != group[i])
                others.push_back(scopes[j]);
        Storage storage;
        storage.buffer = &m_nest.parameters[i];
        storage.parameter = i;
        storage.scope = llvm::MDNode::get(module.getContext(), {scopes[i]});
        storage.noalias = others.empty() ? nullptr : llvm::MDNode::get(module.getContext(), others);
        m_storage[storage.buffer->name] = storage;
    }
}

llvm::Function* Emitter::makeFunction(const std::string& name, bool isBody) {
    llvm::Type* i64 = m_builder.getInt64Ty();
    std::vector<llvm::Type*> arguments = {m_builder.getPtrTy()};
    if (isBody)
        arguments.insert(arguments.end(), {i64, i64});
    auto* type = llvm::FunctionType::get(m_builder.getVoidTy(), arguments, false);
    auto* function = llvm::Function::Create(
        type, isBody ? llvm::GlobalValue::InternalLinkage : llvm::GlobalValue::ExternalLinkage,
        name, m_module);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->setUWTableKind(llvm::UWTableKind::Async); // backtraces lead through kernels
    function->addFnAttr("target-cpu", m_request.target->llvmCpu());
    function->addFnAttr("no-builtins");
    // Without both of these LLVM splits zmm vectors in two.
    if (m_request.target->hasAvx512()) {
        const std::string bits = std::to_string(m_request.target->vectorLanesF32 * 32);
        function->addFnAttr("prefer-vector-width", bits);
        function->addFnAttr("min-legal-vector-width", bits);
    }
    llvm::Argument* context = function->getArg(0);
    context->setName("context");
    context->addAttr(llvm::Attribute::NonNull);
    context->addAttr(llvm::Attribute::ReadOnly);
    return function;
}

void Emitter::enterFunction(llvm::Function* function) {
    m_function = function;
    m_context = function->getArg(0);
    m_entry = llvm::BasicBlock::Create(m_builder.getContext(), "entry", function);
    auto* start = llvm::BasicBlock::Create(m_builder.getContext(), "start", function);
    m_builder.SetInsertPoint(m_entry);
    m_builder.CreateBr(start);
    m_builder.SetInsertPoint(start);
    m_known.clear();
    m_vars.clear();
    for (auto& [name, storage] : m_storage)
        storage.pointer = nullptr;
    llvm::IRBuilder<> entry(m_entry, m_entry->getTerminator()->getIterator());
    llvm::MDNode* empty = llvm::MDNode::get(m_module.getContext(), {});
    llvm::Value* table = nullptr;
    for (std::size_t i = 0; i < m_nest.symbols.size(); ++i) {
        if (!table) {
            llvm::LoadInst* field = entry.CreateLoad(
                entry.getPtrTy(),
                entry.CreateConstInBoundsGEP1_64(entry.getPtrTy(), m_context, contextSymbols),
                "symbols");
            field->setMetadata(llvm::LLVMContext::MD_invariant_load, empty);
            table = field;
        }
        llvm::LoadInst* symbol = entry.CreateLoad(
            entry.getInt64Ty(), entry.CreateConstInBoundsGEP1_64(entry.getInt64Ty(), table, i),
            m_nest.symbols[i].text());
        symbol->setMetadata(llvm::LLVMContext::MD_invariant_load, empty);
        bind(m_nest.symbols[i], {.base = symbol});
    }
    if (m_request.wantsOrigins)
        describe(function);
}

void Emitter::describe(llvm::Function* function) {
    llvm::DIBuilder debug(m_module);
    if (!m_file) {
        m_module.addModuleFlag(llvm::Module::Warning, "Debug Info Version",
                               llvm::DEBUG_METADATA_VERSION);
        m_file = debug.createFile(m_nest.name, "");
    }
    debug.createCompileUnit(llvm::dwarf::DW_LANG_C, m_file, "fusewright", true, "", 0);
    auto* type = debug.createSubroutineType(debug.getOrCreateTypeArray({}));
    auto* subprogram =
        debug.createFunction(m_file, function->getName(), function->getName(), m_file, 1, type, 1,
                             llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
    function->setSubprogram(subprogram);
    debug.finalize();
    mark(m_nodes);
}

void Emitter::mark(const std::vector<std::int64_t>& nodes) {
    m_nodes = nodes;
    if (!m_file || !m_function->getSubprogram())
        return;
    const auto found = std::find(m_origins.begin(), m_origins.end(), nodes);
    const auto line = static_cast<unsigned>(found - m_origins.begin()) + 1;
    if (found == m_origins.end())
        m_origins.push_back(nodes);
    m_builder.SetCurrentDebugLocation(
        llvm::DILocation::get(m_module.getContext(), line, 0, m_function->getSubprogram()));
}

} // namespace fw::codegen
