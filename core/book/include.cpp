#include "book/include.h"

#include "syntax/include.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace fw {

namespace {

namespace fs = std::filesystem;

std::string identity(const std::string& file) {
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(file, error);
    return error ? fs::path(file).lexically_normal().string() : whole.string();
}

class Including {
public:
    Including(std::vector<BookText> given, const BookOpener& open)
        : m_given(std::move(given)), m_open(open), m_added(m_given.size(), false) {
        for (const BookText& book : m_given)
            m_ids.push_back(identity(book.file));
    }

    std::vector<BookText> take() {
        for (std::size_t i = 0; i < m_given.size(); ++i)
            if (!m_added[i])
                addGiven(i);
        return std::move(m_out);
    }

private:
    struct Entered {
        std::string id, file;
    };

    bool isNew(const std::string& id) const {
        return std::find(m_read.begin(), m_read.end(), id) == m_read.end();
    }

    void addGiven(std::size_t i) {
        m_added[i] = true;
        add(std::move(m_given[i]), m_ids[i]);
    }

    void add(BookText book, std::string id) {
        m_read.push_back(id);
        m_way.push_back({std::move(id), book.file});
        for (const auto& include : includesOf(book.text))
            if (auto problem = follow(*include, book.file)) {
                problem->where = {book.file, {}, include->span.line, include->span.column};
                book.problems.push_back(std::move(*problem));
            }
        m_way.pop_back();
        m_out.push_back(std::move(book));
    }

    std::optional<Diag> follow(const IncludeTree& include, const std::string& from) {
        const fs::path path = include.name;
        if (path.is_absolute() || path.extension() != ".fw")
            return makeDiag(DiagCode::TextName,
                            "\"" + include.name + "\" is no relative path of a .fw file", {},
                            "a path begins at the folder of this book: include \"rules/mine.fw\"");
        const fs::path folder = fs::path(from).parent_path();
        const std::string file = includedFile(from, include.name);
        std::string id = identity(file);
        if (const auto entered = std::find_if(m_way.begin(), m_way.end(),
                                              [&](const Entered& one) { return one.id == id; });
            entered != m_way.end()) {
            std::string way;
            for (auto one = entered; one != m_way.end(); ++one)
                way += one->file + " -> ";
            return makeDiag(DiagCode::TextName, "books include each other: " + way + entered->file,
                            {}, "leave out one of the includes");
        }
        if (!isNew(id))
            return std::nullopt;
        if (m_read.size() >= mostIncluded)
            return makeDiag(DiagCode::LimitReached,
                            fmt::format("{} books are read already", mostIncluded), {},
                            "join some of them");
        // A book that is given as well may have a text that is not saved.
        const auto given = std::find(m_ids.begin(), m_ids.end(), id);
        if (given != m_ids.end()) {
            addGiven(static_cast<std::size_t>(given - m_ids.begin()));
            return std::nullopt;
        }
        Result<std::string> text = m_open(file);
        if (!text) {
            Diag problem = text.diag();
            problem.message = file + " " + problem.message;
            problem.hint = fmt::format("the path begins at {}",
                                       folder.empty() ? "this folder" : folder.string());
            return problem;
        }
        add({file, std::move(*text)}, std::move(id));
        return std::nullopt;
    }

    std::vector<BookText> m_given, m_out;
    const BookOpener& m_open;
    std::vector<bool> m_added;       // beside m_given
    std::vector<std::string> m_ids;  // likewise
    std::vector<std::string> m_read; // identities
    std::vector<Entered> m_way;      // from a given book to the one that is read
};

} // namespace

std::string includedFile(const std::string& book, const std::string& path) {
    return (fs::path(book).parent_path() / path).lexically_normal().string();
}

bool isSameBook(const std::string& a, const std::string& b) {
    return a == b || identity(a) == identity(b);
}

std::vector<BookText> withIncluded(std::vector<BookText> given, const BookOpener& open) {
    return Including(std::move(given), open).take();
}

} // namespace fw
