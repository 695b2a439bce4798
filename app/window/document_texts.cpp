// Books that are being edited: what is asked about their texts, and when they act.
#include "app/window/document_send.h"
#include "views/editor/book_text.h"

#include <QFileInfo>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::Arguments;

namespace {

constexpr std::int64_t matchLimit = 10000;
constexpr double matchSeconds = 2;

bool isWrong(const snapshot::CheckDocument& check) {
    // A test that fails says something about a rule that can be read.
    return hasErrors(check.diagnostics) ||
           std::any_of(check.items.begin(), check.items.end(), [](const auto& item) {
               return item.kind != "test" && hasErrors(item.diagnostics);
           });
}

void makeOld(TextMatches& matches) {
    matches.state = State::Stale;
    matches.importedOld = matches.rewrittenOld = true;
}

bool bringsOperators(const snapshot::CheckDocument& check) {
    return std::any_of(check.items.begin(), check.items.end(),
                       [](const auto& item) { return item.kind == "operator"; });
}

} // namespace

Arguments Document::argumentsFor(const snapshot::Inputs& inputs) const {
    Arguments out = argumentsOf(inputs);
    out.agreed = m_agreed;
    for (const std::string& path : out.rules)
        if (const auto found = m_texts.find(path); found != m_texts.end())
            out.texts.push_back({path, found->second});
    return out;
}

// What is typed, whether right or not; else what acts. nullptr: as on disk.
const std::string* Document::textOf(const std::string& path) const {
    if (const auto typed = m_typed.find(path);
        typed != m_typed.end() && !typed->second.text.empty())
        return &typed->second.text;
    const auto acting = m_texts.find(path);
    return acting == m_texts.end() ? nullptr : &acting->second;
}

// What the books beside it declare is known to it.
Arguments Document::checkOf(const std::string& path, const std::string* text) const {
    Arguments out;
    out.book = path;
    out.rules = inputs().enabledBooks();
    if (std::find(out.rules.begin(), out.rules.end(), path) == out.rules.end())
        out.rules.push_back(path);
    for (const std::string& book : out.rules)
        if (const std::string* beside = textOf(book); beside != nullptr && book != path)
            out.texts.push_back({book, *beside});
    if (text != nullptr)
        out.texts.push_back({path, *text});
    return out;
}

bool Document::inDocument(const std::string& path) const {
    return std::any_of(inputs().books.begin(), inputs().books.end(),
                       [&](const auto& book) { return book.path == path; });
}

const std::string* Document::actingText(const QString& path) const {
    const auto found = m_texts.find(path.toStdString());
    return found == m_texts.end() ? nullptr : &found->second;
}

void Document::cancelText(const std::string& path) {
    if (const auto found = m_typed.find(path); found != m_typed.end())
        for (const std::int64_t id : std::exchange(found->second.requests, {}))
            m_worker.cancel(id);
}

bool Document::isTyped(const std::string& path, std::uint64_t generation) const {
    const auto found = m_typed.find(path);
    return found != m_typed.end() && found->second.generation == generation;
}

void Document::beginText(const QString& path, const QString& text) {
    m_texts[path.toStdString()] = text.toStdString();
}

void Document::textEdited(const QString& path) {
    cancelText(path.toStdString());
    if (!takesPart(path.toStdString()) ||
        !(stateOf(Part::Plan).request.isAsked() || stateOf(Part::Fused).request.isAsked()))
        return;
    nextGeneration();
    cancelPlan();
    setPart(Part::Fused, m_fused ? State::Stale : State::Empty);
    setPart(Part::Plan, m_plan ? State::Stale : State::Empty);
}

void Document::setText(const QString& path, const QString& text, OnDisk disk) {
    const std::string file = path.toStdString();
    const std::string now = text.toStdString();
    cancelText(file);
    const std::uint64_t generation = ++m_textGeneration;
    m_typed[file] = {now, generation, {}, false};
    const Arguments wanted = checkOf(file, &now);
    m_typed[file].requests.insert(
        send<snapshot::CheckDocument>(wanted, [=, this](Answer<snapshot::CheckDocument> answer) {
            if (!isTyped(file, generation))
                return; // typed on, or thrown away
            if (!answer) {
                m_typed.erase(file); // the next key press asks again
                if (auto found = m_textMatches.find(file); found != m_textMatches.end())
                    makeOld(found->second);
                tell(Part::TextMatches);
                return;
            }
            m_checks[file] = answer.take();
            if (isWrong(*m_checks[file]))
                textIsWrong(file);
            else
                textIsRight(file, now, disk,
                            bringsOperators(*m_checks[file]) ? Importing::Yes : Importing::No);
            tell({Part::Checks, Part::BrokenTexts});
            followLibraries();
        }));
}

