// What small graphs said is remembered while the program runs.
#pragma once

#include "base/cancel.h"
#include "base/hash.h"
#include "session/book_texts.h"

#include <exception>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace fw {

// What small graphs say, by the texts that it depends on: a book is checked at every pause in
// typing. Of two threads that ask for the same the second waits for the first.
template <class Make>
auto remembered(const std::string& texts, const CancelToken& cancel, Make make) {
    using Out = decltype(make());
    static std::mutex mutex;
    static std::map<Hash, std::shared_future<Out>> known;
    const Hash key = hashOf(texts);
    std::promise<Out> promise;
    std::shared_future<Out> answer;
    bool isNew = false;
    {
        const std::lock_guard lock(mutex);
        if (known.size() > 1024)
            known.clear();
        const auto found = known.try_emplace(key);
        isNew = found.second;
        if (isNew)
            found.first->second = promise.get_future().share();
        answer = found.first->second;
    }
    if (!isNew)
        return answer.get();
    const auto forget = [&] {
        const std::lock_guard lock(mutex);
        known.erase(key);
    };
    try {
        promise.set_value(make());
    } catch (...) {
        forget();
        promise.set_exception(std::current_exception());
    }
    if (cancel.cancelled())
        forget();
    return answer.get();
}

// What every trial depends on.
inline std::string textsAround(const Books& books) {
    std::string out = books.operatorText;
    for (const auto& pattern : books.rules.patterns)
        out += "\n" + pattern->source;
    return out;
}

} // namespace fw
