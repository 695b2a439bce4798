#include "pieces.h"

#include "snapshot/plan_changes.h"

namespace fw::cli {

using namespace snapshot;

Result<DiffDocument> askDiff(Client& client, const Arguments& arguments,
                             const Client::ShowProgress& show) {
    DiffSideDocument sides[2];
    for (const std::size_t i : {0u, 1u}) {
        Arguments one = arguments;
        one.side = i == 0 ? "before" : "after";
        FW_TRY(const std::string answer, client.ask("diff", one, show));
        FW_TRY(sides[i], fromJson<DiffSideDocument>(answer));
        if (sides[i].graphs)
            break;
    }
    return compareSides(sides[0], sides[1]);
}

Result<BenchDocument> askBench(Client& client, const Arguments& arguments,
                               const Client::ShowProgress& show) {
    BenchDocument out;
    for (const std::string& model : arguments.models) {
        Arguments one = arguments;
        one.models = {model};
        FW_TRY(const std::string answer, client.ask("bench", one, show));
        FW_TRY(BenchDocument row, fromJson<BenchDocument>(answer));
        out.target = row.target;
        for (BenchRow& measured : row.models)
            out.models.push_back(std::move(measured));
        for (std::string& notice : row.notices)
            out.notices.push_back(std::move(notice));
    }
    return out;
}

} // namespace fw::cli
