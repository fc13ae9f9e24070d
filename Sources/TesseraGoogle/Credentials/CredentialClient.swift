// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Logging
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// The network, the clocks and the rules that all kinds of credentials use for their requests.
struct CredentialClient: Sendable {
    var runtime: OAuthRuntime
    let trust: EndpointTrust
    let environment: GoogleEnvironment
    let logger: Logger

    /// The maximum number of attempts for a request, which is that of google-auth.
    private static let attempts = 3
    private static let delay = RetryDelay(initial: .seconds(1), cap: .seconds(8))
    /// The longest `Retry-After` that a request waits for.
    private static let longestWait = Duration.seconds(30)

    /// Sends a token request to an endpoint and returns the token.
    ///
    /// Without a client, the request must not identify one. A service account is not an OAuth client.
    ///
    /// - Throws: `OAuthError`, `HTTPStatusError`, `ProtocolViolationError`, `TransportError` or `CancellationError`.
    func token(
        _ request: TokenRequest,
        as client: OAuthClient = OAuthClient(clientID: "", authentication: .publicClient),
        at endpoint: Endpoint
    ) async throws -> TokenResponse {
        let origin = "\(endpoint.parts.scheme)://\(endpoint.parts.authority ?? "")"
        let metadata = try ServerMetadata([("issuer", .string(origin))], insecure: .loopbackHTTP)
        let client = RegisteredClient(client, metadata: metadata, runtime: self.runtime)
        return try await self.retrying { try await client.send(request) }
    }

    /// Sends a request to a service and returns its successful response.
    ///
    /// - Throws: ``GoogleCredentialsError`` with `code` for any status except 200, `TransportError` or
    ///   `CancellationError`.
    func response(to request: ServiceRequest) async throws -> ServiceResponse {
        try await self.retrying(attempts: request.attempts) {
            try await self.runtime.observed(OAuthExchange(request.name)) { try await self.attempt(request) }
        }
    }

    private func attempt(_ request: ServiceRequest) async throws -> ServiceResponse {
        let runtime = request.identity.map { identity -> OAuthRuntime in
            var runtime = self.runtime
            runtime.transport = identity
            return runtime
        }
        let (response, body) = try await (runtime ?? self.runtime)
            .exchange(
                OAuthMessage(request: request.httpRequest, body: request.body),
                deadline: request.deadline
            )
        guard response.status.code == 200 else { throw request.error(response, body) }
        return ServiceResponse(response: response, body: body)
    }

    /// Runs an operation again after a temporary failure, at most three times in total.
    private func retrying<Value: Sendable>(
        attempts: Int = Self.attempts,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        var failures = 0
        while true {
            do {
                return try await operation()
            } catch let error as any ErrorGuidance where error.isRetryable {
                failures += 1
                let delay = Self.delay.duration(afterFailures: failures, self.runtime.randomBytes(8))
                let minimum = Duration.seconds(Self.retryAfter(error) ?? 0)
                guard failures < attempts, minimum <= Self.longestWait else { throw error }
                try await self.runtime.clock.sleep(for: max(delay, minimum))
            }
        }
    }

    private static func retryAfter(_ error: any ErrorGuidance) -> Int? {
        switch error {
        case let error as OAuthError: error.retryAfter
        case let error as HTTPStatusError: error.retryAfter
        case let error as GoogleCredentialsError: error.retryAfter
        default: nil
        }
    }

    /// Returns the ID token in a response.
    func issued(_ idToken: String, in response: ServiceResponse) throws -> IssuedIDToken {
        let token = try ServiceAccountIDToken(Secret(idToken))
        return IssuedIDToken(token: token, lifetime: self.lifetime(until: token.expiresAt, response))
    }

    /// Returns the lifetime in seconds of a token that expires at a time.
    ///
    /// The time is compared with the server's clock if the response contains it, because this machine's clock may be
    /// wrong.
    func lifetime(until expiration: Date, _ response: ServiceResponse? = nil) -> Int64 {
        let now = response?.response.serverDate ?? self.runtime.now()
        return Int64(min(max(expiration.timeIntervalSince(now), 0), 3_155_760_000))
    }
}

