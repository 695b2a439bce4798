#include "rewrite/embedded.h"

#define FW_RULE_BOOKS(X) X(recognise) X(simplify) X(scales) X(views)
#define FW_NAMED_BOOKS(X) X(combine) X(attention) X(melted)

extern "C" {
#define FW_DECLARE(name) extern const char fwRules_##name[], fwRulesEnd_##name[];
FW_RULE_BOOKS(FW_DECLARE)
FW_NAMED_BOOKS(FW_DECLARE)
#undef FW_DECLARE
}

namespace fw {

#define FW_BOOK(name)                                                                              \
    {#name ".fw", {fwRules_##name, static_cast<std::size_t>(fwRulesEnd_##name - fwRules_##name)}},

std::vector<EmbeddedRules> embeddedRules() {
    return {FW_RULE_BOOKS(FW_BOOK)};
}

std::vector<EmbeddedRules> embeddedByName() {
    return {FW_NAMED_BOOKS(FW_BOOK)};
}

} // namespace fw
