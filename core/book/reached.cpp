#include "book/reached.h"

#include "book/include.h"
#include "syntax/include.h"

#include <algorithm>
#include <map>

namespace fw {

ReachedBooks::ReachedBooks(const std::vector<ReadBook>& books)
    : m_books(books), m_edges(books.size()) {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < books.size(); ++i)
        places.emplace(books[i].file, i);
    for (std::size_t i = 0; i < books.size(); ++i)
        for (const auto& [item, include] : books[i].each<IncludeTree>()) {
            const std::string file = includedFile(books[i].file, include->name);
            if (const auto found = places.find(file); found != places.end()) {
                m_edges[i].push_back({item, found->second});
                continue;
            }
            // A book that was given may be named in another way.
            const auto other = std::find_if(books.begin(), books.end(), [&](const ReadBook& one) {
                return isSameBook(one.file, file);
            });
            if (other != books.end())
                m_edges[i].push_back({item, static_cast<std::size_t>(other - books.begin())});
        }
}

std::vector<const ReadBook*> ReachedBooks::through(const ReadBook& book, std::size_t item) const {
    std::vector<std::size_t> order;
    std::vector<bool> met(m_books.size(), false);
    const auto follow = [&](const Edge& edge) {
        if (!met[edge.to])
            order.push_back(edge.to);
        met[edge.to] = true;
    };
    for (const Edge& edge : m_edges.at(static_cast<std::size_t>(&book - m_books.data())))
        if (edge.item == item)
            follow(edge);
    for (std::size_t next = 0; next < order.size(); ++next)
        for (const Edge& edge : m_edges[order[next]])
            follow(edge);
    std::vector<const ReadBook*> out;
    for (const std::size_t place : order)
        out.push_back(&m_books[place]);
    return out;
}

} // namespace fw
