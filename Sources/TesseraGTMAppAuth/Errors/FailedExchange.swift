// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A response that caused an error, with the parts that AppAuth's errors contain and TesseraOAuth's do not.
struct FailedExchange: Error {
    /// The names of members whose values are secret.
    private static let secretNames: Set<String> = [
        "access_token", "refresh_token", "id_token", "client_secret", "registration_access_token",
    ]
    /// The maximum length of ``text``, in characters.
    private static let textLimit = 1_000

    /// The error that TesseraOAuth threw.
    let error: any Error
    /// The HTTP status.
    let status: Int
    /// Whether the body is JSON.
    private let isJSON: Bool
    /// The members of an unsuccessful response, without secrets, or nil if the body is not a JSON object.
    private let members: JSONParameters?
    /// The beginning of the body of an unsuccessful response, without secrets.
    private let text: String?

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - error: The error that TesseraOAuth threw.
    ///   - status: The HTTP status.
    ///   - body: The body of the response.
    ///   - secrets: The secrets in the request, which a server can repeat in its response.
    init(_ error: any Error, status: Int, body: [UInt8], secrets: ExchangeSecrets = ExchangeSecrets([])) {
        let limits = JSONLimits(maximumDepth: 64, maximumBytes: 1 << 20)
        let document = (try? JSONValue(parsing: body, limits: limits)).map { JSONNode($0) }
        (self.error, self.status, self.isJSON) = (error, status, document != nil)
        guard !(200...299).contains(status) else {
            // The response to a successful request consists of secrets.
            (self.members, self.text) = (nil, nil)
            return
        }
        let known = document.map { Self.withoutSecrets($0, secrets) }
        self.members = known?.members.map { JSONParameters($0) }
        let text = known == document ? String(decoding: body, as: UTF8.self) : known?.text() ?? ""
        self.text = body.isEmpty ? nil : UntrustedText.printable(secrets.removed(from: text), limit: Self.textLimit)
    }

    private static func withoutSecrets(_ node: JSONNode, _ secrets: ExchangeSecrets) -> JSONNode {
        switch node {
        case .string(let text): .string(secrets.removed(from: text))
        case .array(let elements): .array(elements.map { self.withoutSecrets($0, secrets) })
        case .object(let members):
            .object(
                members.filter { !self.secretNames.contains($0.name) }
                    .map { JSONMember(name: $0.name, value: self.withoutSecrets($0.value, secrets)) }
            )
        default: node
        }
    }

    /// The error in ``OIDHTTPErrorDomain``, whose description is the body and whose underlying error is TesseraOAuth's.
    var httpError: NSError { .appAuth(status: self.status, self.text, underlying: self.error) }

    /// Maps the failure to AppAuth's domains and codes.
    ///
    /// The `domain` is the one for OAuth errors from the endpoint.
    func mapped(to domain: String) -> NSError {
        let isRegistration = domain == OIDOAuthRegistrationErrorDomain
        if let violation = self.error as? ProtocolViolationError {
            let invalid: OIDErrorCode =
                isRegistration ? .registrationResponseConstructionError : .tokenResponseConstructionError
            let code = self.isJSON ? invalid : .jsonDeserializationError
            return .appAuth(code, violation.description, underlying: violation)
        }
        // RFC 7591, section 3.2.2, and RFC 6749, section 5.2. A server that is busy does not reject the request.
        let statuses = isRegistration ? 400...400 : 400...499
        guard statuses.contains(self.status), self.status != 429,
            let members, let error = members[OIDOAuthErrorFieldError]
        else {
            return .appAuth(.serverError, String(describing: self.error), underlying: self.httpError)
        }
        guard error.stringValue != nil else {
            return .appAuth(.networkError, "The server's error is not a string.", underlying: self.httpError)
        }
        return .appAuth(domain: domain, response: members.dictionary, underlying: self.httpError)
    }
}

extension RegisteredClient {
    /// Sends a request and returns its decoded response.
    ///
    /// The `secrets` are those in the request, which errors must not contain.
    ///
    /// - Throws: ``FailedExchange`` if the server responded, or any other error that `send(_:deadline:)` throws.
    func send<Request: EndpointRequest>(_ request: Request, secrets: [String?]) async throws -> Request.Response {
        let received = Mutex<(status: Int, body: [UInt8])?>(nil)
        let observed = ObservedRequest(base: request) { response, body in
            received.withLock { $0 = (Int(response.status.code), body) }
        }
        do {
            return try await self.send(observed)
        } catch {
            guard let (status, body) = received.withLock({ $0 }) else { throw error }
            // Removing a short value would destroy unrelated text without hiding anything.
            let secrets = secrets.compactMap(\.self).filter { $0.utf8.count >= 8 }.map { Secret($0) }
            throw FailedExchange(error, status: status, body: body, secrets: ExchangeSecrets(secrets))
        }
    }
}

/// A request that also passes its response to a closure.
private struct ObservedRequest<Base: EndpointRequest>: EndpointRequest {
    let base: Base
    let observe: @Sendable (HTTPResponse, [UInt8]) -> Void

    var dpopUse: DPoPUse { self.base.dpopUse }
    var exchange: OAuthExchange { self.base.exchange }

    func message(for client: RegisteredClient) throws -> OAuthMessage { try self.base.message(for: client) }

    func decode(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws -> Base.Response {
        self.observe(response, body)
        return try self.base.decode(response, body: body, for: client)
    }
}
