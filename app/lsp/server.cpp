#include "app/lsp/server.h"

#include "app/lsp/answers.h"
#include "app/lsp/checks.h"
#include "app/rpc/endpoint.h"
#include "session/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <unistd.h>
#include <utility>

namespace fw::lsp {

using namespace snapshot;
using rpc::Request;

namespace {

// Requests come from the thread that reads; whatever takes its time is asked of another process by
// another thread, which has a copy of what it needs.
class Server {
public:
    Server(Arguments always, int output)
        : m_always(std::move(always)), m_endpoint(STDIN_FILENO, output, rpc::Framing::Headers),
          m_checks(m_always, [this](const Checked& checked, const Documents& all) {
              publish(*checked.document, diagnosticsOf(checked, all, m_client));
          }) {
        m_endpoint.request = [this](const Request& request) { take(request); };
        m_endpoint.notification = [this](const std::string& method, const Json& params) {
            take(method, params);
        };
    }

    Result<int> run() {
        FW_CHECK(m_endpoint.run());
        return m_state == State::ShutDown ? 0 : 1;
    }

private:
    enum class State : std::uint8_t { New, Ready, ShutDown };
    using Answer = void (Server::*)(const Request&);
    using Take = void (Server::*)(const Json&);

    void take(const Request& request) {
        static const std::map<std::string_view, Answer> methods = {
            {"shutdown", &Server::shutDown},
            {"textDocument/completion", &Server::complete},
            {"textDocument/hover", &Server::hover},
            {"textDocument/definition", &Server::define},
            {"textDocument/references", &Server::refer},
            {"textDocument/documentSymbol", &Server::list},
            {"textDocument/codeAction", &Server::mend},
            {"textDocument/formatting", &Server::layOut},
        };
        if (m_state == State::ShutDown)
            return request.refuse({rpc::InvalidRequest, "the server was shut down"});
        if (request.method() == "initialize")
            return m_state == State::New
                       ? initialize(request)
                       : request.refuse({rpc::InvalidRequest, "initialize was asked before"});
        if (m_state == State::New)
            return request.refuse({rpc::ServerNotInitialized, "initialize comes first"});
        const auto method = methods.find(request.method());
        if (method == methods.end())
            return request.refuse(
                {rpc::MethodNotFound, fmt::format("there is no method {}", request.method())});
        (this->*method->second)(request);
    }

    void take(const std::string& method, const Json& params) {
        static const std::map<std::string_view, Take> methods = {
            {"textDocument/didOpen", &Server::open},
            {"textDocument/didChange", &Server::change},
            {"textDocument/didClose", &Server::close},
            {"textDocument/didSave", &Server::readAnew},
            {"workspace/didChangeWatchedFiles", &Server::readAnew},
            {"$/cancelRequest", &Server::cancel},
        };
        if (method == "exit")
            return m_endpoint.stop();
        const auto found = methods.find(method);
        if (m_state == State::Ready && found != methods.end())
            (this->*found->second)(params);
    }

