#include "app/lsp/checks.h"

#include <algorithm>
#include <utility>

namespace fw::lsp {

namespace {

constexpr auto rest = std::chrono::milliseconds(150); // of who types

} // namespace

Checks::Checks(snapshot::Arguments always, Publish publish)
    : m_always(std::move(always)), m_publish(std::move(publish)), m_thread([this] { work(); }) {}

Checks::~Checks() {
    {
        const std::lock_guard lock(m_mutex);
        m_isEnded = true;
        m_cancel.cancel();
    }
    m_changed.notify_all();
    m_thread.join();
}

void Checks::changed(const Documents& now, const std::string& uri) {
    std::vector<Then> gone;
    {
        const std::lock_guard lock(m_mutex);
        m_cancel.cancel();
        m_cancel = CancelToken();
        m_documents = now;
        m_checked.clear(); // each book knows the others
        m_open.clear();
        for (const DocumentPtr& one : now.all())
            if (!one->isShipped())
                m_open.insert(one->uri == uri ? m_open.begin() : m_open.end(), one);
        for (auto waiting = m_waiting.begin(); waiting != m_waiting.end();) {
            if (now.find(waiting->first)) {
                ++waiting;
                continue;
            }
            gone.push_back(std::move(waiting->second));
            waiting = m_waiting.erase(waiting);
        }
        m_due = Clock::now() + rest;
    }
    m_changed.notify_all();
    for (const Then& then : gone)
        then(nullptr);
}

void Checks::whenChecked(const std::string& uri, Then then) {
    std::unique_lock lock(m_mutex);
    const auto done = m_checked.find(uri);
    if (done == m_checked.end()) {
        m_waiting.emplace(uri, std::move(then));
        return;
    }
    const Checked checked = done->second;
    lock.unlock();
    then(&checked);
}

Checked Checks::check(const Document& document, const Documents& all, const CancelToken& cancel) {
    Checked out;
    const snapshot::Arguments question = all.question(m_always, document);
    const auto answer = m_worker.ask<snapshot::CheckDocument>(question, cancel);
    if (!answer) {
        snapshot::MarkRecord mark; // of the whole text, for it was not looked at
        mark.line = mark.column = mark.endLine = mark.endColumn = 1;
        mark.diag = answer.diag();
        out.marks.push_back(std::move(mark));
        return out;
    }
    out.marks = answer->marks;
    for (const Diag& diag : answer->diagnostics)
        if (diag.where.line > 0 && diag.where.file != document.file)
            out.elsewhere.push_back(diag);
    return out;
}

void Checks::work() {
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return !isIdle(); });
        while (!m_isEnded && Clock::now() < m_due)
            m_changed.wait_until(lock, m_due);
        if (m_isEnded)
            return;
        if (m_open.empty())
            continue;
        const DocumentPtr document = m_open.front();
        const Documents all = m_documents;
        const CancelToken cancel = m_cancel;
        lock.unlock();
        Checked checked = check(*document, all, cancel);
        lock.lock();
        if (cancel.cancelled())
            continue;
        checked.document = document;
        m_open.erase(m_open.begin());
        m_publish(checked, all); // within the lock: behind changed() nothing older is published
        std::vector<Then> told;
        const auto [first, last] = m_waiting.equal_range(document->uri);
        for (auto one = first; one != last; ++one)
            told.push_back(std::move(one->second));
        m_waiting.erase(first, last);
        const Checked& kept = m_checked[document->uri] = std::move(checked);
        for (const Then& then : told)
            then(&kept);
    }
}

} // namespace fw::lsp
