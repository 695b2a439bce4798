#include "app/window/document_books.h"

#include "app/window/questions.h"
#include "base/declaration_kind.h"
#include "views/editor/book_text.h"

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
               return !isKind(item.kind, Declares::Test) && hasErrors(item.diagnostics);
           });
}

void makeOld(TextMatches& matches) {
    matches.state = State::Stale;
    matches.importedOld = matches.rewrittenOld = true;
}

bool bringsOperators(const snapshot::CheckDocument& check) {
    return std::any_of(check.items.begin(), check.items.end(),
                       [](const auto& item) { return isKind(item.kind, Declares::Op); });
}

} // namespace

Arguments argumentsOf(const snapshot::Inputs& inputs) {
    Arguments out;
    out.model = inputs.model;
    out.target = inputs.fullTarget();
    out.rules = inputs.enabledBooks();
    out.without = inputs.without;
    out.leftOut = inputs.leftOut;
    out.pins = inputs.pinText();
    out.dims = inputs.dims;
    out.types = inputs.types;
    out.log = inputs.log;
    return out;
}

DocumentBooks::DocumentBooks(KeptParts& parts, Questions& questions,
                             const DeclaredLibraries& libraries, QObject* parent)
    : QObject(parent), m_parts(parts), m_questions(questions), m_libraries(libraries) {}

Arguments DocumentBooks::argumentsFor(const snapshot::Inputs& inputs) const {
    Arguments out = argumentsOf(inputs);
    out.agreed = m_libraries.agreed();
    for (const std::string& path : out.rules)
        if (const auto found = m_texts.find(path); found != m_texts.end())
            out.texts.push_back({path, found->second});
    return out;
}

// What is typed, whether right or not; else what acts. nullptr: as on disk.
const std::string* DocumentBooks::textOf(const std::string& path) const {
    if (const auto typed = m_typed.find(path);
        typed != m_typed.end() && !typed->second.text.empty())
        return &typed->second.text;
    const auto acting = m_texts.find(path);
    return acting == m_texts.end() ? nullptr : &acting->second;
}

// What the books beside it declare is known to it.
Arguments DocumentBooks::checkOf(const std::string& path, const std::string* text) const {
    Arguments out;
    out.book = path;
    out.rules = m_parts.inputs().enabledBooks();
    if (std::find(out.rules.begin(), out.rules.end(), path) == out.rules.end())
        out.rules.push_back(path);
    for (const std::string& book : out.rules)
        if (const std::string* beside = textOf(book); beside != nullptr && book != path)
            out.texts.push_back({book, *beside});
    if (text != nullptr)
        out.texts.push_back({path, *text});
    return out;
}

bool DocumentBooks::holds(const std::string& path) const {
    return std::any_of(m_parts.inputs().books.begin(), m_parts.inputs().books.end(),
                       [&](const auto& book) { return book.path == path; });
}

const std::string* DocumentBooks::actingText(const QString& path) const {
    const auto found = m_texts.find(path.toStdString());
    return found == m_texts.end() ? nullptr : &found->second;
}

void DocumentBooks::cancelText(const std::string& path) {
    if (const auto found = m_typed.find(path); found != m_typed.end())
        for (const std::int64_t id : std::exchange(found->second.requests, {}))
            m_questions.cancel(id);
}

bool DocumentBooks::isTyped(const std::string& path, std::uint64_t generation) const {
    const auto found = m_typed.find(path);
    return found != m_typed.end() && found->second.generation == generation;
}

QStringList DocumentBooks::declaredTargets() const {
    QStringList out;
    for (const std::string& book : m_parts.inputs().enabledBooks())
        if (const auto check = m_parts.kept().checks.find(book);
            check != m_parts.kept().checks.end() && check->second)
            for (const auto& item : check->second->items)
                if (isKind(item.kind, Declares::Target) && item.verdict == "ok")
                    out += QString::fromStdString(item.name);
    out.removeDuplicates();
    return out;
}

void DocumentBooks::forgetTyped() {
    m_oldChecks.clear();
    m_typed.clear();
}

