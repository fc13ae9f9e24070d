// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import HTTPTypes
internal import Tessera
internal import TesseraJSON

/// Writes a response to standard output or a file as it arrives.
struct ResponseOutput {
    let file: String?
    let includesHead: Bool
    /// The maximum size of a body that is included in the `--json` object.
    private static let limit = 16 << 20

    /// Writes the header if requested, followed by the unchanged body.
    func write(_ response: HTTPResponse, _ body: HTTPBody) async throws {
        let sink = try await OutputFile.open(self.file)
        if self.includesHead { try await sink.write(Array(Self.head(response).utf8)) }
        for try await chunk in body { try await sink.write(chunk) }
        try await sink.finish()
    }

    /// Writes an object with the status, the header fields, and either the body or its file.
    func writeJSON(_ response: HTTPResponse, _ body: HTTPBody) async throws {
        var members = [
            JSONMember(name: "status", value: .integer(Int64(response.status.code))),
            JSONMember(name: "reason", value: .string(response.status.phrase)),
            JSONMember(
                name: "headers",
                value: .array(
                    response.headerFields.map { ["name": .string($0.name.rawName), "value": .string($0.value)] }
                )
            ),
        ]
        if let file, file != "-" {
            let sink = try await OutputFile.open(file)
            var count: Int64 = 0
            for try await chunk in body {
                try await sink.write(chunk)
                count += Int64(chunk.count)
            }
            try await sink.finish()
            members.append(JSONMember(name: "file", value: .string(file)))
            members.append(JSONMember(name: "bytes", value: .integer(count)))
        } else {
            let bytes = try await body.collect(upTo: Self.limit)
            if let text = String(validating: bytes, as: UTF8.self) {
                members.append(JSONMember(name: "body", value: .string(text)))
            } else {
                members.append(JSONMember(name: "bodyBase64", value: .string(Data(bytes).base64EncodedString())))
            }
        }
        if response.status.code >= 400, case .object(let error) = ErrorReport(ResponseFailure.error(response)).json {
            members += error
        }
        try await OutputFile.open(nil).write(Console.line(json: .object(members)))
    }

    /// Writes an object with the status and the downloaded file.
    static func writeJSON(_ response: HTTPResponse, file: String) async throws {
        let length = try await FileBytes.blocking { FileBytes.length(of: file) }
        let object: JSONNode = [
            "status": .integer(Int64(response.status.code)), "reason": .string(response.status.phrase),
            "file": .string(file), "bytes": length.map { .integer($0) } ?? .null,
        ]
        try await OutputFile.open(nil).write(Console.line(json: object))
    }

    /// Returns the header as curl prints it, except that the version is always 1.1.
    private static func head(_ response: HTTPResponse) -> String {
        let lines =
            ["HTTP/1.1 \(response.status.code) \(response.status.phrase)"]
            + response.headerFields.map { "\($0.name.rawName): \($0.value)" }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }
}

/// Maps a response's status to an exit code.
enum ResponseFailure {
    /// Returns the error for a response with a status of 400 or higher.
    static func error(_ response: HTTPResponse) -> any ErrorGuidance {
        let code = Int(response.status.code)
        if let challenge = BearerChallengeError(response) { return challenge }
        let status = HTTPStatusError(status: code, endpoint: "API")
        if status.isTransient { return status }
        let phrase = response.status.phrase
        return CommandError(
            "http_\(code)",
            "The API responded with HTTP status \(code)\(phrase.isEmpty ? "" : " \(phrase)")",
            code == 401
                ? "Sign in again with 'tessera login'."
                : "Read the body for details, and check the URL and the scopes.",
            status: code == 401 ? .signInNeeded : .refused
        )
    }
}

extension HTTPResponse.Status {
    /// The server's reason phrase, or the standard one, because HTTP/2 and some clients do not provide any.
    var phrase: String {
        if !self.reasonPhrase.isEmpty { return self.reasonPhrase }
        return Self.common.first { $0.code == self.code }?.reasonPhrase ?? ""
    }

    private static let common: [Self] = [
        .ok, .created, .accepted, .noContent, .partialContent, .movedPermanently, .found, .seeOther, .notModified,
        .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed,
        .conflict, .gone, .preconditionFailed, .contentTooLarge, .unsupportedMediaType, .tooManyRequests,
        .internalServerError, .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout,
    ]
}
