#include "ir/facts.h"

namespace fw {

std::string_view kindText(FusionKind kind) {
    switch (kind) {
    case FusionKind::Elementwise:
        return "elementwise";
    case FusionKind::Broadcast:
        return "broadcast";
    case FusionKind::Injective:
        return "injective";
    case FusionKind::Reduction:
        return "reduction";
    case FusionKind::Window:
        return "window";
    case FusionKind::Rowwise:
        return "rowwise";
    case FusionKind::Contraction:
        return "contraction";
    case FusionKind::Opaque:
        return "opaque";
    }
    return "opaque";
}

} // namespace fw
