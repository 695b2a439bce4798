// With which other rules the order of a rule matters.
#pragma once

#include "base/cancel.h"
#include "session/book_texts.h"
#include "verdict/critical.h"

#include <memory>
#include <string>
#include <vector>

namespace fw {

// The rules of a book laid over one another, within a limit for all of them together: of a hundred
// that are alike there are five thousand pairs.
class RuleOrders {
public:
    RuleOrders(const Books& books, std::string file);

    // One remark on the rules with which a rule comes to different graphs, whichever acts first. Of
    // two in one book the later one has it.
    void tell(const std::shared_ptr<const RuleTree>& rule, const CancelToken& cancel,
              snapshot::CheckItem& row);

private:
    struct Asked {
        std::vector<std::string> others;
        std::size_t drawn = 0, left = 0; // pairs
    };
    Asked ask(const std::shared_ptr<const RuleTree>& rule, const CancelToken& cancel);

    const Books& m_books;
    const std::string m_file;
    std::string m_texts;
    CriticalPairs m_pairs;
    std::size_t m_left;
};

} // namespace fw
