// `fw draw`: the picture that the workbench shows, as a file.
#pragma once

#include "client.h"

namespace fw::cli {

struct DrawDocument {
    std::string file;
    double width = 0;
    double height = 0;
    std::int64_t nodes = 0;
    std::string stage;
    std::vector<std::string> notices;
};

// Without a stage: fused if the model can be planned, else imported. With a depth blocks are closed
// from this level on, 0 or more; without one all is open. Writes arguments.output.
Result<DrawDocument> drawModel(Client& client, const snapshot::Arguments& arguments,
                               std::optional<int> depth);
std::string drawJson(const DrawDocument& document);
std::string drawText(const DrawDocument& document);

} // namespace fw::cli
