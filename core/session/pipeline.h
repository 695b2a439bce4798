// The stages of one model, one after another, each kept under the key of its inputs.
//
//     import -> simplify -> plan -> compile -> load
//
// A stage is asked for, not run in advance; what it needs is asked for first. A stage that failed
// says so with its diagnostic and leaves the earlier ones in place. What a key is made of:
//
//     import     the model's file and those of its weights, by size and time; bound dimensions;
//                operators of the books
//     simplify   the import; rules and patterns of the books; applications that are left out;
//                what rules ask of the target
//     plan       the simplified model; the other declarations and where they stand; pins; target;
//                the log of measurements; the files of libraries that books declare
//     compile    the plan
//
// Inside a plan the code of each group is kept by what that group is (LoweringMemo), inside a
// compilation kernels by their loops (KernelCache) and weights by their data (KnownWeights).
#pragma once

#include "base/cancel.h"
#include "book/book.h"
#include "fusion/plan_options.h"
#include "module/compile.h"
#include "module/load.h"
#include "onnx/read/import.h"
#include "session/tuning_log.h"
#include "snapshot/protocol.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fw {

// What the user decided: everything a result depends on.
struct PipelineInputs {
    std::string model;  // file or backend-test folder
    std::string target; // may be incomplete
    std::vector<std::string> rules;
    std::vector<snapshot::BookSource> texts; // that stand for files of rules, or shipped books
    std::map<std::string, std::int64_t> dims;
    std::string pins;                     // text of a book that holds the user's pins; may be empty
    std::string log;                      // file of measurements; may be empty
    std::vector<std::string> agreed = {}; // libraries of books that may be loaded: names, contents
    std::vector<std::string> leftOut = {};         // applications of rules: rewrite/left_out.h
    std::map<std::string, std::string> types = {}; // of values that nothing infers: "f32[N, 4]"
    std::map<std::string, snapshot::SizeRange> ranges = {}; // of dimensions that stay free
    // Results of the model that depend on what nothing computes are left out of what is planned and
    // run.
    bool computable = false;

    auto operator<=>(const PipelineInputs&) const = default;
};

struct StageProgress {
    std::string stage; // "import", "rewrite", "fuse", "compile"
    std::string text;
    std::size_t done = 0;
    std::size_t total = 0;
};

struct Context {
    std::function<void(const StageProgress&)> progress;
    CancelToken cancel;

    void report(const std::string& stage, const std::string& text, std::size_t done = 0,
                std::size_t total = 0) const;
};

struct Simplified {
    GraphPtr graph;
    RewriteTrace trace;
    Diags leftOut =
        {}; // warnings: results that are not in the graph, and the node that is the cause
};

struct CompiledStage {
    std::shared_ptr<const CompiledModule> module;
    double ms = 0;
};

// Something else than the model, on the way that the model takes: a part of its graph, or other
// results of it.
struct Apart {
    GraphPtr graph;
    FusionPlan plan;
    std::shared_ptr<const CompiledModule> compiled;
    std::unique_ptr<LoadedModule> module;
};

// How something apart is to run.
struct ApartRuns {
    std::optional<int> threads = {}; // those of the target
    runtime::ArenaFill fill = runtime::ArenaFill::Leave;
    std::map<ValueRef, StorageMap> border = {}; // PlanOptions::border
};

// Results that pipelines have in common, for as long as one of them is kept: the text of a book may
// change, and the model is read and rewritten again only if that says something else of it.
template <class T>
class SharedResults {
public:
    std::shared_ptr<const Result<T>> find(const std::string& key) const {
        const auto found = m_known.find(key);
        return found == m_known.end() ? nullptr : found->second.lock();
    }
    void add(const std::string& key, const std::shared_ptr<const Result<T>>& result) {
        std::erase_if(m_known, [](const auto& known) { return known.second.expired(); });
        m_known.insert_or_assign(key, result);
    }

private:
    std::map<std::string, std::weak_ptr<const Result<T>>> m_known;
};

// How often a stage was made since the start.
struct MadeStages {
    std::size_t imported = 0;
    std::size_t simplified = 0;
    std::size_t planned = 0;
    std::size_t lowered = 0; // groups: loops and calls of libraries
    std::size_t compiled = 0;
};

// The files of weights that the import of a model read, and how they were then.
struct WeightFiles {
    std::map<std::string, std::string> stamps; // by file
    int changed = 0;                           // how often another state was found
};

struct SharedStages {
    std::map<std::string, WeightFiles> weightFiles; // by the model's file
    SharedResults<Imported> imported;
    SharedResults<Simplified> simplified;
    SharedResults<FusionPlan> plans;
    SharedResults<CompiledStage> compiled;
    std::map<std::string, std::weak_ptr<LoweringMemo>> lowerings; // by the text of own operators
    KnownWeights weights;
    MadeStages made;
};

