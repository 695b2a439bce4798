#include "app/rpc/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fw::rpc {

namespace {

constexpr int deepest = 100;

bool isTooDeep(std::string_view text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '\\')
            ++i;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '[' || c == '{') && ++depth > deepest)
            return true;
        else if (!quoted && (c == ']' || c == '}'))
            --depth;
    }
    return false;
}

bool isId(const Json& id) {
    return id.is_string() || id.is_number_integer();
}

Message wrong(Json id, std::string why) {
    Message out;
    out.id = std::move(id);
    out.error = {InvalidRequest, std::move(why)};
    return out;
}

} // namespace

Json errorMessage(const Json& id, const Error& error, std::string_view reason) {
    Json body = {{"code", static_cast<int>(error.code)}, {"message", error.message}};
    if (!reason.empty())
        body["data"] = {{"code", reason}};
    return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(body)}};
}

Json resultMessage(const Json& id, Json result) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json notification(std::string_view method, Json params) {
    return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

Result<Json> parseJson(std::string_view text) {
    if (isTooDeep(text))
        return makeDiag(DiagCode::Syntax,
                        fmt::format("the message is nested more than {} deep", deepest));
    Json out = Json::parse(text, nullptr, false);
    if (out.is_discarded())
        return makeDiag(DiagCode::Syntax, "the message is no JSON in UTF-8");
    return out;
}

Message readMessage(Json message) {
    if (!message.is_object())
        return wrong(nullptr, "a message is an object");
    const auto id = message.find("id");
    const bool hasId = id != message.end();
    Json known = hasId && isId(*id) ? *id : Json();
    if (message.value("jsonrpc", Json()) != "2.0")
        return wrong(std::move(known), "a message says \"jsonrpc\": \"2.0\"");
    const auto method = message.find("method");
    Message out;
    if (method == message.end() && (message.contains("result") || message.contains("error"))) {
        out.kind = Message::Kind::Answer;
        return out;
    }
    if (method == message.end() || !method->is_string())
        return wrong(std::move(known), "a request has a method, which is text");
    if (hasId && known.is_null())
        return wrong(nullptr, "the id of a request is a text or a whole number");
    if (const auto params = message.find("params"); params != message.end()) {
        if (!params->is_structured() && !params->is_null())
            return wrong(std::move(known), "params are an object or a list");
        if (!params->is_null())
            out.params = std::move(*params);
    }
    out.kind = hasId ? Message::Kind::Request : Message::Kind::Notification;
    out.id = std::move(known);
    out.method = method->get<std::string>();
    return out;
}

} // namespace fw::rpc
