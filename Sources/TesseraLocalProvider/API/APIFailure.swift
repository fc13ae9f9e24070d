// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON

/// An error answer with the body that Google's APIs send.
struct APIFailure: Error {
    var status: HTTPResponse.Status
    /// The canonical code, for example `NOT_FOUND`.
    var statusName: String?
    var reason: String
    var message: String
    var domain = "global"
    var location: (type: String, name: String)?
    /// The `reason` of a `google.rpc.ErrorInfo` detail.
    var detail: String?
    /// The API that refuses, in that detail.
    var service = "drive.googleapis.com"
    var challenge: String?

    var response: EndpointResponse {
        var item = [
            JSONMember(name: "message", value: .string(self.message)),
            JSONMember(name: "domain", value: .string(self.domain)),
            JSONMember(name: "reason", value: .string(self.reason)),
        ]
        if let location {
            item.append(JSONMember(name: "location", value: .string(location.name)))
            item.append(JSONMember(name: "locationType", value: .string(location.type)))
        }
        var error = [
            JSONMember(name: "code", value: .integer(Int64(self.status.code))),
            JSONMember(name: "message", value: .string(self.message)),
            JSONMember(name: "errors", value: .array([.object(item)])),
        ]
        if let statusName { error.append(JSONMember(name: "status", value: .string(statusName))) }
        if let detail {
            error.append(
                JSONMember(
                    name: "details",
                    value: .array([
                        [
                            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                            "reason": .string(detail),
                            "domain": "googleapis.com",
                            "metadata": ["service": .string(self.service)],
                        ]
                    ])
                )
            )
        }
        var response = EndpointResponse.json(["error": .object(error)], status: self.status)
        response.headers[.wwwAuthenticate] = self.challenge
        return response
    }

    static func invalid(_ parameter: String, _ message: String = "Invalid Value") -> APIFailure {
        APIFailure(
            status: .badRequest,
            statusName: "INVALID_ARGUMENT",
            reason: "invalid",
            message: message,
            location: ("parameter", parameter)
        )
    }

    static func notFound(_ id: String) -> APIFailure {
        APIFailure(
            status: .notFound,
            reason: "notFound",
            message: "File not found: \(id.prefix(200)).",
            location: ("parameter", "fileId")
        )
    }

    /// What the caller may see, but not do.
    static func forbidden(_ reason: String, _ message: String) -> APIFailure {
        APIFailure(status: .forbidden, statusName: "PERMISSION_DENIED", reason: reason, message: message)
    }

    /// A parameter or a member that the method needs is missing.
    static func required(_ name: String, _ message: String? = nil) -> APIFailure {
        APIFailure(
            status: .badRequest,
            statusName: "INVALID_ARGUMENT",
            reason: "required",
            message: message ?? "Required parameter: \(name)",
            location: ("parameter", name)
        )
    }

    static func badRequest(_ message: String) -> APIFailure {
        APIFailure(status: .badRequest, statusName: "INVALID_ARGUMENT", reason: "badRequest", message: message)
    }
}

extension APIFailure {
    /// Gmail's 400: an argument that cannot be.
    static func invalidArgument(_ message: String) -> APIFailure {
        APIFailure(
            status: .badRequest,
            statusName: "INVALID_ARGUMENT",
            reason: "invalidArgument",
            message: message
        )
    }

    /// Gmail's 404: there is no such message, thread, label or draft.
    static var entityNotFound: APIFailure {
        APIFailure(
            status: .notFound,
            statusName: "NOT_FOUND",
            reason: "notFound",
            message: "Requested entity was not found."
        )
    }
}

extension ProviderState {
    /// The token of a call to an API and its account, when the token is good for one of `scopes`.
    func apiToken(
        _ request: EndpointRequest,
        anyOf scopes: [String],
        service: String,
        at now: Int64
    ) throws(APIFailure) -> (AccessToken, LocalProviderAccount) {
        do throws(BearerRefusal) {
            let token = try self.bearer(request, anyOf: scopes, at: now)
            guard let account = self.account(token.subject) else { throw .invalidToken }
            return (token, account)
        } catch {
            throw self.refusal(error, service: service)
        }
    }

    private func refusal(_ refusal: BearerRefusal, service: String) -> APIFailure {
        switch refusal {
        case .noToken, .invalidToken:
            APIFailure(
                status: .unauthorized,
                statusName: "UNAUTHENTICATED",
                reason: refusal.isMissing ? "required" : "authError",
                message: refusal.isMissing
                    ? "Login Required." : "Invalid Credentials: the access token is expired, revoked or malformed.",
                location: ("header", "Authorization"),
                challenge: self.challenge(refusal)
            )
        case .insufficientScope:
            APIFailure(
                status: .forbidden,
                statusName: "PERMISSION_DENIED",
                reason: "insufficientPermissions",
                message: "Insufficient Permission: Request had insufficient authentication scopes.",
                detail: "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
                service: service,
                challenge: self.challenge(refusal)
            )
        }
    }
}

extension ProviderState.BearerRefusal {
    fileprivate var isMissing: Bool {
        if case .noToken = self { true } else { false }
    }
}
#endif
