// Commands about several models or targets, asked piece by piece: their pieces may need workers of
// their own (snapshot/recovery.h).
#pragma once

#include "client.h"
#include "snapshot/documents.h"

namespace fw::cli {

Result<snapshot::DiffDocument> askDiff(Client& client, const snapshot::Arguments& arguments,
                                       const Client::ShowProgress& show);
Result<snapshot::BenchDocument> askBench(Client& client, const snapshot::Arguments& arguments,
                                         const Client::ShowProgress& show);

} // namespace fw::cli
