// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import LoopbackHTTP

/// What a ``HostileServer`` does with a request.
public struct HostileAnswer: Sendable {
    let response: LoopbackResponse

    /// A well-formed response, with its length, after which the connection closes.
    public static func respond(
        _ status: HTTPResponse.Status = .ok,
        headerFields: HTTPFields = [:],
        body: [UInt8]
    ) -> HostileAnswer {
        let headers = headerFields.map { (name: $0.name.rawName, value: $0.value) }
        return HostileAnswer(response: LoopbackResponse(status: status.code, headers: headers, body: body))
    }

    /// A response with an `application/json` body, which need not be valid JSON.
    public static func json(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        headerFields: HTTPFields = [:]
    ) -> HostileAnswer {
        var fields = headerFields
        if fields[.contentType] == nil { fields[.contentType] = "application/json" }
        return .respond(status, headerFields: fields, body: Array(text.utf8))
    }

    /// A response without a body.
    public static func status(_ status: HTTPResponse.Status, headerFields: HTTPFields = [:]) -> HostileAnswer {
        .respond(status, headerFields: headerFields, body: [])
    }

    /// A redirect to any URL.
    public static func redirect(to location: String, _ status: HTTPResponse.Status = .found) -> HostileAnswer {
        .status(status, headerFields: [.location: location])
    }

    /// Exactly these bytes, whatever they are, then the end of the connection.
    public static func raw(_ bytes: [UInt8]) -> HostileAnswer {
        HostileAnswer(response: .raw(chunks: [bytes]))
    }

    /// These bytes in pieces of `size`, with a pause after each, then the end of the connection.
    public static func drip(_ bytes: [UInt8], size: Int = 1, every pause: Duration) -> HostileAnswer {
        let size = max(1, size)
        let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
        return HostileAnswer(response: .raw(chunks: chunks, pause: pause))
    }

    /// These bytes, then silence: the connection stays open until the client or the server's `stop()` closes it.
    public static func hang(after bytes: [UInt8] = []) -> HostileAnswer {
        HostileAnswer(response: .raw(chunks: [bytes], then: .hang))
    }

    /// The head of a response that promises `length` bytes, fewer bytes than that, and the end of the connection.
    public static func truncated(_ body: String, length: Int) -> HostileAnswer {
        .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\nConnection: close\r\n\r\n\(body)".utf8))
    }

    /// The end of the connection instead of an answer.
    public static let close = HostileAnswer(response: .raw(chunks: []))
}
