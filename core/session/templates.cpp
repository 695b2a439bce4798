#include "session/templates.h"

#include <algorithm>
#include <cctype>

namespace fw {

namespace {

constexpr Template all[] = {
    {"rule", R"(rule ${1:my_rule} "${2:what it does}" {
  match  y = ${3:relu(relu(x))}
  emit   y = ${4:relu(x)}
}
)"},
    {"pattern", R"(pattern ${1:my_pattern}(x, w: const) = ${2:relu(conv2d(x, w))}
)"},
    {"fuse", R"(fuse ${1:my_group} "${2:why}" {
  match  ${3:relu(conv2d(x, w))}
  as     ${4:stacked}
}
)"},
    {"composite", R"(composite ${1:my_composite} "${2:what one call computes}" {
  match  ${3:relu(conv2d(x, w: const))}
}
)"},
    {"op",
     R"(op ${1:my_operator} "${2:what it computes}" (${3:x: T[S...], attr scale: float = 2}) -> y: T[S...] {
  y[i...] = ${4:x[i...] * scale}
}
)"},
    {"grow", R"(grow ${1:contraction} -> ${2:elementwise} ${3:forward}
)"},
    {"implementations", R"(implementations ${1:dense}(...) on ${2:x86-64} {
  ${3:generated.tiled}  priority ${4:20}
}
)"},
    {"schedule", R"(schedule ${1:my_schedule} "${2:how it computes}" {
  ${3:anchor.vectorize(n)}
}
)"},
    {"chain", R"(chain ${1:my_chain} = (${2:relu(^) | bias(^, b: const)})* {0..2}
)"},
    {"target", R"(target ${1:my_target} on ${2:x86-64} { threads = ${3:4} }
)"},
    {"pin", R"(pin { ${1:together a, b} }
)"},
    {"test", R"(test "${1:what is shown}" {
  graph g(${2:x: f32[N, 4]}) -> y { ${3:y = relu(x)} }
  expect ${4:match 1}
}
)"},
    {"graph", R"(graph ${1:g}(${2:x: f32[N, 4]}) -> y {
  ${3:y = relu(x)}
}
)"},
};

} // namespace

std::span<const Template> templates() {
    return all;
}

const Template* templateOf(std::string_view keyword) {
    const auto* found = std::find_if(std::begin(all), std::end(all),
                                     [&](const Template& one) { return one.keyword == keyword; });
    return found == std::end(all) ? nullptr : found;
}

std::string withoutFields(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!text.substr(at).starts_with("${")) {
            out += text[at];
            continue;
        }
        const std::size_t colon = text.find(':', at), end = text.find('}', at);
        if (colon == std::string_view::npos || end == std::string_view::npos || colon > end)
            return out + std::string(text.substr(at));
        out += text.substr(colon + 1, end - colon - 1);
        at = end;
    }
    return out;
}

} // namespace fw