/// A request to one of Google's services, to a metadata server or to a source of subject tokens.
struct ServiceRequest: Sendable {
    /// The name of the request in spans and metrics.
    let name: String
    /// The name of the server in errors.
    let server: String
    let url: Endpoint
    var method = HTTPRequest.Method.get
    var fields = HTTPFields()
    var body: [UInt8]?
    /// The code of errors.
    var code = GoogleCredentialsError.Code.rejected
    /// The secrets that are removed from the server's text.
    var secrets: [Secret] = []
    var attempts = 3
    var deadline = Duration.seconds(60)
    /// A transport that presents a client certificate.
    var identity: (any HTTPTransport)?

    init(_ name: String, server: String, url: Endpoint) {
        self.name = name
        self.server = server
        self.url = url
    }

    /// Adds an access token and the project whose quota is charged.
    mutating func authorize(with token: AccessToken, quotaProject: String?) {
        self.secrets.append(token.secret)
        if let quotaProject, HTTPField.isValidValue(quotaProject) {
            self.fields[HTTPField.Name(known: "X-Goog-User-Project")] = quotaProject
        }
        self.fields.append(token.authorization.withUnredacted { HTTPField.sensitive(.authorization, $0) })
    }

    /// Sends a JSON object with POST.
    mutating func post(_ json: JSONNode) {
        self.method = .post
        self.fields[.contentType] = "application/json"
        self.body = json.serialized()
    }

    /// Sends a form with POST.
    mutating func post(_ form: FormParameters) {
        self.method = .post
        self.fields[.contentType] = "application/x-www-form-urlencoded"
        self.body = Array(form.encoded.utf8)
    }

    var httpRequest: HTTPRequest {
        HTTPRequest(
            method: self.method,
            scheme: self.url.parts.scheme,
            authority: self.url.parts.authority,
            path: self.url.parts.requestTarget,
            headerFields: self.fields
        )
    }

    /// The URL without its query, which may contain secrets.
    var location: String { "\(self.url.parts.scheme)://\(self.url.parts.authority ?? "")\(self.url.parts.path)" }

    /// Returns the error for a response with a status other than 200.
    func error(_ response: HTTPResponse, _ body: [UInt8]) -> GoogleCredentialsError {
        GoogleCredentialsError(
            self.code,
            at: self.location,
            reason: "\(self.server) rejected the request" + (self.message(in: body).map { ": \($0)" } ?? ""),
            advice: self.code == .rejected && GoogleCredentialsError.isTransient(response.status.code)
                ? "Wait a moment and try again." : nil,
            status: response.status.code,
            retryAfter: response.retryAfter(at: nil).map { Int($0.components.seconds) }
        )
    }

    /// The error message in a response of one of Google's services, without the secrets.
    private func message(in body: [UInt8]) -> String? {
        guard let object = try? JSONValue(parsing: body) else { return nil }
        let error = object["error"]
        let text = error?["message"]?.string ?? object["error_description"]?.string ?? error?.string
        guard let text else { return nil }
        return UntrustedText.printable(ExchangeSecrets(self.secrets).removed(from: text))
    }
}

/// A successful response of a service.
struct ServiceResponse: Sendable {
    let response: HTTPResponse
    let body: [UInt8]

    /// Returns the body as a JSON object.
    ///
    /// - Throws: `ProtocolViolationError` if the body is not a JSON object.
    func fields(_ subject: String) throws -> JSONFields {
        try JSONFields(
            parsing: self.body,
            rule: .credentialResponse,
            section: "Google's documentation",
            subject: subject
        )
    }

    /// The body as text without surrounding whitespace, or nil if it is not UTF-8.
    var text: String? {
        String(wellFormedUTF8: self.body).map { $0.trimmingWhitespace() }
    }
}

extension ProtocolViolationError.Rule {
    /// A response to a request of credentials that is not valid.
    static let credentialResponse = Self(rawValue: "credentials.response")
}
