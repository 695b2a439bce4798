#include "session/book_gains.h"

#include "book/book.h"
#include "session/document.h"

#include <algorithm>
#include <map>

namespace fw {

namespace {

using namespace snapshot;

double estimateOf(const FusionPlan& plan) {
    double out = 0;
    for (const Group& group : plan.groups)
        out += group.estimateUs;
    return out;
}

Result<std::optional<double>> estimateOf(Pipeline& pipeline, const Context& context) {
    const Result<const FusionPlan*> plan = pipeline.plan(context);
    if (!plan && plan.diag().code == DiagCode::Cancelled)
        return plan.diag();
    return plan ? std::optional(estimateOf(**plan)) : std::nullopt;
}

Arguments without(Arguments arguments, const std::string& file) {
    std::erase(arguments.rules, file);
    if (isShippedBook(file))
        arguments.texts.push_back({file, {}});
    return arguments;
}

} // namespace

Status tellGains(PipelineStore& store, const Arguments& arguments, const Context& context,
                 OrderDocument& out) {
    std::vector<BookGain> books;
    for (const OrderRecord& entry : out.entries)
        if (entry.kind.starts_with(kindOf(Declares::Rule).noun) && entry.count.value_or(0) > 0) {
            auto book = std::find_if(books.begin(), books.end(),
                                     [&](const BookGain& one) { return one.file == entry.file; });
            if (book == books.end())
                book = books.insert(books.end(), BookGain{entry.file, 0, 0, {}});
            book->applied += *entry.count;
        }
    {
        FW_TRY(Pipeline * all, store.find(inputsOf(arguments)));
        FW_TRY(out.estUs, estimateOf(*all, context));
    }
    for (BookGain& book : books) {
        context.report("plan", "without " + book.file, out.books.size(), books.size());
        FW_TRY(Pipeline * pipeline, store.find(inputsOf(without(arguments, book.file))));
        FW_TRY(const Simplified* simplified, pipeline->simplified(context));
        const auto& nodes = simplified->graph->nodes();
        book.operatorsWithout = std::count_if(nodes.begin(), nodes.end(),
                                              [](const NodePtr& node) { return !node->isLeaf(); });
        FW_TRY(book.estUsWithout, estimateOf(*pipeline, context));
        out.books.push_back(std::move(book));
    }
    return {};
}

} // namespace fw
