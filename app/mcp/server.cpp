#include "app/mcp/server.h"

#include "app/mcp/calls.h"
#include "app/mcp/tools.h"
#include "app/rpc/endpoint.h"
#include "session/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace fw::mcp {

using rpc::Endpoint;
using rpc::Request;

namespace {

// The latest one first, which is offered to who knows none of them.
constexpr std::array<std::string_view, 3> versions = {"2025-06-18", "2025-03-26", "2024-11-05"};

class Server {
public:
    Server(Tools tools, int output)
        : m_tools(std::move(tools)), m_endpoint(STDIN_FILENO, output, rpc::Framing::Lines) {
        m_endpoint.request = [this](const Request& request) { take(request); };
        m_endpoint.notification = [this](const std::string& method, const Json& params) {
            if (method == "notifications/cancelled") // after which no answer is expected
                m_endpoint.cancel(params.at("requestId"), Endpoint::Told::No);
        };
    }

    Result<int> run() {
        FW_CHECK(m_endpoint.run());
        return 0;
    }

private:
    void take(const Request& request) {
        const std::string& method = request.method();
        if (method == "ping")
            return request.answer(Json::object());
        if (method == "initialize")
            return initialize(request);
        if (!m_isInitialized)
            return request.refuse({rpc::InvalidRequest, "initialize comes first"});
        if (method == "tools/list")
            return list(request);
        if (method == "tools/call")
            return call(request);
        request.refuse({rpc::MethodNotFound, fmt::format("there is no method {}", method)});
    }

    void initialize(const Request& request) {
        const std::string wanted = request.params().at("protocolVersion");
        const bool isKnown = std::find(versions.begin(), versions.end(), wanted) != versions.end();
        m_isInitialized = true;
        std::error_code error;
        const std::string folder = std::filesystem::current_path(error).string();
        request.answer(
            {{"protocolVersion", isKnown ? std::string_view(wanted) : versions.front()},
             {"capabilities", {{"tools", Json::object()}}},
             {"serverInfo", {{"name", "fw"}, {"version", programVersion}}},
             {"instructions",
              fmt::format(
                  "Each tool is a command of fw, a compiler for ONNX models that tells what "
                  "it fuses and why. Paths are relative to {}. An answer is the record that "
                  "the command prints with --json; the tool help describes the fields of "
                  "every record, and the codes of reasons and errors.",
                  folder)}});
    }

    void list(const Request& request) {
        if (request.params().contains("cursor"))
            return request.refuse({rpc::InvalidParams, "there is one page of tools"});
        request.answer({{"tools", listOf(m_tools)}});
    }

    void call(const Request& request) {
        const Json& params = request.params();
        const std::string name = params.at("name");
        const snapshot::CommandRow* tool = find(m_tools, name);
        if (tool == nullptr)
            return request.refuse({rpc::InvalidParams, fmt::format("there is no tool {}", name)});
        Result<std::vector<std::string>> words =
            wordsOf(*tool, params.value("arguments", Json::object()));
        if (!words)
            return request.answer(refusal(words.diag()));
        m_calls.ask(request, words.take(), progressOf(params, name));
    }

    Calls::Progress progressOf(const Json& params, const std::string& tool) {
        const Json::json_pointer place("/_meta/progressToken");
        if (!params.contains(place))
            return {};
        return [this, token = params[place], tool](int seconds) {
            m_endpoint.notify("notifications/progress",
                              {{"progressToken", token},
                               {"progress", seconds},
                               {"message", fmt::format("{} has taken {} s", tool, seconds)}});
        };
    }

    Tools m_tools;
    Endpoint m_endpoint;
    bool m_isInitialized = false;
    Calls m_calls;
};

} // namespace

Result<int> serve(const snapshot::Asked& asked) {
    FW_TRY(Tools tools, toolsNamed(asked.commands));
    return Server(std::move(tools), rpc::takeStandardOutput()).run();
}

} // namespace fw::mcp