class Pipeline {
public:
    // Which state of the files is meant.
    struct Stamps {
        std::string model;
        std::string log;
    };
    explicit Pipeline(PipelineInputs inputs, Stamps stamps = {},
                      std::shared_ptr<SharedStages> shared = std::make_shared<SharedStages>());

    const PipelineInputs& inputs() const { return m_inputs; }
    const std::string& modelFile() const { return m_modelFile; } // model.onnx inside a folder

    Result<const Books*> books();
    Result<const TuningLog*> log(); // empty if the user named none
    Result<const Imported*> imported(const Context& context);
    Result<const Simplified*> simplified(const Context& context);
    Result<const Target*> target();
    Result<const TargetOffer*> offer(); // of the target, with the libraries that are there
    Result<const FusionPlan*> plan(const Context& context);
    // What plan() is made with: the catalog of the books and of the libraries that are there.
    Result<PlanOptions> planOptions();
    Result<const CompiledStage*> compiled(const Context& context);
    Result<LoadedModule*> loaded(const Context& context);
    // The loops of one group, without machine code if nothing was compiled yet.
    Result<KernelReport> lowered(int group, const Context& context);
    // What the model is rewritten with, by the rules of books().
    Result<RewriteOptions> rewriteOptions(const Context& context);
    // With the books of this pipeline; `graph` need not come from it.
    Result<Rewritten> rewritten(const GraphPtr& graph, const Context& context);
    // Plans, compiles and loads.
    Result<Apart> apart(GraphPtr graph, const PlanOptions& options, const Context& context,
                        const ApartRuns& runs = {});
    // Refuses a model with operators that nothing computes, with what there is to do about it.
    Status runnable(const Context& context);
    // The pipeline of those results of the model that can be computed: this one where all can.
    // Where none can, refused as by runnable(). Belongs to this one.
    Result<Pipeline*> computable(const Context& context);
    bool importFailed() const;
    double importMs() const { return m_importMs; }
    double rewriteMs() const { return m_rewriteMs; }
    double librariesMs() const { return m_librariesMs; } // opening them
    double machineMs() const { return m_machineMs; }     // measuring ceilings for the plan
    double fuseMs() const { return m_fuseMs; }           // the rest of the plan
    double lowerMs() const { return m_lowerMs; }         // schedules and loops of its groups
    double loadMs() const { return m_loadMs; }
    const MadeStages& made() const { return m_shared->made; } // by all that share with this one

    Diag inFile(Diag diag) const; // names the model where no file is named

private:
    // NotRunnable names the nodes that begin what the target requires and do not go on so.
    Status givesWhatIsRequired(const Graph& graph, const Books& books, const Target& on,
                               const Context& context) const;
    Result<FusionPlan> planOf(const Graph& graph, const PlanOptions& options,
                              const Target& on) const;
    Result<CompiledModule> compileOf(const Graph& graph, const FusionPlan& plan, const Target& on,
                                     const Context& context);
    Result<LoweringMemo*> lowerings();
    Result<const Simplified*> whole(const Context& context); // with every result of the model
    template <class T>
    struct KeptResult { // a result or the reason why there is none
        std::shared_ptr<const Result<T>> result;
    };
    template <class T, class Make>
    Result<const T*> keep(KeptResult<T>& kept, Make make);
    template <class T, class Make>
    Result<const T*> share(KeptResult<T>& kept, SharedResults<T>& shared, const std::string& key,
                           Make make);
    std::string importKey(const Books& books) const;
    std::string simplifyKey(const Books& books);
    std::string planKey(const Books& books, const Target& on);
    const std::vector<std::shared_ptr<const Library>>& ownLibraries(const Books& books);

    PipelineInputs m_inputs;
    Stamps m_stamps;
    std::shared_ptr<SharedStages> m_shared;
    std::string m_modelFile;
    KeptResult<Books> m_books;
    KeptResult<TuningLog> m_log;
    std::optional<std::vector<std::shared_ptr<const Library>>> m_ownLibraries;
    std::string m_ownFiles; // their contents
    std::unique_ptr<const Catalog> m_catalog;
    std::shared_ptr<LoweringMemo> m_lowerings;
    KeptResult<Imported> m_imported;
    KeptResult<Simplified> m_whole, m_simplified;
    std::unique_ptr<Pipeline> m_computable;
    KeptResult<Target> m_target;
    TargetOffer m_offer;
    KeptResult<FusionPlan> m_plan;
    KeptResult<CompiledStage> m_compiled;
    std::unique_ptr<LoadedModule> m_loaded;
    double m_importMs = 0;
    double m_rewriteMs = 0;
    double m_librariesMs = 0;
    double m_machineMs = 0;
    double m_fuseMs = 0;
    double m_lowerMs = 0;
    double m_loadMs = 0;
};

} // namespace fw
