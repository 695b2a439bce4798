// Libraries that books declare, and which of them people let the worker load.
#pragma once

#include "app/window/kept_parts.h"

namespace fw::ui {

class DeclaredLibraries {
public:
    explicit DeclaredLibraries(const DocumentParts& parts) : m_parts(parts) {} // lives longer

    // Null: a library of this name is built in, or there is none.
    const snapshot::LibraryRecord* named(const QString& name) const;
    // Those that the target takes without -libs=.
    std::vector<std::string> found() const;
    // SHA-256 of the files that may be loaded.
    const std::vector<std::string>& agreed() const { return m_agreed; }
    void agree(const QStringList& contents);
    bool isAgreed(const snapshot::LibraryRecord& library) const;
    // After a check of books: whether what is known of libraries may be another now.
    bool follow();

private:
    const DocumentParts& m_parts;
    std::vector<std::string> m_agreed;
    bool m_declared = false; // a book did when it was checked last
};

} // namespace fw::ui
