// What is wrong with the open books, asked anew after every change: the book that changed first,
// then the others, which know it.
#pragma once

#include "app/lsp/documents.h"
#include "app/lsp/questions.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace fw::lsp {

// Of one text of one document.
struct Checked {
    DocumentPtr document;
    std::vector<snapshot::MarkRecord> marks;
    Diags elsewhere; // in books that it includes
};

class Checks {
public:
    // `publish` is never called for a text that has changed since, from the thread of the checks.
    using Publish = std::function<void(const Checked&, const Documents&)>;

    Checks(snapshot::Arguments always, Publish publish);
    ~Checks();
    Checks(const Checks&) = delete;
    Checks& operator=(const Checks&) = delete;

    // From here on only what is asked about these texts counts.
    void changed(const Documents& now, const std::string& uri);
    // Once the document as it is now is checked, at once if it is; false: it is gone.
    using Then = std::function<void(const Checked*)>;
    void whenChecked(const std::string& uri, Then then);

private:
    using Clock = std::chrono::steady_clock;

    void work();
    bool isIdle() const { return m_open.empty() && !m_isEnded; }
    Checked check(const Document& document, const Documents& all, const CancelToken& cancel);

    snapshot::Arguments m_always;
    Publish m_publish;
    Worker m_worker; // of the thread
    std::mutex m_mutex;
    std::condition_variable m_changed;
    Documents m_documents;
    std::vector<DocumentPtr> m_open; // not checked yet, the next one first
    std::map<std::string, Checked> m_checked;
    std::multimap<std::string, Then> m_waiting;
    Clock::time_point m_due;
    CancelToken m_cancel; // of the check at work
    bool m_isEnded = false;
    std::thread m_thread; // last: it uses the others
};

} // namespace fw::lsp
