// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import HTTPTypes
internal import Tessera
internal import TesseraFetch

/// The options for a request, which have the same names as in curl.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("X"), .customLong("request")],
        help: ArgumentHelp("The method. (default: GET, or POST with a body)", valueName: "method")
    )
    var method: String?

    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp("A header field, as 'Name: value'. Can be repeated.", valueName: "field")
    )
    var fields: [String] = []

    @Option(
        name: [.customShort("d"), .customLong("data")],
        help: ArgumentHelp(
            "The body: text, @FILE, or @- for standard input, both without line breaks. Repeated values are joined with &.",
            valueName: "data"
        )
    )
    var data: [String] = []

    @Option(
        help: ArgumentHelp("Like -d, but files are sent unchanged. Appended after all -d values.", valueName: "data")
    )
    var dataBinary: [String] = []

    /// The maximum size of a body in memory, except for a single `--data-binary @FILE`, which is streamed.
    private static let limit = 64 << 20

    /// Returns the request and its body, with defaults for the method and the media type.
    func request(
        to url: String,
        usualMethod: String? = nil,
        bodyType: String = "application/x-www-form-urlencoded"
    ) async throws -> (HTTPRequest, HTTPBody?) {
        let hasBody = !self.data.isEmpty || !self.dataBinary.isEmpty
        let name = self.method ?? usualMethod ?? (hasBody ? "POST" : "GET")
        guard let method = HTTPRequest.Method(rawValue: name) else {
            throw CommandError.usage("-X: not a valid HTTP method", "Write GET, POST, PUT, PATCH, DELETE, …")
        }
        var fields = try self.headerFields()
        if fields[.userAgent] == nil { fields[.userAgent] = "tessera/\(ReleaseVersion.number)" }
        if fields[.accept] == nil { fields[.accept] = "*/*" }
        if hasBody, fields[.contentType] == nil {
            fields[.contentType] = bodyType
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
                    "-H: the session sets the Authorization field",
                    "Remove the field, and choose a session with --account."
                )
            }
            let value = parts[1].drop { $0 == " " }
            guard HTTPField.isValidValue(String(value)) else {
                throw CommandError.usage("-H \(name): the value is not valid in a header", "Correct the -H option.")
            }
            fields.append(HTTPField(name: name, value: String(value)))
        }
        return fields
    }

    private func body() async throws -> HTTPBody? {
        if self.data.isEmpty, self.dataBinary.count == 1, let only = self.dataBinary.first, only.hasPrefix("@"),
            only != "@-"
        {
            return try FileBody.make(String(only.dropFirst()), option: "--data-binary")
        }
        var parts: [[UInt8]] = []
        for text in self.data {
            let bytes = try await Self.bytes(text, option: "-d")
            // As in curl, line breaks in a text file are not part of a form.
            parts.append(text.hasPrefix("@") ? bytes.filter { ![0x00, 0x0A, 0x0D].contains($0) } : bytes)
        }
        for text in self.dataBinary { parts.append(try await Self.bytes(text, option: "--data-binary")) }
        return parts.isEmpty ? nil : HTTPBody(Array(parts.joined(separator: [UInt8(ascii: "&")])))
    }

    private static func bytes(_ text: String, option: String) async throws -> [UInt8] {
        if text == "@-" { return try await FileBytes.standardInput(option: option, limit: Self.limit) }
        guard text.hasPrefix("@") else { return Array(text.utf8) }
        return try await FileBytes.read(String(text.dropFirst()), option: option, limit: Self.limit)
    }
}
