// Places in books that people left for another one: back to them, and forward again.
#pragma once

#include <QString>

#include <optional>
#include <vector>

namespace fw::ui {

class TextJumps {
public:
    struct Place {
        QString book;
        int line = 0, column = 0;
        bool operator==(const Place&) const = default;
    };

    void left(const Place& place); // for somewhere else: what lay ahead is forgotten
    // The place before (-1) or behind (+1); `here` is found again on the way back. None: there is
    // no other one.
    std::optional<Place> go(int step, const Place& here);
    void clear() { m_places.clear(), m_at = 0; }

private:
    static constexpr std::size_t most = 100;

    std::vector<Place> m_places;
    std::size_t m_at = 0; // behind the last: the place where people are is not among them
};

} // namespace fw::ui
