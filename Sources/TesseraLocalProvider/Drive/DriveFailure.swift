// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON

/// An error answer with the body that Google's APIs send.
struct DriveFailure: Error {
    var status: HTTPResponse.Status
    /// The canonical code, for example `NOT_FOUND`.
    var statusName: String?
    var reason: String
    var message: String
    var domain = "global"
    var location: (type: String, name: String)?
    /// The `reason` of a `google.rpc.ErrorInfo` detail.
    var detail: String?
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
                            "metadata": ["service": "drive.googleapis.com"],
                        ]
                    ])
                )
            )
        }
        var response = EndpointResponse.json(["error": .object(error)], status: self.status)
        response.headers[.wwwAuthenticate] = self.challenge
        return response
    }

    static func invalid(_ parameter: String, _ message: String = "Invalid Value") -> DriveFailure {
        DriveFailure(
            status: .badRequest,
            statusName: "INVALID_ARGUMENT",
            reason: "invalid",
            message: message,
            location: ("parameter", parameter)
        )
    }

    static func notFound(_ id: String) -> DriveFailure {
        DriveFailure(
            status: .notFound,
            reason: "notFound",
            message: "File not found: \(id.prefix(200)).",
            location: ("parameter", "fileId")
        )
    }

    static func badRequest(_ message: String) -> DriveFailure {
        DriveFailure(status: .badRequest, statusName: "INVALID_ARGUMENT", reason: "badRequest", message: message)
    }
}
#endif
