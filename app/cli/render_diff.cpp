// Text of what differs between two models or two plans.
#include "render.h"

#include <fmt/format.h>

namespace fw::cli {

using namespace snapshot;

namespace {

std::string rows(const std::vector<ChangeRecord>& changes, char mark) {
    std::string out;
    for (const ChangeRecord& change : changes) {
        out += fmt::format("{} {}", mark, change.sentence);
        // Of a pair only: a group that came or went says nothing about the other side.
        if (!change.before.empty() && !change.after.empty() && change.estBeforeUs &&
            change.estAfterUs)
            out += fmt::format(", est. {} us before, {} us after", decimal(*change.estBeforeUs, 1),
                               decimal(*change.estAfterUs, 1));
        out += "\n";
    }
    return out;
}

std::string total(const DiffDocument& document) {
    if (!document.estBeforeUs || !document.estAfterUs)
        return {};
    return fmt::format("all groups, est. {} us before, {} us after{}\n",
                       decimal(*document.estBeforeUs, 1), decimal(*document.estAfterUs, 1),
                       document.otherSizes.empty() ? std::string()
                                                   : ", of other sizes: " + document.otherSizes);
}

} // namespace

std::string render(const DiffDocument& document) {
    const std::string sides =
        fmt::format("before  {}\nafter   {}\n", document.before, document.after);
    if (isEmpty(document))
        return sides + "no differences\n";
    return sides + rows(document.removed, '-') + rows(document.added, '+') +
           rows(document.changed, '~') +
           fmt::format("{} removed, {} added, {} changed\n", document.removed.size(),
                       document.added.size(), document.changed.size()) +
           total(document);
}

} // namespace fw::cli
