#include "app/window/text_jumps.h"

namespace fw::ui {

void TextJumps::left(const Place& place) {
    m_places.resize(m_at);
    m_places.push_back(place);
    if (m_places.size() > most)
        m_places.erase(m_places.begin());
    m_at = m_places.size();
}

std::optional<TextJumps::Place> TextJumps::go(int step, const Place& here) {
    if (step < 0 ? m_at == 0 : m_at + 1 >= m_places.size())
        return {};
    if (m_at == m_places.size())
        m_places.push_back(here);
    else
        m_places[m_at] = here;
    m_at = step < 0 ? m_at - 1 : m_at + 1;
    return m_places[m_at];
}

} // namespace fw::ui
