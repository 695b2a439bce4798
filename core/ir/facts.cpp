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

std::string_view workText(WorkClass work) {
    switch (work) {
    case WorkClass::Other:
        return "other";
    case WorkClass::Convolution:
        return "convolution";
    case WorkClass::Grouped:
        return "grouped";
    case WorkClass::Product:
        return "product";
    case WorkClass::FewRows:
        return "few_rows";
    case WorkClass::Pool:
        return "pool";
    case WorkClass::Rows:
        return "rows";
    }
    return "other";
}

} // namespace fw
