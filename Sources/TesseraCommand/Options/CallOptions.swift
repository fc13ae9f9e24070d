// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import ArgumentParser
internal import HTTPTypes
internal import Tessera
internal import TesseraFetch

/// The request, in curl's words.
struct CallOptions: ParsableArguments {
    @Option(
        name: [.customShort("X"), .customLong("request")],
        help: ArgumentHelp("The method. (default: GET, or POST with -d)", valueName: "method")
    )
    var method: String?

    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp("A header field, as 'Name: value'; may be given several times.", valueName: "field")
    )
    var fields: [String] = []

    @Option(
        name: [.customShort("d"), .customLong("data")],
        help: ArgumentHelp(
            "The body: text, @FILE, or @- for standard input, sent as it is; several are joined with &.",
            valueName: "data"
        )
    )
    var data: [String] = []

    /// The largest body that is put together in memory; a single `@FILE` is streamed and may have any size.
    private static let limit = 64 << 20

    func request(to url: String) async throws -> (HTTPRequest, HTTPBody?) {
        let name = self.method ?? (self.data.isEmpty ? "GET" : "POST")
        guard let method = HTTPRequest.Method(rawValue: name) else {
            throw CommandError.usage("-X: that is no HTTP method", "Write GET, POST, PUT, PATCH, DELETE, …")
        }
        var fields = try self.headerFields()
        if fields[.userAgent] == nil { fields[.userAgent] = "tessera/\(TesseraCommand.configuration.version)" }
        if fields[.accept] == nil { fields[.accept] = "*/*" }
        if !self.data.isEmpty, fields[.contentType] == nil {
            fields[.contentType] = "application/x-www-form-urlencoded"
        }
        return (try HTTPRequest(method: method, url: url, headerFields: fields), try await self.body())
    }

    private func headerFields() throws -> HTTPFields {
        var fields = HTTPFields()
        for text in self.fields {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else {
                throw CommandError.usage("-H: a header field is written as 'Name: value'", "Correct the -H option.")
            }
            guard name != .authorization else {
                throw CommandError.usage(
                    "-H: the session gives the Authorization field",
                    "Leave it out; choose a session with --account."
                )
            }
            let value = parts[1].drop { $0 == " " }
            guard HTTPField.isValidValue(String(value)) else {
                throw CommandError.usage("-H \(name): the value cannot stand in a header", "Correct the -H option.")
            }
            fields.append(HTTPField(name: name, value: String(value)))
        }
        return fields
    }

    private func body() async throws -> HTTPBody? {
        guard let first = self.data.first else { return nil }
        if self.data.count == 1, first.hasPrefix("@"), first != "@-" {
            return try FileBody.make(String(first.dropFirst()))
        }
        var bytes: [UInt8] = []
        for (index, text) in self.data.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            if text == "@-" {
                bytes += try await FileBytes.standardInput(option: "-d", limit: Self.limit)
            } else if text.hasPrefix("@") {
                bytes += try await FileBytes.read(String(text.dropFirst()), option: "-d", limit: Self.limit)
            } else {
                bytes += Array(text.utf8)
            }
        }
        return HTTPBody(bytes)
    }
}
#endif
