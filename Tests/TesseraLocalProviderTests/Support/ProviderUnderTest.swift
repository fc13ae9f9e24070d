// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import HTTPTypes
internal import Testing
internal import TesseraJOSE
internal import TesseraJSON
@testable internal import TesseraLocalProvider
internal import TesseraOAuth

/// A local provider without a socket, with a client and its user.
struct ProviderUnderTest {
    static let baseURL = "http://127.0.0.1:8400"
    static let redirectURI = "http://127.0.0.1:50123/callback"
    static let verifier = String(repeating: "v", count: 43)
    static let challenge = Base64URL.encode(Array(SHA256.hash(data: Array(Self.verifier.utf8))))
    static let drive = "https://www.googleapis.com/auth/drive"
    static let driveReadonly = "https://www.googleapis.com/auth/drive.readonly"
    static let calendar = "https://www.googleapis.com/auth/calendar.readonly"
    static let ada = LocalProviderAccount.samples[0]
    static let noor = LocalProviderAccount.samples[1]

    var state: ProviderState
    var now: Int64 = 1_800_000_000
    var cookie: String?
    var client = LocalProviderClient.desktop

    init(_ change: (inout LocalProviderOptions) -> Void = { _ in }) throws {
        var options = LocalProviderOptions()
        options.signingAlgorithm = .es256
        change(&options)
        self.state = try ProviderState(options: options)
        self.state.baseURL = Self.baseURL
        self.client = options.clients[0]
    }

    /// Returns the parameters of a valid authorization request with some changed, or omitted if nil.
    func query(_ changes: [String: String?] = [:]) -> [(String, String)] {
        var parameters: [String: String] = [
            "client_id": self.client.id, "redirect_uri": Self.redirectURI, "response_type": "code",
            "scope": "openid email", "state": "st&te", "nonce": "n-1",
            "code_challenge": Self.challenge, "code_challenge_method": "S256",
        ]
        for (name, value) in changes { parameters[name] = value }
        return parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    static func form(_ pairs: [(String, String)]) -> String {
        pairs.map { "\(FormParameters.encode($0.0))=\(FormParameters.encode($0.1))" }.joined(separator: "&")
    }

    mutating func send(
        _ method: HTTPRequest.Method,
        _ target: String,
        _ fields: [String: String] = [:],
        body: String = ""
    ) -> ProviderResponse {
        var headers = HTTPFields()
        for (name, value) in fields { headers[named: name] = value }
        if let cookie { headers[.cookie] = cookie }
        let request = TesseraLocalProvider.ProviderRequest(
            method,
            target,
            authority: "127.0.0.1:8400",
            headers: headers,
            body: Array(body.utf8)
        )
        let response = self.response(request)
        if let cookie = response.headers[.setCookie] {
            self.cookie = cookie.split(separator: ";").first.map(String.init)
        }
        return response
    }

    /// Calls the endpoint that matches the path, as the router does.
    private mutating func response(_ request: TesseraLocalProvider.ProviderRequest) -> ProviderResponse {
        var request = request
        for endpoint in Endpoint.all {
            for path in endpoint.paths {
                let sides = path.split(separator: "{subject}", omittingEmptySubsequences: false)
                guard let start = sides.first, let end = sides.last, request.path.hasPrefix(start),
                    request.path == path || sides.count == 2 && request.path.hasSuffix(end)
                else { continue }
                if sides.count == 2 {
                    let subject = request.path.dropFirst(start.count).dropLast(end.count)
                    guard !subject.contains("/") else { continue }
                    request.pathParameters["subject"] = String(subject)
                }
                guard endpoint.methods.contains(request.method) else { return endpoint.refusal }
                do {
                    self.state.now = self.now
                    return try endpoint.respond(&self.state, request)
                } catch {
                    return (error as? any EndpointFailure)?.response ?? .lost
                }
            }
        }
        return .text("There is no page at this address.", status: .notFound)
    }

    mutating func authorize(_ changes: [String: String?] = [:]) -> ProviderResponse {
        self.send(.get, "/o/oauth2/v2/auth?" + Self.form(self.query(changes)))
    }

    mutating func post(
        _ path: String,
        _ pairs: [(String, String)],
        _ fields: [String: String] = [:]
    ) -> ProviderResponse {
        let type = ["Content-Type": "application/x-www-form-urlencoded"]
        return self.send(.post, path, type.merging(fields) { _, own in own }, body: Self.form(pairs))
    }

    /// Chooses an account, submits the consent page, and returns the redirect.
    mutating func signIn(
        _ changes: [String: String?] = [:],
        as account: LocalProviderAccount = Self.ada,
        selecting: [String]? = nil,
        action: String = "allow"
    ) throws -> ProviderResponse {
        var page = self.authorize(changes)
        if page.text.contains("name=\"account\"") {
            page = self.post(
                "/o/oauth2/v2/auth/account",
                [("attempt", try page.attempt), ("account", account.subject)]
            )
        }
        guard page.status == .ok else { return page }
        let scopes = (selecting ?? page.selectedScopes).map { ("scope", $0) }
        return self.post(
            "/o/oauth2/v2/auth/consent",
            [("attempt", try page.attempt), ("action", action)] + scopes
        )
    }

    mutating func code(
        _ changes: [String: String?] = [:],
        as account: LocalProviderAccount = Self.ada,
        selecting: [String]? = nil
    ) throws -> String {
        try #require(try self.signIn(changes, as: account, selecting: selecting).redirectParameters["code"])
    }

    mutating func exchange(_ code: String, _ changes: [String: String?] = [:]) -> ProviderResponse {
        var form: [String: String] = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": Self.redirectURI,
            "client_id": self.client.id, "client_secret": self.client.secret, "code_verifier": Self.verifier,
        ]
        for (name, value) in changes { form[name] = value }
        return self.post("/token", form.map { ($0.key, $0.value) })
    }

