// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import HTTPTypes
internal import TesseraConsole
internal import TesseraFetch
internal import TesseraJSON
internal import TesseraOAuth

/// Prints the first request of a command and ends the command successfully.
struct DryRunInterceptor: FetchInterceptor {
    let isJSON: Bool

    func intercept(
        _ request: HTTPRequest,
        body: HTTPBody?,
        next: FetchChain
    ) async throws -> (HTTPResponse, HTTPBody) {
        let report = try await RequestReport(request, body)
        if self.isJSON { Console.print(json: report.json) } else { Console.print(report.text) }
        throw ExitCode(ExitStatus.success.rawValue)
    }
}

/// A request for display, without its secrets.
struct RequestReport: Sendable {
    private let request: HTTPRequest
    private let length: Int64?
    /// The body as text, or nil if it is missing, too long or binary.
    private let body: String?

    /// The length up to which a body is printed.
    private static let limit: Int64 = 1 << 20
    /// The fields that contain credentials.
    private static let secrets: Set = [
        "authorization", "proxy-authorization", "cookie", "dpop", "x-goog-api-key", "x-api-key",
    ]

    init(_ request: HTTPRequest, _ body: HTTPBody?) async throws {
        self.request = request
        guard let body else {
            self.length = 0
            self.body = nil
            return
        }
        self.length = body.length
        guard let length = body.length, length > 0, length <= Self.limit else {
            self.body = nil
            return
        }
        let bytes = try await body.collect(upTo: Int(Self.limit))
        self.body = String(validating: bytes, as: UTF8.self)
    }

    private var url: String {
        "\(self.request.scheme ?? "")://\(self.request.authority ?? "")\(self.request.path ?? "")"
    }

    private var fields: [HTTPField] {
        self.request.headerFields.filter { !Self.secrets.contains($0.name.canonicalName) }
    }

    var json: JSONNode {
        [
            "dryRun": true, "method": .string(self.request.method.rawValue), "url": .string(self.url),
            "headers": .object(
                self.fields.map { JSONMember(name: $0.name.rawName, value: .string($0.value)) }
            ),
            "body": self.bodyNode, "bodyBytes": self.length.map { .integer($0) } ?? .null,
        ]
    }

    /// The body, as JSON if it is JSON.
    private var bodyNode: JSONNode {
        guard let body else { return .null }
        guard let value = try? JSONValue(parsing: body) else { return .string(body) }
        return .parsed(value)
    }

    var text: TerminalText {
        var lines: [TerminalText] = ["\(self.request.method.rawValue) \(self.url)"]
        lines += self.fields.map { "\($0.name.rawName): \($0.value)" as TerminalText }
        if let body {
            lines += ["", TerminalText(lines: body)]
        } else if self.length != 0 {
            lines += ["", "(\(self.length.map { "\($0)" } ?? "an unknown number of") bytes)"]
        }
        return lines.joined(separator: "\n")
    }
}
