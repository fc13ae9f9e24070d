// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON

/// An error response in the format that Google's APIs use.
struct APIFailure: EndpointFailure {
    var status: HTTPResponse.Status
    var reason: String
    var message: String
    /// The canonical code, such as `NOT_FOUND`.
    var statusName: String?
    var domain: String
    var location: (type: String, name: String)?
    /// The `reason` in a `google.rpc.ErrorInfo` detail, and the API that returned the error.
    var detail: (reason: String, service: String)?
    var challenge: String?
    /// The number of seconds after which the client may retry.
    var retryAfter: Int?

    init(
        _ status: HTTPResponse.Status,
        _ reason: String,
        _ message: String,
        statusName: String? = nil,
        domain: String = "global",
        location: (type: String, name: String)? = nil,
        detail: (reason: String, service: String)? = nil,
        challenge: String? = nil
    ) {
        (self.status, self.reason, self.message, self.statusName) = (status, reason, message, statusName)
        (self.domain, self.location, self.detail, self.challenge) = (domain, location, detail, challenge)
    }

    var response: ProviderResponse {
        let item = JSONNode.members([
            "message": self.message, "domain": self.domain, "reason": self.reason, "location": self.location?.name,
            "locationType": self.location?.type,
        ])
        let details = self.detail.map { detail in
            [
                JSONNode.members([
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": detail.reason,
                    "domain": "googleapis.com", "metadata": JSONNode.members(["service": detail.service]),
                ])
            ]
        }
        let error = JSONNode.members([
            "code": self.status.code, "message": self.message, "errors": [item], "status": self.statusName,
            "details": details,
        ])
        var response = ProviderResponse.json(["error": error], status: self.status)
        response.headers[.wwwAuthenticate] = self.challenge
        response.headers[.retryAfter] = self.retryAfter.map(String.init)
        return response
    }

    /// Returns a 400 response with the canonical code `INVALID_ARGUMENT`.
    private static func argument(_ reason: String, _ message: String, parameter: String? = nil) -> APIFailure {
        APIFailure(
            .badRequest,
            reason,
            message,
            statusName: "INVALID_ARGUMENT",
            location: parameter.map { ("parameter", $0) }
        )
    }

    static func invalid(_ parameter: String, _ message: String = "Invalid Value") -> APIFailure {
        .argument("invalid", message, parameter: parameter)
    }

    /// Returns an error for a missing parameter or member.
    static func required(_ name: String, _ message: String? = nil) -> APIFailure {
        .argument("required", message ?? "Required parameter: \(name)", parameter: name)
    }

    static func badRequest(_ message: String) -> APIFailure { .argument("badRequest", message) }

    static func parseError(_ message: String) -> APIFailure { .argument("parseError", message) }

    /// Returns Gmail's error for an invalid argument.
    static func invalidArgument(_ message: String) -> APIFailure { .argument("invalidArgument", message) }

    static func notFound(_ id: String) -> APIFailure {
        let message = "File not found: \(id.prefix(200))."
        return APIFailure(.notFound, "notFound", message, location: ("parameter", "fileId"))
    }

    /// Returns Gmail's 404 error for an unknown message, thread, label or draft.
    static var entityNotFound: APIFailure {
        APIFailure(.notFound, "notFound", "Requested entity was not found.", statusName: "NOT_FOUND")
    }

    /// Returns an error for an operation that the caller may not perform.
    static func forbidden(_ reason: String, _ message: String) -> APIFailure {
        APIFailure(.forbidden, reason, message, statusName: "PERMISSION_DENIED")
    }
}

extension ProviderState {
    func failure(_ refusal: BearerRefusal, service: String) -> APIFailure {
        var failure =
            switch refusal {
            case .noToken:
                APIFailure(.unauthorized, "required", "Login Required.", statusName: "UNAUTHENTICATED")
            case .invalidToken:
                APIFailure(.unauthorized, "authError", Self.invalidCredentials, statusName: "UNAUTHENTICATED")
            case .insufficientScope:
                APIFailure.forbidden("insufficientPermissions", Self.insufficientPermission)
            }
        if case .insufficientScope = refusal {
            failure.detail = ("ACCESS_TOKEN_SCOPE_INSUFFICIENT", service)
        } else {
            failure.location = ("header", "Authorization")
        }
        failure.challenge = self.challenge(refusal)
        return failure
    }

    private static let invalidCredentials = "Invalid Credentials: the access token is expired, revoked or malformed."
    private static let insufficientPermission =
        "Insufficient Permission: Request had insufficient authentication scopes."
}
#endif
