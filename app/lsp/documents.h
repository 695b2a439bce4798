// The books that are open in the editor, as they are typed, and how the engine is asked about them:
// all that is open is read together, as the books of a document are in the window.
#pragma once

#include "app/lsp/text.h"
#include "snapshot/arguments.h"

#include <memory>
#include <string>
#include <vector>

namespace fw::lsp {

struct Document {
    std::string uri;
    std::string file; // as the engine calls it: a path, a shipped book, or else the URI
    std::int64_t version = 0;
    Text text;

    Document(std::string uri, std::int64_t version, std::string text, Encoding encoding);
    bool isShipped() const; // it is read, not edited
};
using DocumentPtr = std::shared_ptr<const Document>;

// A value: who works on it keeps what was open when it began.
class Documents {
public:
    void put(DocumentPtr document);
    void remove(const std::string& uri);
    DocumentPtr find(const std::string& uri) const; // nullptr: it is not open
    DocumentPtr ofFile(const std::string& file) const;
    const std::vector<DocumentPtr>& all() const { return m_all; } // in the order of opening

    // With the books of `always` before those that are open.
    snapshot::Arguments question(const snapshot::Arguments& always, const Document& about) const;

private:
    std::vector<DocumentPtr> m_all;
};

// "file:///a%20b.fw" and the path; a URI that is no file is its own name.
std::string fileOf(const std::string& uri);
std::string uriOf(const std::string& file);

// The URI of a shipped book, which is written where an editor can open it; empty where there is no
// folder for it.
std::string uriOfShipped(const std::string& name);

} // namespace fw::lsp
