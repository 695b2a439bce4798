// A document file as MODEL: what it decided takes the place of arguments that were not given.
#pragma once

#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

// Shipped books in `without` get an empty text (UnknownName: there is no such book). Arguments
// whose model is no document pass through. A target that was given replaces the
// document's as a whole; books that were given come before the document's; dims that were given
// win. The text of a graph that declares rules, blocks or pins is a book, too, read before those
// that were given.
Result<snapshot::Arguments> withDocument(snapshot::Arguments arguments);

// What a request says about the stages of its model.
PipelineInputs inputsOf(const snapshot::Arguments& arguments);

} // namespace fw