    mutating func tokens(_ changes: [String: String?] = [:], as account: LocalProviderAccount = Self.ada) throws
        -> Tokens
    {
        let code = try self.code(changes, as: account)
        return try Tokens(self.exchange(code))
    }

    mutating func refresh(_ token: String, _ changes: [String: String?] = [:]) -> ProviderResponse {
        var form: [String: String] = [
            "grant_type": "refresh_token", "refresh_token": token, "client_id": self.client.id,
            "client_secret": self.client.secret,
        ]
        for (name, value) in changes { form[name] = value }
        return self.post("/token", form.map { ($0.key, $0.value) })
    }

    mutating func userInfo(_ accessToken: String) -> ProviderResponse {
        self.send(.get, "/v1/userinfo", ["Authorization": "Bearer \(accessToken)"])
    }
}

/// The tokens and scopes of a token response.
struct Tokens {
    var access: String
    var refresh: String?
    var id: String?
    var scopes: Set<String>

    init(_ response: ProviderResponse) throws {
        let json = try response.json
        self.access = try #require(json["access_token"]?.string)
        self.refresh = json["refresh_token"]?.string
        self.id = json["id_token"]?.string
        self.scopes = Set((json["scope"]?.string ?? "").split(separator: " ").map(String.init))
    }
}

extension ProviderResponse {
    var bytes: [UInt8] { if case .bytes(let bytes) = self.content { bytes } else { [] } }
    var text: String { String(decoding: self.bytes, as: UTF8.self) }
    var json: JSONValue { get throws { try JSONValue(parsing: self.bytes) } }
    /// Whether the connection ends in the middle of the body.
    var isCut: Bool { self.cutLength != nil }
    var errorCode: String? { try? self.json["error"]?.string }

    /// The attempt secret in the page's form.
    var attempt: String { get throws { try #require(self.values("name=\"attempt\" value=\"").first) } }
    var selectedScopes: [String] { self.values("name=\"scope\" value=\"") }

    /// The query parameters of the redirect.
    var redirectParameters: [String: String] {
        let query = self.headers[.location]?.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        let pairs = (try? FormParameters(decoding: query))?.parameters.map { ($0.name, $0.value) } ?? []
        return Dictionary(pairs) { first, _ in first }
    }

    private func values(_ opening: String) -> [String] {
        self.text.split(separator: opening).dropFirst().compactMap { $0.split(separator: "\"").first.map(String.init) }
    }
}
#endif
