// Texts and documents that were not saved, kept where a crash does not reach them.
//
// Every window has a folder of its own below the state folder of the user, held by a lock that ends
// with the process and is there before the folder. A folder whose lock is free belongs to a window
// that ended without saying what should become of its texts: they are offered to the next one.
#pragma once

#include "base/result.h"

#include <QLockFile>
#include <QString>

#include <memory>
#include <vector>

namespace fw::ui {

struct Draft {
    enum class Kind : std::uint8_t { Book, Document };
    QString path; // of the book, of the document or, if that was never saved, of its model
    QString text;
    Kind kind = Kind::Book;

    bool operator==(const Draft&) const = default;
};

class Drafts {
public:
    // $XDG_STATE_HOME/fusewright/drafts, or below ~/.local/state.
    static QString defaultFolder();

    explicit Drafts(const QString& folder = defaultFolder());
    ~Drafts(); // what was kept stays
    Drafts(const Drafts&) = delete;
    Drafts& operator=(const Drafts&) = delete;

    Status keep(const Draft& draft);
    void forget(const Draft& draft); // whatever its text
    // Of windows that are gone, sorted by path. They stay until forgotten, and so does what cannot
    // be read, such as the drafts of a newer version.
    std::vector<Draft> leftOver() const;
    void forgetLeftOver(const std::vector<Draft>& offered);

private:
    static QString lockOf(const QString& folder);
    static QString fileOf(const QString& folder, const Draft& draft);
    QStringList deadFolders() const;

    QString m_root, m_own;
    std::unique_ptr<QLockFile> m_lock;
};

} // namespace fw::ui
