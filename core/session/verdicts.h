// What is found out about a declaration that is accepted: on how much it was tried, whether a rule
// computes what it replaces (proved, tested, refuted), what earlier ones leave of it, with which
// others its order matters, whether it ends. What the texts that it depends on gave is remembered,
// since a book is checked at every pause in typing.
#pragma once

#include "base/cancel.h"
#include "session/book_texts.h"

#include <memory>

namespace fw {

class Verdicts {
public:
    // To lay every rule over every other one takes longer than a pause in typing.
    enum class Order : std::uint8_t { Leave, Tell };

    // Of the declarations of one of the books, which stay alive.
    Verdicts(const Books& books, const std::string& file, Order order, const CancelToken& cancel);
    ~Verdicts();

    void judge(const DeclarationPtr& declaration, snapshot::CheckItem& row) const;

private:
    void judgeOne(const DeclarationPtr& declaration, snapshot::CheckItem& row) const;

    struct Known;
    std::unique_ptr<Known> m_known;
};

} // namespace fw