    void initialize(const Request& request) {
        m_client = Client(request.params().at("capabilities"));
        m_state = State::Ready;
        const Json sync = {{"openClose", true}, {"change", 2}, {"save", true}};
        request.answer(
            {{"serverInfo", {{"name", "fw"}, {"version", programVersion}}},
             {"capabilities",
              {{"positionEncoding", m_client.encoding == Encoding::Utf8 ? "utf-8" : "utf-16"},
               {"textDocumentSync", sync},
               {"completionProvider", Json::object()},
               {"hoverProvider", true},
               {"definitionProvider", true},
               {"referencesProvider", true},
               {"documentSymbolProvider", true},
               {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
               {"documentFormattingProvider", true}}}});
    }

    void shutDown(const Request& request) {
        m_state = State::ShutDown;
        request.answer(nullptr);
    }

    void cancel(const Json& params) {
        m_endpoint.cancel(params.at("id"), rpc::Endpoint::Told::Yes);
    }

    // --- texts

    void open(const Json& params) {
        const Json& item = params.at("textDocument");
        hold(item.at("uri"), item.at("version"), item.at("text"));
    }

    // Each change is of the text that the one before it left.
    void change(const Json& params) {
        const std::string uri = params.at("textDocument").at("uri");
        const std::int64_t version = params.at("textDocument").at("version");
        const DocumentPtr before = m_documents.find(uri);
        if (!before)
            return;
        std::string text = before->text.text();
        for (const Json& change : params.at("contentChanges")) {
            std::string piece = change.at("text");
            if (const auto where = change.find("range"); where != change.end()) {
                const Range range = rangeOf(*where);
                const Text now(text, m_client.encoding);
                const std::size_t begin = now.offset(range.start),
                                  end = std::max(begin, now.offset(range.end));
                text.replace(begin, end - begin, piece);
            } else {
                text = std::move(piece);
            }
            if (text.size() > rpc::longestMessage) // the engine refuses far less, and says so
                text.resize(rpc::longestMessage);
        }
        hold(uri, version, std::move(text));
    }

    void hold(const std::string& uri, std::int64_t version, std::string text) {
        m_documents.put(
            std::make_shared<Document>(uri, version, std::move(text), m_client.encoding));
        m_checks.changed(m_documents, uri);
    }

    void close(const Json& params) {
        const std::string uri = params.at("textDocument").at("uri");
        const DocumentPtr closed = m_documents.find(uri);
        if (!closed)
            return;
        m_documents.remove(uri);
        m_checks.changed(m_documents, uri);
        publish(*closed, Json::array());
    }

    // What is included may have changed.
    void readAnew(const Json&) { m_checks.changed(m_documents, {}); }

    void publish(const Document& document, Json diagnostics) {
        m_endpoint.notify("textDocument/publishDiagnostics",
                          {{"uri", document.uri},
                           {"version", document.version},
                           {"diagnostics", std::move(diagnostics)}});
    }

    // --- questions about a text

    // nullptr: it is not open, and the request is refused.
    DocumentPtr documentOf(const Request& request) {
        const std::string uri = request.params().at("textDocument").at("uri");
        DocumentPtr found = m_documents.find(uri);
        if (!found)
            request.refuse({rpc::InvalidParams, fmt::format("{} is not open", uri)});
        return found;
    }

    template <class T>
    void ask(const Request& request, Arguments question, std::function<Json(const T&)> answer) {
        m_questions.ask(request.cancel(), [=, question = std::move(question)](Worker& worker) {
            const Result<T> found = worker.ask<T>(question, request.cancel());
            if (found)
                request.answer(answer(*found));
            else
                request.refuse(found.diag());
        });
    }

    // What there is to say about the place of a request.
    void
    assist(const Request& request,
           std::function<Json(const AssistDocument&, const Document&, const Documents&)> answer) {
        const Position position = positionIn(request.params());
        const DocumentPtr document = documentOf(request);
        if (!document)
            return;
        Arguments question = m_documents.question(m_always, *document);
        const TextPlaces::LineColumn place = document->text.place(position);
        question.position = TextPlace{document->file, place.line, place.column};
        ask<AssistDocument>(request, std::move(question),
                            [=, all = m_documents](const AssistDocument& found) {
                                return answer(found, *document, all);
                            });
    }

    void complete(const Request& request) {
        const Position position = positionIn(request.params());
        assist(request,
               [=, client = m_client](const auto& found, const auto& document, const auto&) {
                   return completionsOf(found, document, position, client);
               });
    }

    void hover(const Request& request) {
        assist(request, [](const auto& found, const auto& document, const auto&) {
            return hoverOf(found, document);
        });
    }

    void define(const Request& request) {
        assist(request,
               [encoding = m_client.encoding](const auto& found, const auto&,
                                              const auto& all) -> Json {
                   if (!found.definition)
                       return nullptr;
                   return Locations(all, encoding).of(*found.definition);
               });
    }

    void refer(const Request& request) {
        const bool withItself = request.params().at("context").at("includeDeclaration");
        assist(request,
               [withItself, encoding = m_client.encoding](const auto& found, const auto&,
                                                          const auto& all) -> Json {
                   Locations locations(all, encoding);
                   Json out = Json::array();
                   for (const LocationRecord& one : found.references) {
                       if (!withItself && one == found.definition)
                           continue;
                       if (Json place = locations.of(one); !place.is_null())
                           out.push_back(std::move(place));
                   }
                   return out;
               });
    }

    void list(const Request& request) {
        if (const DocumentPtr document = documentOf(request))
            request.answer(symbolsOf(*document, m_client));
    }

    void mend(const Request& request) {
        const Range range = rangeOf(request.params().at("range"));
        const Json& context = request.params().at("context");
        const DocumentPtr document = documentOf(request);
        if (!document)
            return;
        const Json only = context.value("only", Json::array({"quickfix"}));
        const bool isWanted = std::any_of(only.begin(), only.end(), [](const Json& kind) {
            return kind == "quickfix" ||
                   (kind.is_string() && kind.get_ref<const std::string&>().empty());
        });
        if (!isWanted || document->isShipped())
            return request.answer(Json::array());
        m_checks.whenChecked(document->uri, [request, range,
                                             client = m_client](const Checked* checked) {
            request.answer(checked == nullptr ? Json::array() : actionsOf(*checked, range, client));
        });
    }

    void layOut(const Request& request) {
        const DocumentPtr document = documentOf(request);
        if (!document)
            return;
        if (document->isShipped())
            return request.answer(Json::array());
        ask<FormatDocument>(
            request, m_documents.question(m_always, *document),
            [document](const FormatDocument& laidOut) { return editsOf(laidOut, *document); });
    }

    Arguments m_always;
    rpc::Endpoint m_endpoint;
    State m_state = State::New;
    Client m_client;
    Documents m_documents;
    Questions m_questions;
    Checks m_checks;
};

} // namespace

Result<int> serve(const Arguments& always) {
    const int output = rpc::takeStandardOutput();
    Arguments known = always;
    for (std::string& book : known.rules)
        book = std::filesystem::absolute(book).lexically_normal().string();
    return Server(std::move(known), output).run();
}

} // namespace fw::lsp
