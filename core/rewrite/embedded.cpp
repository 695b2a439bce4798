#include "rewrite/embedded.h"

#define FW_RULE_BOOKS(X) X(recognise) X(simplify) X(scales) X(views)

extern "C" {
#define FW_DECLARE(name) extern const char fwRules_##name[], fwRulesEnd_##name[];
FW_RULE_BOOKS(FW_DECLARE)
#undef FW_DECLARE
}

namespace fw {

std::vector<EmbeddedRules> embeddedRules() {
    return {
#define FW_BOOK(name)                                                                              \
    {#name ".fw",                                                                                  \
     {fwRules_##name, static_cast<std::size_t>(fwRulesEnd_##name - fwRules_##name)}},
        FW_RULE_BOOKS(FW_BOOK)
#undef FW_BOOK
    };
}

} // namespace fw
