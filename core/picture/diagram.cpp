#include "picture/diagram.h"

namespace fw::picture {

std::string_view chipText(Implementation implementation) {
    switch (implementation) {
    case Implementation::None:
        return "";
    case Implementation::Generated:
        return "LL";
    case Implementation::OneDnn:
        return "DN";
    case Implementation::OpenBlas:
        return "OB";
    case Implementation::Reference:
        return "rf";
    }
    return "";
}

std::string_view implementationText(Implementation implementation) {
    switch (implementation) {
    case Implementation::None:
        return "";
    case Implementation::Generated:
        return "generated";
    case Implementation::OneDnn:
        return "oneDNN";
    case Implementation::OpenBlas:
        return "OpenBLAS";
    case Implementation::Reference:
        return "reference";
    }
    return "";
}

Implementation implementationOf(std::string_view name) {
    if (name.starts_with("generated"))
        return Implementation::Generated;
    if (name.starts_with("onednn"))
        return Implementation::OneDnn;
    if (name.starts_with("openblas"))
        return Implementation::OpenBlas;
    if (name.starts_with("reference"))
        return Implementation::Reference;
    return Implementation::None;
}

} // namespace fw::picture