void DocumentBooks::beginText(const QString& path, const QString& text) {
    m_texts[path.toStdString()] = text.toStdString();
}

void DocumentBooks::textEdited(const QString& path) {
    cancelText(path.toStdString());
    if (m_parts.takesPart(path.toStdString()) && (m_parts.stateOf(Part::Plan).request.isAsked() ||
                                                  m_parts.stateOf(Part::Fused).request.isAsked()))
        Q_EMIT planInTheWay();
}

void DocumentBooks::setText(const QString& path, const QString& text, OnDisk disk) {
    const std::string file = path.toStdString();
    const std::string now = text.toStdString();
    cancelText(file);
    const std::uint64_t generation = ++m_generation;
    m_typed[file] = {now, generation, {}, false};
    const Arguments wanted = checkOf(file, &now);
    m_typed[file].requests.insert(m_questions.send<snapshot::CheckDocument>(
        wanted, [=, this](Answer<snapshot::CheckDocument> answer) {
            if (!isTyped(file, generation))
                return; // typed on, or thrown away
            if (!answer) {
                m_typed.erase(file); // the next key press asks again
                if (auto found = m_parts.kept().textMatches.find(file);
                    found != m_parts.kept().textMatches.end())
                    makeOld(found->second);
                m_parts.tell(Part::TextMatches);
                return;
            }
            m_parts.kept().checks[file] = answer.take();
            if (isWrong(*m_parts.kept().checks[file]))
                textIsWrong(file);
            else
                textIsRight(file, now, disk, bringsOperators(*m_parts.kept().checks[file]));
            m_parts.tell({Part::Checks, Part::BrokenTexts});
            Q_EMIT checked();
        }));
}

void DocumentBooks::textIsWrong(const std::string& path) {
    m_parts.kept().brokenTexts.insert(path);
    if (auto found = m_parts.kept().textMatches.find(path);
        found != m_parts.kept().textMatches.end())
        makeOld(found->second);
    m_parts.tell({Part::TextMatches, Part::BrokenTexts});
    if (!m_parts.takesPart(path))
        return;
    for (const Part part : {Part::Fused, Part::Plan})
        if (m_parts.state(part) == State::Ready || m_parts.state(part) == State::Stale)
            m_parts.setPart(part, State::Stale);
}

void DocumentBooks::textIsRight(const std::string& path, const std::string& text, OnDisk disk,
                                bool importing) {
    m_parts.kept().brokenTexts.erase(path);
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
        for (const auto& [book, check] :
             m_parts.kept().checks) // they may name what this one declares
            if (book != path)
                m_oldChecks.insert(book);
    }
    if (!m_parts.isOpen())
        return;
    askTextMatches(path);
    // What was cancelled, greyed or lost with the worker meanwhile is asked again.
    const bool lost = m_parts.state(Part::Plan) == State::Error &&
                      m_parts.error(Part::Plan).code == DiagCode::WorkerDied;
    if (m_parts.takesPart(path) && (!same || lost || m_parts.state(Part::Plan) == State::Stale))
        Q_EMIT planIsOld(path, importing);
}

void DocumentBooks::showShipped(const QString& file) {
    cancelText(file.toStdString());
    m_typed[file.toStdString()] = {{}, ++m_generation, {}, true};
    if (m_parts.isOpen())
        askTextMatches(file.toStdString());
}

