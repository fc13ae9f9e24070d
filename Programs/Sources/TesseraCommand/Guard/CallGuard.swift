// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
package import HTTPTypes
internal import TesseraConsole
package import TesseraFetch
internal import TesseraOAuth

/// The options that restrict what calls to an API do.
///
/// Every command that calls APIs adds ``interceptors`` to its fetcher, which runs them before it reads a token.
package struct CallGuardOptions: ParsableArguments {
    @Flag(help: "Refuse calls that write. (also: TESSERA_READ_ONLY=1)")
    var readOnly = false

    @Flag(help: "Print the request, and send nothing.")
    package var dryRun = false

    package init() {}

    /// The restriction, which ``interceptors`` apply too.
    private var isReadOnly: Bool { self.readOnly || ![nil, "0"].contains(Environment.value("TESSERA_READ_ONLY")) }

    /// Throws an error if only reading is allowed, for a command that always writes.
    package func checkWriting() throws {
        if self.isReadOnly { throw ReadOnlyCalls.refusal(nil, self.readOnly) }
    }

    /// Throws an error if only reading is allowed and a call writes.
    ///
    /// Commands call this first, so that the refusal does not depend on a session.
    ///
    /// The `path` is that of the URL or its template, without the query.
    package func check(_ method: HTTPRequest.Method, path: String) throws {
        guard self.isReadOnly, !ReadOnlyCalls.contains(method, path) else { return }
        throw ReadOnlyCalls.refusal(method, self.readOnly)
    }

    /// Throws an error if only reading is allowed and a request writes.
    func check(_ request: HTTPRequest, _ body: HTTPBody?) throws {
        guard self.isReadOnly, !ReadOnlyCalls.contains(request, body) else { return }
        throw ReadOnlyCalls.refusal(request.method, self.readOnly)
    }

    /// The interceptors that restrict the calls.
    package var interceptors: [any FetchInterceptor] {
        (self.isReadOnly ? [ReadOnlyInterceptor(isOption: self.readOnly)] : [])
            + (self.dryRun ? [DryRunInterceptor(isJSON: OutputOptions.isJSONWanted)] : [])
    }
}

/// The calls that do not change anything.
enum ReadOnlyCalls {
    /// The ends of the paths to which Google's APIs accept a POST request that only reads.
    private static let ends = [
        "/calendar/v3/freeBusy", ":getByDataFilter", "/values:batchGetByDataFilter", "/developerMetadata:search",
        "/v2/activity:query", ":getIamPolicy", ":testIamPermissions", "/searchAnalytics/query", ":runReport",
        ":batchRunReports", ":runPivotReport",
    ]
    /// The fields with which a request can replace its method.
    private static let overrides = ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"]

    /// Returns whether a call with a method and a path without a query only reads.
    static func contains(_ method: HTTPRequest.Method, _ path: String) -> Bool {
        [.get, .head].contains(method) || method == .post && Self.ends.contains { path.hasSuffix($0) }
    }

    /// Returns whether a request only reads.
    static func contains(_ request: HTTPRequest, _ body: HTTPBody?) -> Bool {
        let path = String((request.path ?? "").prefix { $0 != "?" })
        let replaced = Self.overrides.compactMap { HTTPField.Name($0) }.compactMap { request.headerFields[$0] }
        // A long GET request is sent as a POST request with this field.
        guard replaced.isEmpty else {
            return [.get, .head, .post].contains(request.method)
                && replaced.allSatisfy { ["GET", "HEAD"].contains($0.uppercased()) }
        }
        return Self.contains(request.method, path) || request.method == .post && Self.isBatchOfReads(request, body)
    }

    /// Returns whether a request is a batch in which every call is a GET request.
    private static func isBatchOfReads(_ request: HTTPRequest, _ body: HTTPBody?) -> Bool {
        let type = request.headerFields[.contentType] ?? ""
        guard type.hasPrefix("multipart/mixed; boundary="), let bytes = body?.bytes, bytes.allSatisfy({ $0 < 0x80 })
        else { return false }
        let boundary = type.dropFirst("multipart/mixed; boundary=".count).filter { $0 != "\"" }
        let text = String(decoding: bytes, as: UTF8.self)
        // Servers can interpret other line breaks differently.
        guard !text.contains(where: { $0 == "\n" || $0 == "\r" }) else { return false }
        let parts = text.split(separator: "--\(boundary)", omittingEmptySubsequences: false).dropFirst()
        guard !boundary.isEmpty, parts.count > 1, parts.last?.hasPrefix("--") == true else { return false }
        return parts.dropLast()
            .allSatisfy { part in
                // The first empty line ends the part's own fields.
                let lines = part.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
                let call = lines.dropFirst().first?.lowercased() ?? ""
                return call.hasPrefix("get ") && !call.contains("method-override") && !call.contains("x-http-method")
            }
    }

    static func refusal(_ method: HTTPRequest.Method?, _ isOption: Bool) -> CommandError {
        let cause = isOption ? "--read-only is set" : "TESSERA_READ_ONLY is set"
        let verb = method.map { " (\(UntrustedText.printable($0.rawValue)))" } ?? ""
        return CommandError(
            "readOnly",
            "The call was not sent: it can change data\(verb), and \(cause)",
            isOption ? "Remove --read-only to send it." : "Unset TESSERA_READ_ONLY to send it."
        )
    }
}

/// Refuses requests that write.
private struct ReadOnlyInterceptor: FetchInterceptor {
    let isOption: Bool

    func intercept(
        _ request: HTTPRequest,
        body: HTTPBody?,
        next: FetchChain
    ) async throws -> (HTTPResponse, HTTPBody) {
        guard ReadOnlyCalls.contains(request, body) else { throw ReadOnlyCalls.refusal(request.method, self.isOption) }
        return try await next(request, body)
    }
}