void Document::textIsWrong(const std::string& path) {
    m_brokenTexts.insert(path);
    if (auto found = m_textMatches.find(path); found != m_textMatches.end())
        makeOld(found->second);
    tell({Part::TextMatches, Part::BrokenTexts});
    if (!takesPart(path))
        return;
    for (const Part part : {Part::Fused, Part::Plan})
        if (state(part) == State::Ready || state(part) == State::Stale)
            setPart(part, State::Stale);
}

void Document::textIsRight(const std::string& path, const std::string& text, OnDisk disk,
                           Importing importing) {
    m_brokenTexts.erase(path);
    m_typed[path].right = true;
    const auto acting = m_texts.find(path);
    // A comment changes no plan, and no line or column of what a plan cites.
    const bool same =
        acting == m_texts.end()
            ? disk == OnDisk::Same
            : acting->second == text || withoutComments(QString::fromStdString(acting->second)) ==
                                            withoutComments(QString::fromStdString(text));
    if (!same) {
        m_texts[path] = text;
        for (const auto& [book, check] : m_checks) // they may name what this one declares
            if (book != path)
                m_oldChecks.insert(book);
    }
    if (!isOpen())
        return;
    askTextMatches(path);
    // What was cancelled, greyed or lost with the worker meanwhile is asked again.
    const bool lost =
        state(Part::Plan) == State::Error && error(Part::Plan).code == DiagCode::WorkerDied;
    if (takesPart(path) && (!same || lost || state(Part::Plan) == State::Stale))
        plannedAnew(importing, path);
}

void Document::showShipped(const QString& file) {
    cancelText(file.toStdString());
    m_typed[file.toStdString()] = {{}, ++m_textGeneration, {}, true};
    if (isOpen())
        askTextMatches(file.toStdString());
}

void Document::askTextMatches(const std::string& path) {
    const QString file = QString::fromStdString(path);
    Typed& typed = m_typed[path];
    m_textMatches[path].state = State::Busy;
    m_textMatches[path].asked = 2;
    for (const char* stage : {"imported", "rewritten"}) {
        Arguments wanted = arguments(); // the graphs are those that are shown
        wanted.book = path;
        std::erase_if(wanted.texts, [&](const auto& source) { return source.file == path; });
        if (path.find('/') != std::string::npos) // else shipped
            wanted.texts.push_back({path, typed.text});
        wanted.stage = stage;
        wanted.limit = matchLimit;
        wanted.seconds = matchSeconds;
        const bool imported = wanted.stage == "imported";
        typed.requests.insert(send<snapshot::MatchDocument>(
            wanted,
            [=, this, generation = typed.generation](Answer<snapshot::MatchDocument> answer) {
                if (!isTyped(path, generation))
                    return;
                TextMatches& mine = m_textMatches[path];
                const bool found = answer.ok();
                if (found)
                    (imported ? mine.imported : mine.rewritten) = answer.take();
                (imported ? mine.importedOld : mine.rewrittenOld) = !found;
                mine.asked = std::max(0, mine.asked - 1);
                mine.state = mine.asked > 0                          ? State::Busy
                             : mine.importedOld || mine.rewrittenOld ? State::Stale
                                                                     : State::Ready;
                tell(Part::TextMatches);
            }));
    }
}

// The nodes that books find are those of the graph that is made now.
void Document::askOtherMatches(const std::string& but) {
    for (const auto& [path, typed] : m_typed)
        if (path != but && typed.right)
            askTextMatches(path);
}

void Document::dropText(const QString& path) {
    const std::string file = path.toStdString();
    cancelText(file);
    m_typed.erase(file);
    m_brokenTexts.erase(file);
    m_textMatches.erase(file);
    m_checks.erase(file);
    const bool acted = m_texts.erase(file) > 0;
    tell(Part::TextMatches);
    tell(Part::Checks);
    if (takesPart(file) && (acted || state(Part::Plan) == State::Stale))
        plannedAnew(Importing::Yes);
    else if (isOpen())
        askChecks();
}

void Document::releaseText(const QString& path) {
    const std::string file = path.toStdString();
    const auto acting = m_texts.find(file);
    cancelText(file);
    m_typed.erase(file);
    m_textMatches.erase(file);
    if (!inDocument(file) && m_checks.erase(file) > 0)
        tell(Part::Checks);
    if (acting == m_texts.end())
        return;
    for (UsedInputs& kept : m_kept)
        if (const auto same = kept.texts.find(file);
            same != kept.texts.end() && same->second == acting->second)
            kept.texts.erase(same);
    m_texts.erase(acting);
}