void DocumentBooks::askTextMatches(const std::string& path) {
    const QString file = QString::fromStdString(path);
    Typed& typed = m_typed[path];
    m_parts.kept().textMatches[path].state = State::Busy;
    m_parts.kept().textMatches[path].asked = 2;
    for (const char* stage : {"imported", "rewritten"}) {
        Arguments wanted = argumentsFor(m_parts.inputs()); // the graphs are those that are shown
        wanted.book = path;
        std::erase_if(wanted.texts, [&](const auto& source) { return source.file == path; });
        if (path.find('/') != std::string::npos) // else shipped
            wanted.texts.push_back({path, typed.text});
        wanted.stage = stage;
        wanted.limit = matchLimit;
        wanted.seconds = matchSeconds;
        const bool imported = wanted.stage == "imported";
        typed.requests.insert(m_questions.send<snapshot::MatchDocument>(
            wanted,
            [=, this, generation = typed.generation](Answer<snapshot::MatchDocument> answer) {
                if (!isTyped(path, generation))
                    return;
                TextMatches& mine = m_parts.kept().textMatches[path];
                const bool found = answer.ok();
                if (found)
                    (imported ? mine.imported : mine.rewritten) = answer.take();
                (imported ? mine.importedOld : mine.rewrittenOld) = !found;
                mine.asked = std::max(0, mine.asked - 1);
                mine.state = mine.asked > 0                          ? State::Busy
                             : mine.importedOld || mine.rewrittenOld ? State::Stale
                                                                     : State::Ready;
                m_parts.tell(Part::TextMatches);
            }));
    }
}

// The nodes that books find are those of the graph that is made now.
void DocumentBooks::askMatches(const std::string& but) {
    for (const auto& [path, typed] : m_typed)
        if (path != but && typed.right)
            askTextMatches(path);
}

void DocumentBooks::askChecks() {
    const auto gone = std::erase_if(m_parts.kept().checks, [&](const auto& check) {
        return !m_typed.contains(check.first) && !holds(check.first);
    });
    if (gone > 0) {
        m_parts.tell(Part::Checks);
        Q_EMIT checked();
    }
    for (const auto& book : m_parts.inputs().books) {
        if (m_parts.kept().checks.contains(book.path) && m_oldChecks.erase(book.path) == 0)
            continue;
        const std::string* text = textOf(book.path);
        m_questions.send<snapshot::CheckDocument>(
            checkOf(book.path, text),
            m_parts.ofThisPlan<snapshot::CheckDocument>(
                [this, path = book.path, asked = text == nullptr ? std::string() : *text](
                    Answer<snapshot::CheckDocument> answer) {
                    const std::string* now = textOf(path);
                    if (now != nullptr && *now != asked)
                        return; // what is typed now is asked for by itself
                    if (!answer) {
                        auto failed = std::make_shared<snapshot::CheckDocument>();
                        failed->file = path;
                        failed->diagnostics = {answer.diag()};
                        m_parts.kept().checks[path] = failed;
                        m_oldChecks.insert(path);
                    } else {
                        m_parts.kept().checks[path] = answer.take();
                    }
                    m_parts.tell(Part::Checks);
                    Q_EMIT checked();
                }));
    }
}

void DocumentBooks::dropText(const QString& path) {
    const std::string file = path.toStdString();
    cancelText(file);
    m_typed.erase(file);
    m_parts.kept().brokenTexts.erase(file);
    m_parts.kept().textMatches.erase(file);
    m_parts.kept().checks.erase(file);
    const bool acted = m_texts.erase(file) > 0;
    m_parts.tell(Part::TextMatches);
    m_parts.tell(Part::Checks);
    if (m_parts.takesPart(file) && (acted || m_parts.state(Part::Plan) == State::Stale))
        Q_EMIT planIsOld({}, true);
    else if (m_parts.isOpen())
        askChecks();
}

void DocumentBooks::releaseText(const QString& path) {
    const std::string file = path.toStdString();
    const auto acting = m_texts.find(file);
    cancelText(file);
    m_typed.erase(file);
    m_parts.kept().textMatches.erase(file);
    if (!holds(file) && m_parts.kept().checks.erase(file) > 0)
        m_parts.tell(Part::Checks);
    if (acting == m_texts.end())
        return;
    Q_EMIT released(file, acting->second);
    m_texts.erase(acting);
}

void DocumentBooks::renameText(const QString& before, const QString& now) {
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
    move(m_parts.kept().checks);
    move(m_parts.kept().textMatches);
    if (m_parts.kept().brokenTexts.erase(from))
        m_parts.kept().brokenTexts.insert(to);
}

