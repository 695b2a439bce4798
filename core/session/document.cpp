#include "session/document.h"

#include "snapshot/document_file.h"

namespace fw {

Result<snapshot::Arguments> withDocument(snapshot::Arguments arguments) {
    if (!snapshot::isDocumentFile(arguments.model))
        return arguments;
    FW_TRY(const snapshot::Inputs inputs, snapshot::loadDocument(arguments.model));
    arguments.model = inputs.model;
    if (arguments.target.empty())
        arguments.target = inputs.fullTarget();
    for (std::string& book : inputs.enabledBooks())
        arguments.rules.push_back(std::move(book));
    for (const auto& [name, value] : inputs.dims)
        arguments.dims.try_emplace(name, value);
    if (arguments.pins.empty())
        arguments.pins = inputs.pinText();
    return arguments;
}

} // namespace fw