void Document::renameText(const QString& before, const QString& now) {
    const std::string from = before.toStdString();
    const std::string to = now.toStdString();
    const auto move = [&](auto& texts) {
        if (auto node = texts.extract(from)) {
            texts.erase(to);
            node.key() = to;
            texts.insert(std::move(node));
        }
    };
    move(m_texts);
    move(m_typed);
    move(m_checks);
    move(m_textMatches);
    if (m_brokenTexts.erase(from))
        m_brokenTexts.insert(to);
}

void Document::rereadBook(const QString& path) {
    const std::string file = path.toStdString();
    m_texts.erase(file);
    m_checks.erase(file);
    m_kept.clear(); // made of what the file held
    if (takesPart(file))
        plannedAnew(Importing::Yes);
}

void Document::assist(const QString& path, const QString& text, int line, int column,
                      Then<snapshot::AssistDocument> done,
                      const std::vector<snapshot::BookSource>& beside) {
    const std::string file = path.toStdString();
    Arguments wanted = argumentsFor(inputs());
    for (const snapshot::BookSource& source : beside) {
        if (std::find(wanted.rules.begin(), wanted.rules.end(), source.file) == wanted.rules.end())
            wanted.rules.push_back(source.file);
        std::erase_if(wanted.texts, [&](const auto& known) { return known.file == source.file; });
        wanted.texts.push_back(source);
    }
    if (std::find(wanted.rules.begin(), wanted.rules.end(), file) == wanted.rules.end())
        wanted.rules.push_back(file);
    std::erase_if(wanted.texts, [&](const auto& source) { return source.file == file; });
    wanted.texts.push_back({file, text.toStdString()});
    wanted.position = snapshot::TextPlace{file, line, column};
    sendLatest<snapshot::AssistDocument>(m_assistRequest, wanted,
                                         [=](Answer<snapshot::AssistDocument> answer) {
                                             if (answer)
                                                 done(answer.take());
                                         });
}

void Document::askGraph(const std::string& text, const QString& book,
                        Answered<snapshot::GraphDocument> done) {
    Arguments wanted = checkOf(book.toStdString(), textOf(book.toStdString()));
    wanted.stage = "text";
    wanted.model = "graph";
    wanted.texts.push_back({wanted.model, text});
    send<snapshot::GraphDocument>(wanted, std::move(done));
}

void Document::askDrawing(const QString& book, int line, int column,
                          Then<snapshot::DrawingDocument> done) {
    const std::string path = book.toStdString();
    Arguments wanted = checkOf(path, textOf(path));
    wanted.position = snapshot::TextPlace{path, line, column};
    send<snapshot::DrawingDocument>(wanted, orNull(std::move(done)));
}

// With all that acts, and the book as it is typed.
Arguments Document::askedAt(const std::string& book, int line, int column) const {
    Arguments out = argumentsFor(inputs());
    const bool known = std::find(out.rules.begin(), out.rules.end(), book) != out.rules.end();
    if (const std::string* text = textOf(book)) {
        if (!known)
            out.rules.push_back(book);
        std::erase_if(out.texts, [&](const auto& source) { return source.file == book; });
        out.texts.push_back({book, *text});
    }
    out.position = snapshot::TextPlace{book, line, column};
    return out;
}

void Document::askProbe(const QString& book, int line, int column, snapshot::NodeId node,
                        Then<snapshot::ProbeDocument> done) {
    Arguments wanted = askedAt(book.toStdString(), line, column);
    wanted.nodes = {"#" + std::to_string(node)};
    sendLatest<snapshot::ProbeDocument>(m_probeRequest, wanted, orNull(std::move(done)));
}

void Document::askUses(const QString& book, int line, int column,
                       Then<snapshot::UsesDocument> done) {
    Arguments wanted = askedAt(book.toStdString(), line, column);
    send<snapshot::UsesDocument>(wanted, orNull(std::move(done)));
}

void Document::askBody(const std::string& path, Answered<snapshot::GraphDocument> done) {
    Arguments wanted = arguments();
    wanted.body = path;
    send<snapshot::GraphDocument>(wanted, std::move(done));
}

void Document::askFormat(const QString& path, const QString& text,
                         Then<snapshot::FormatDocument> done) {
    Arguments wanted;
    wanted.book = path.toStdString();
    wanted.texts.push_back({wanted.book, text.toStdString()});
    send<snapshot::FormatDocument>(
        wanted, orProblem<snapshot::FormatDocument>([=, this](const auto& laidOut) {
            if (const auto error = firstError(laidOut->diagnostics))
                Q_EMIT problem(*error);
            else
                done(laidOut);
        }));
}

void Document::askBook(const QString& name, Then<snapshot::BookDocument> done) {
    Arguments wanted;
    wanted.name = name.toStdString();
    send<snapshot::BookDocument>(wanted, orProblem(std::move(done)));
}

} // namespace fw::ui
