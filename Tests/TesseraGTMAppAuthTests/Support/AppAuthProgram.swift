// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import TesseraGTMAppAuth
internal import TesseraTesting

/// An app written for AppAuth, and the provider that it signs in with.
struct AppAuthProgram {
    let network: ScriptedProvider

    init(_ options: ScriptedProvider.Options = ScriptedProvider.Options()) throws {
        self.network = try ScriptedProvider(options: options)
        self.network.intercept("/.well-known/openid-configuration") { _ in .json(Self.document()) }
    }

    /// Returns the provider's discovery document, with all members that AppAuth requires.
    static func document(issuer: String = ScriptedProvider.issuer) -> String {
        let location = ScriptedProvider.issuer
        return """
            {"issuer":"\(issuer)","authorization_endpoint":"\(location)/authorize","token_endpoint":"\(location)/token",\
            "jwks_uri":"\(location)/keys","response_types_supported":["code"],"subject_types_supported":["public"],\
            "id_token_signing_alg_values_supported":["ES256"]}
            """
    }

    /// Runs the app's code with the provider's network and clock.
    func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await AppAuthEnvironment.$ofTask.withValue(AppAuthEnvironment(runtime: self.network.runtime)) {
            try await body()
        }
    }

    /// The form parameters that authenticate the client at this provider.
    var proof: [String: String] { ["client_secret": "\(self.network.marker)-client"] }

    func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }

    func configuration() async throws -> OIDServiceConfiguration {
        try await OIDAuthorizationService.discoverConfiguration(forIssuer: self.url(ScriptedProvider.issuer))
    }

    /// Returns the authorization response after the user consents.
    func consent(_ scopes: [String] = ["openid", "email"]) async throws -> OIDAuthorizationResponse {
        let request = OIDAuthorizationRequest(
            configuration: try await self.configuration(),
            clientId: ScriptedProvider.clientID,
            scopes: scopes,
            redirectURL: self.url("com.example.app:/callback"),
            responseType: OIDResponseTypeCode,
            additionalParameters: nil
        )
        let redirect = try self.network.consent(to: request.authorizationRequestURL().absoluteString)
        let query = redirect.drop { $0 != "?" }.dropFirst()
        let parameters = Dictionary(
            query.split(separator: "&")
                .map { pair in
                    let parts = pair.split(separator: "=", maxSplits: 1)
                    return (String(parts[0]), String(parts.count > 1 ? parts[1] : ""))
                },
            uniquingKeysWith: { first, _ in first }
        )
        return OIDAuthorizationResponse(request: request, parameters: parameters)
    }

    /// Returns the state of a signed-in user.
    func state(_ scopes: [String] = ["openid", "email"]) async throws -> OIDAuthState {
        let response = try await self.consent(scopes)
        let request = response.tokenExchangeRequest(withAdditionalParameters: self.proof)
        guard let request else { throw CocoaError(.coderValueNotFound) }
        let tokens = try await OIDAuthorizationService.perform(request, originalAuthorizationResponse: response)
        return OIDAuthState(authorizationResponse: response, tokenResponse: tokens)
    }

    func expire() { self.network.clock.advance(by: .seconds(3_600)) }
}

extension OIDAuthState {
    /// Returns the access token that an action receives.
    func fresh(_ parameters: [String: String]) async throws -> String? {
        try await withCheckedThrowingContinuation { continuation in
            let action: OIDAuthStateAction = { accessToken, _, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(accessToken))
            }
            self.performAction(
                freshTokens: action,
                additionalRefreshParameters: parameters,
                dispatchQueue: DispatchQueue(label: "action")
            )
        }
    }
}

/// Counts the callbacks of a state.
final class Listener: OIDAuthStateChangeDelegate, OIDAuthStateErrorDelegate {
    private let counts = Mutex((changes: 0, ends: 0, failures: 0))

    var changes: Int { self.counts.withLock { $0.changes } }
    var ends: Int { self.counts.withLock { $0.ends } }
    var failures: Int { self.counts.withLock { $0.failures } }

    func didChange(_ state: OIDAuthState) { self.counts.withLock { $0.changes += 1 } }

    func authState(_ state: OIDAuthState, didEncounterAuthorizationError error: any Error) {
        self.counts.withLock { $0.ends += 1 }
    }

    func authState(_ state: OIDAuthState, didEncounterTransientError error: any Error) {
        self.counts.withLock { $0.failures += 1 }
    }
}

/// Returns the domain and code of the error that `body` throws, or nil if it does not throw.
func failure<Value>(_ body: () async throws -> Value) async -> (domain: String, code: Int)? {
    do {
        _ = try await body()
        return nil
    } catch {
        let error = error as NSError
        return (error.domain, error.code)
    }
}