void DocumentBooks::reread(const QString& path) {
    const std::string file = path.toStdString();
    m_texts.erase(file);
    m_parts.kept().checks.erase(file);
    Q_EMIT fileChanged();
    if (m_parts.takesPart(file))
        Q_EMIT planIsOld({}, true);
}

// --- what is asked of a place, or of a text

void DocumentBooks::assist(const QString& path, const QString& text, int line, int column,
                           Then<snapshot::AssistDocument> done,
                           const std::vector<snapshot::BookSource>& beside) {
    const std::string file = path.toStdString();
    Arguments wanted = argumentsFor(m_parts.inputs());
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
    m_questions.sendLatest<snapshot::AssistDocument>(m_assistRequest, wanted,
                                                     [=](Answer<snapshot::AssistDocument> answer) {
                                                         if (answer)
                                                             done(answer.take());
                                                     });
}

void DocumentBooks::askGraph(const std::string& text, const QString& book,
                             Answered<snapshot::GraphDocument> done) {
    Arguments wanted = checkOf(book.toStdString(), textOf(book.toStdString()));
    wanted.stage = "text";
    wanted.model = "graph";
    wanted.texts.push_back({wanted.model, text});
    m_questions.send<snapshot::GraphDocument>(wanted, std::move(done));
}

void DocumentBooks::askDrawing(const QString& book, int line, int column,
                               Then<snapshot::DrawingDocument> done) {
    const std::string path = book.toStdString();
    Arguments wanted = checkOf(path, textOf(path));
    wanted.position = snapshot::TextPlace{path, line, column};
    m_questions.send<snapshot::DrawingDocument>(wanted, orNull(std::move(done)));
}

// With all that acts, and the book as it is typed.
Arguments DocumentBooks::askedAt(const std::string& book, int line, int column) const {
    Arguments out = argumentsFor(m_parts.inputs());
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

void DocumentBooks::askProbe(const QString& book, int line, int column, snapshot::NodeId node,
                             Then<snapshot::ProbeDocument> done) {
    Arguments wanted = askedAt(book.toStdString(), line, column);
    wanted.nodes = {"#" + std::to_string(node)};
    m_questions.sendLatest<snapshot::ProbeDocument>(m_probeRequest, wanted,
                                                    orNull(std::move(done)));
}

void DocumentBooks::askUses(const QString& book, int line, int column,
                            Then<snapshot::UsesDocument> done) {
    Arguments wanted = askedAt(book.toStdString(), line, column);
    m_questions.send<snapshot::UsesDocument>(wanted, orNull(std::move(done)));
}

// The books are those of the plan: what takes no part in it has done nothing.
void DocumentBooks::askCame(const QString& book, int line, Then<snapshot::UsesDocument> done) {
    const std::string path = book.toStdString();
    Arguments wanted = argumentsFor(m_parts.inputs());
    if (const std::string* text = textOf(path)) {
        std::erase_if(wanted.texts, [&](const auto& source) { return source.file == path; });
        wanted.texts.push_back({path, *text});
    }
    wanted.position = snapshot::TextPlace{path, line, 0};
    m_questions.sendLatest<snapshot::UsesDocument>(m_cameRequest, wanted, orNull(std::move(done)));
}

void DocumentBooks::askFormat(const QString& path, const QString& text,
                              Then<snapshot::FormatDocument> done) {
    Arguments wanted;
    wanted.book = path.toStdString();
    wanted.texts.push_back({wanted.book, text.toStdString()});
    m_questions.send<snapshot::FormatDocument>(
        wanted, m_parts.orProblem<snapshot::FormatDocument>([=, this](const auto& laidOut) {
            if (const auto error = firstError(laidOut->diagnostics))
                Q_EMIT m_parts.problem(*error);
            else
                done(laidOut);
        }));
}

void DocumentBooks::askShipped(const QString& name, Then<snapshot::BookDocument> done) {
    Arguments wanted;
    wanted.name = name.toStdString();
    m_questions.send<snapshot::BookDocument>(wanted, m_parts.orProblem(std::move(done)));
}

} // namespace fw::ui
