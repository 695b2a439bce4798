#include "session/bisect.h"

#include "base/files.h"
#include "ir/graph_text.h"
#include "onnx/write/export.h"
#include "rewrite/history.h"
#include "session/compare.h"
#include "session/group_graph.h"
#include "session/measure.h"
#include "session/rewriting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <utility>

namespace fw {

namespace {

using namespace snapshot;
using Tensors = std::vector<TensorData>;

// How far the outputs of a state are from those that it should have: of the imported model, or of
// the state behind the last application that is meant to change them.
struct Distance {
    bool within = true;
    double maxAbs = 0;
    std::string worst; // "y[0, 3]: 1.5 instead of 1.25"
};

std::optional<double> finite(double value) {
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

Distance distanceOf(const Graph& graph, const Tensors& got, const Tensors& want,
                    Tolerance tolerance) {
    Distance out;
    for (std::size_t i = 0; i < want.size(); ++i) {
        const Comparison one = compareTensors(graph.results()[i].name, got[i], want[i], tolerance);
        if (!one.pass && out.within)
            out.worst = one.worst;
        out.within = out.within && one.pass;
        out.maxAbs = std::max(out.maxAbs, one.maxAbs);
    }
    return out;
}

class Bisecting {
public:
    Bisecting(Pipeline& pipeline, const Arguments& arguments, const Context& context)
        : m_pipeline(pipeline), m_arguments(arguments),
          m_context(context), m_tolerance{arguments.rtol.value_or(1e-3),
                                          arguments.atol.value_or(1e-5)} {}

    Result<BisectDocument> run() {
        FW_CHECK(m_pipeline.runnable(m_context));
        FW_TRY(const Imported* imported, m_pipeline.imported(m_context));
        FW_TRY(const Simplified* simplified, m_pipeline.simplified(m_context));
        m_graph = imported->inlined;
        m_trace = &simplified->trace;
        FW_TRY(const Books* books, m_pipeline.books());
        m_books = books;
        const std::size_t count = m_trace->applications.size();
        BisectDocument out;
        out.model = m_arguments.model;
        out.notices = refutedNotices(*simplified);
        out.applications = static_cast<std::int64_t>(count);
        out.rtol = m_tolerance.relative;
        out.atol = m_tolerance.absolute;
        FW_TRY(PlanOptions options, m_pipeline.planOptions());
        m_options = std::move(options);
        FW_TRY(Apart first, m_pipeline.apart(m_graph, m_options, m_context));
        FW_TRY(Operands operands, operandsFor(m_pipeline, *first.module, m_arguments, m_context));
        m_operands = std::move(operands.inputs);
        out.randomInputs = operands.random;
        FW_TRY(Tensors wanted, first.module->run(m_operands));
        m_wanted = std::move(wanted);
        first = {};
        FW_TRY(const Around around,
               m_arguments.each.value_or(false) ? afterEach(count, out) : halved(count, out));
        out.states = static_cast<std::int64_t>(m_runs);
        if (around.number == 0)
            return out;
        out.worst = around.after.worst;
        out.maxAbsBefore = finite(around.before.maxAbs);
        out.maxAbsAfter = finite(around.after.maxAbs);
        FW_CHECK(describe(around.number, out));
        return out;
    }

private:
    // The two states around the application that takes the outputs out of the tolerance.
    struct Around {
        std::size_t number = 0; // of the application; 0: none does
        Distance before, after;
    };

    // Whether outputs are meant to change there.
    bool isAsked(std::size_t application) const {
        const auto rule = m_books->rules.ruleAt(m_trace->applications[application - 1].entry);
        return rule && rule->changes;
    }

    // Outputs are compared with those behind so many applications.
    Status compareWith(std::size_t count) {
        if (std::exchange(m_wantedBehind, count) == count)
            return {};
        FW_TRY(m_wanted, outputsBehind(count));
        return {};
    }

    // Between two applications that are meant to change outputs, the last ones first.
    Result<Around> halved(std::size_t count, BisectDocument& out) {
        Around around;
        for (std::size_t end = count; around.number == 0; --end) {
            std::size_t begin = end;
            while (begin > 0 && !isAsked(begin))
                --begin;
            FW_CHECK(compareWith(begin));
            FW_TRY(around, halvedBetween(begin, end));
            if (end == count)
                out.maxAbs = finite(around.after.maxAbs);
            end = begin;
            if (begin == 0)
                break;
        }
        return around;
    }

    Result<Around> halvedBetween(std::size_t good, std::size_t bad) {
        Around around;
        if (good == bad)
            return around;
        FW_TRY(around.after, behind(bad));
        if (around.after.within)
            return around;
        while (bad - good > 1) {
            const std::size_t middle = good + (bad - good) / 2;
            report(middle, m_runs + static_cast<std::size_t>(std::log2(bad - good)) + 1);
            FW_TRY(const Distance there, behind(middle));
            (there.within ? good : bad) = middle;
            (there.within ? around.before : around.after) = there;
        }
        around.number = bad;
        return around;
    }

    Result<Around> afterEach(std::size_t count, BisectDocument& out) {
        Around around;
        Distance before;
        RewriteHistory history(m_graph, m_trace->applications);
        for (std::size_t number = 1; number <= count; ++number) {
            const std::size_t entry = history.next().entry;
            ApplicationRecord one = describeNext(history, *m_trace);
            // What is computed while compiling, or once instead of twice, changes no bit.
            if (!m_books->rules.ruleAt(entry))
                continue;
            if (isAsked(number)) {
                FW_CHECK(compareWith(number));
                before = {};
                continue;
            }
            report(number, count);
            FW_TRY(const Distance there, behind(number));
            out.errors.push_back({one.number, std::move(one.rule), std::move(one.file), one.line,
                                  one.matched.empty() ? std::string() : one.matched.front().name,
                                  finite(there.maxAbs), there.within});
            if (!there.within && around.number == 0)
                around = {number, before, there};
            before = there;
        }
        out.maxAbs = finite(before.maxAbs);
        return around;
    }

    void report(std::size_t number, std::size_t total) const {
        m_context.report("bisect", fmt::format("behind {} applications", number), m_runs, total);
    }

    Result<Tensors> outputsBehind(std::size_t count) {
        ++m_runs;
        FW_TRY(const GraphPtr graph, graphBehind(m_graph, m_trace->applications, count));
        FW_TRY(const Apart apart, m_pipeline.apart(graph, m_options, m_context));
        return apart.module->run(m_operands);
    }

    Result<Distance> behind(std::size_t count) {
        FW_TRY(const Tensors got, outputsBehind(count));
        return distanceOf(*m_graph, got, m_wanted, m_tolerance);
    }

    // The graphs around the application with that number.
    Status describe(std::size_t number, BisectDocument& out) {
        RewriteHistory history(m_graph, m_trace->applications);
        while (history.done() + 1 < number)
            history.step();
        const Application& one = history.next();
        const Graph& graph = history.graph(); // what is behind it, too, once that was done
        std::vector<ValueRef> inputs;
        std::vector<NamedValue> from, to;
        for (const NodePtr& node : one.matched)
            for (const ValueRef input : node->inputs) {
                const bool inner =
                    std::any_of(one.matched.begin(), one.matched.end(),
                                [&](const NodePtr& other) { return other->id == input.node; });
                if (input.valid() && !inner && graph.constant(input) == nullptr &&
                    std::find(inputs.begin(), inputs.end(), input) == inputs.end())
                    inputs.push_back(input);
            }
        for (const auto& [was, became] : one.results) {
            const std::string& name = graph.output(was).name;
            from.push_back({name, was});
            to.push_back({name, became});
        }
        const Result<GraphPtr> before = partOf(graph, inputs, from);
        out.first = describeNext(history, *m_trace);
        const Result<GraphPtr> after =
            one.body ? Result<GraphPtr>(makeDiag(DiagCode::Usage, "inside of a node"))
                     : partOf(graph, inputs, to);
        if (before)
            out.before = printGraph(**before);
        if (after)
            out.after = printGraph(**after);
        if (!before || !after)
            return {};
        FW_CHECK(tryAlone(*before, *after, out));
        return m_arguments.output.empty() ? Status() : write(*before, out);
    }

    // Whether the part alone shows it, on random values.
    Status tryAlone(const GraphPtr& before, const GraphPtr& after, BisectDocument& out) {
        const auto run = [&](const GraphPtr& graph, const Tensors* given) -> Result<Tensors> {
            FW_TRY(const Apart apart, m_pipeline.apart(graph, m_options, m_context));
            if (given != nullptr)
                return apart.module->run(*given);
            FW_TRY(m_partOperands, apart.module->randomInputs(1, m_arguments.dims));
            return apart.module->run(m_partOperands);
        };
        const Result<Tensors> want = run(before, nullptr);
        const Result<Tensors> got = want ? run(after, &m_partOperands) : want;
        if (got) // else the part is shown, and says nothing alone
            out.alone = distanceOf(*before, *got, *want, m_tolerance).worst;
        return {};
    }

    Status write(const GraphPtr& part, BisectDocument& out) {
        std::error_code error;
        std::filesystem::create_directories(m_arguments.output, error);
        if (error)
            return makeDiag(DiagCode::FileUnwritable,
                            "the folder cannot be made: " + error.message(), {m_arguments.output});
        std::string name = fmt::format("{}_{}", out.first->rule, out.first->number);
        for (char& c : name)
            c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
        FW_TRY(const ExportedModel exported, exportModel(*part));
        out.file = (std::filesystem::path(m_arguments.output) / (name + ".onnx")).string();
        return writeFile(out.file, exported.bytes);
    }

    Pipeline& m_pipeline;
    const Arguments& m_arguments;
    const Context& m_context;
    const Tolerance m_tolerance;
    GraphPtr m_graph;
    const RewriteTrace* m_trace = nullptr;
    const Books* m_books = nullptr;
    PlanOptions m_options;
    Tensors m_operands, m_partOperands;
    std::size_t m_wantedBehind = 0; // so many applications
    Tensors m_wanted;
    std::size_t m_runs = 0; // states that were computed
};

} // namespace

Result<BisectDocument> bisectModel(Pipeline& pipeline, const Arguments& arguments,
                                   const Context& context) {
    return Bisecting(pipeline, arguments, context).run();
}

} // namespace fw
