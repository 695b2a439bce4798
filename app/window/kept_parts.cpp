#include "app/window/kept_parts.h"

namespace fw::ui {

void KeptParts::setPart(Part part, State state, Diag error) {
    stateOf(part).state = state;
    stateOf(part).error = std::move(error);
    tell(part);
}

} // namespace fw::ui
