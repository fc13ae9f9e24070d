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
            JSONMember("message", .string(self.message)),
            JSONMember("domain", .string(self.domain)),
            JSONMember("reason", .string(self.reason)),
        ]
        if let location {
            item.append(JSONMember("location", .string(location.name)))
            item.append(JSONMember("locationType", .string(location.type)))
        }
        var error = [
            JSONMember("code", .integer(Int64(self.status.code))),
            JSONMember("message", .string(self.message)),
            JSONMember("errors", .array([.object(item)])),
        ]
        if let statusName { error.append(JSONMember("status", .string(statusName))) }
        if let detail {
            error.append(
                JSONMember(
                    "details",
                    .array([
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
