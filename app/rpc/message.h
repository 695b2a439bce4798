// JSON-RPC 2.0 as the protocols of editors and of agents use it: what a message is, and what is
// answered to one that is none.
#pragma once

#include "base/result.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace fw::rpc {

using Json = nlohmann::json;

// Of an error: those of JSON-RPC, then those that the Language Server Protocol adds.
enum Code : int {
    ParseError = -32700,
    InvalidRequest = -32600,
    MethodNotFound = -32601,
    InvalidParams = -32602,
    InternalError = -32603,
    ServerNotInitialized = -32002,
    RequestCancelled = -32800,
    RequestFailed = -32803,
};

struct Error {
    Code code = InternalError;
    std::string message;
};
// What the engine says of a question that it refuses: its code is `data` of the message.
Json errorMessage(const Json& id, const Error& error, std::string_view reason = {});
Json resultMessage(const Json& id, Json result);
Json notification(std::string_view method, Json params);

struct Message {
    enum class Kind : std::uint8_t { Request, Notification, Answer, Wrong };
    Kind kind = Kind::Wrong;
    Json id; // of a wrong one null, if it cannot be told
    std::string method;
    Json params = Json::object();
    Error error; // of a wrong one
};

// Text as JSON. Syntax: it is none, is no UTF-8, or is nested too deeply.
Result<Json> parseJson(std::string_view text);
Message readMessage(Json message);

} // namespace fw::rpc
