// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting

/// A fault of a server, whose response contains every secret that the server knows.
enum Fault: Sendable, Hashable {
    case error, errorDescription, cutDescription, errorURI, page, challenge, location, contentType, truncated, twice
    case connectionLost, timeout
    /// A member of the genuine response has the wrong type. The number selects a variant.
    case wrongType(String, Int)

    static let all: [Fault] = [
        .error, .errorDescription, .cutDescription, .errorURI, .page, .challenge, .location, .contentType, .truncated,
        .twice, .connectionLost, .timeout,
    ]

    /// Returns three type errors for each member of a genuine response.
    static func wrongTypes(_ body: [UInt8]) -> [Fault] {
        let members = (try? JSONValue(parsing: body))?.members.map { Array($0) } ?? []
        return members.flatMap { member in (0..<3).map { .wrongType(member.name, $0) } } + [.wrongType("token_type", 3)]
    }

    /// An error of the HTTP library that contains the whole request.
    private struct Underlying: Error { let request: String }

    /// Returns the response that replaces the genuine one.
    func response(_ secrets: [String], genuine: (HTTPResponse, [UInt8])?, clock: TestClock) async throws
        -> ScriptedResponse
    {
        let spellings = secrets + secrets.map { FormParameters.encode($0) } + secrets.map { Base64URL.encode($0.utf8) }
        let text = spellings.joined(separator: " ")
        let body = String(decoding: genuine?.1 ?? [], as: UTF8.self)
        switch self {
        case .error: return .error([("error", text), ("error_subtype", text)])
        case .errorDescription: return .error([("error", "server_fault"), ("error_description", "No: \(text) is bad")])
        case .cutDescription:
            // The secret crosses the length at which descriptions are truncated.
            return .error([("error", "server_fault"), ("error_description", Self.cut(secrets))])
        case .errorURI:
            return .error([("error", "x"), ("error_uri", "https://id.example/?t=" + spellings.joined(separator: "&"))])
        case .page:
            let fields: HTTPFields = [.contentType: "text/html"]
            return ScriptedResponse(
                HTTPResponse(status: .badRequest, headerFields: fields),
                body: HTTPBody("<html><body>\(text)</body></html>")
            )
        case .challenge:
            let quoted = [
                #"error="\#(secrets.last ?? "")""#, #"error_description="\#(text)""#, #"realm="\#(text)""#,
                #"scope="\#(text)""#, #"algs="\#(text)""#, #"resource_metadata="https://id.example/\#(text)""#,
            ]
            let field = "Bearer " + quoted.joined(separator: ", ")
            return .status(.unauthorized, headerFields: [.wwwAuthenticate: field])
        case .location:
            return .status(.found, headerFields: [.location: "https://id.example/elsewhere?" + secrets.joined()])
        case .contentType:
            return ScriptedResponse(
                HTTPResponse(
                    status: genuine?.0.status ?? .ok,
                    headerFields: [.contentType: "text/\(secrets.first ?? "");\(secrets.last ?? "")"]
                ),
                body: HTTPBody(body)
            )
        case .truncated: return .json(String(body.dropLast(3)), status: genuine?.0.status ?? .ok)
        case .twice: return .json(body.dropLast() + ", " + body.dropFirst(), status: genuine?.0.status ?? .ok)
        case .connectionLost:
            throw TransportError(.connectionLost, host: "id.example", underlying: Underlying(request: text))
        case .timeout:
            await clock.sleeperCount(reaches: 1)
            clock.advance(by: .seconds(60))
            try await clock.sleep(for: .seconds(86_400))
            throw TransportError(.timedOut)
        case .wrongType(let name, let variant):
            return .json(Self.changed(body, name, variant), status: genuine?.0.status ?? .ok)
        }
    }

    private static func cut(_ secrets: [String]) -> String {
        let secret = secrets.max { $0.utf8.count < $1.utf8.count } ?? ""
        return String(repeating: "x", count: 1_000 - secret.utf8.count / 2) + secret
    }

    private static func changed(_ body: String, _ name: String, _ variant: Int) -> String {
        let members = (try? JSONValue(parsing: body))?.members.map { Array($0) } ?? []
        let token = members.first { $0.name == "access_token" }.map { JSONNode.parsed($0.value) }
        let changed = members.map { member -> JSONMember in
            let value = JSONNode.parsed(member.value)
            if variant == 3, let token { return Self.exchanged(member.name, value, name, token) }
            guard member.name == name else { return JSONMember(name: member.name, value: value) }
            let text = JSONNode.string("\(member.value.string ?? "") and more")
            let object = JSONNode.object([JSONMember(name: "x", value: value)])
            let wrong: JSONNode = variant == 0 ? .array([value]) : variant == 1 ? object : text
            return JSONMember(name: name, value: wrong)
        }
        return JSONNode.object(changed).text()
    }

    /// Swaps the access token with the value of another member.
    private static func exchanged(_ own: String, _ value: JSONNode, _ name: String, _ token: JSONNode) -> JSONMember {
        JSONMember(name: own, value: own == name ? token : own == "access_token" ? "Bearer" : value)
    }
}

extension ScriptedResponse {
    fileprivate static func error(_ members: [(String, String)]) -> ScriptedResponse {
        let node = JSONNode.object(members.map { JSONMember(name: $0.0, value: .string($0.1)) })
        return .json(node.text(), status: .badRequest)
    }
}
