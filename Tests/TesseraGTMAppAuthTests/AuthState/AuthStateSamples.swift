// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import TesseraGTMAppAuth
internal import TesseraSupport
internal import TesseraTesting

/// Responses and states of the code flow that need no network.
enum CodeFlow {
    static var tokenMembers: [String: Any] {
        ["access_token": "access-1", "token_type": "Bearer", "expires_in": 3_600, "refresh_token": "refresh-1"]
    }

    static func authorization(_ parameters: [String: Any] = ["code": "code-1"]) throws -> OIDAuthorizationResponse {
        OIDAuthorizationResponse(request: try Samples.authorizationRequest(), parameters: parameters)
    }

    static func tokens(
        _ parameters: [String: Any] = Self.tokenMembers,
        receivedAt date: Date = Date()
    ) throws -> OIDTokenResponse {
        OIDTokenResponse(request: try Samples.tokenRequest(), parameters: parameters, receivedAt: date)
    }

    /// Returns the state of a signed-in user.
    static func state(
        _ parameters: [String: Any] = Self.tokenMembers,
        receivedAt date: Date = Date()
    ) throws -> OIDAuthState {
        OIDAuthState(
            authorizationResponse: try self.authorization(),
            tokenResponse: try self.tokens(parameters, receivedAt: date)
        )
    }

    static let invalidGrant = NSError(
        domain: OIDOAuthTokenErrorDomain,
        code: OIDErrorCodeOAuthToken.invalidGrant.rawValue
    )
    static let accessDenied = NSError(
        domain: OIDOAuthAuthorizationErrorDomain,
        code: OIDErrorCodeOAuthAuthorization.accessDenied.rawValue
    )
    static let offline = NSError(domain: NSURLErrorDomain, code: NSURLErrorNotConnectedToInternet)
}

extension AppAuthProgram {
    /// Creates a program whose provider does not require a client secret.
    static func withoutSecret(
        _ change: (inout ScriptedProvider.Options) -> Void = { _ in }
    ) throws -> AppAuthProgram {
        var options = ScriptedProvider.Options()
        options.requiresClientSecret = false
        change(&options)
        return try AppAuthProgram(options)
    }

    /// Returns a state with a token response that the provider did not issue.
    func state(_ parameters: [String: Any], clientSecret: String? = nil) async throws -> OIDAuthState {
        let response = try await self.consent()
        let request = OIDTokenRequest(
            configuration: response.request.configuration,
            grantType: OIDGrantTypeAuthorizationCode,
            clientID: ScriptedProvider.clientID,
            clientSecret: clientSecret
        )
        let tokens = OIDTokenResponse(
            request: request,
            parameters: parameters,
            receivedAt: self.network.clock.date
        )
        return OIDAuthState(authorizationResponse: response, tokenResponse: tokens)
    }

    /// Makes the token endpoint issue `access-2`.
    func issueTokens() {
        self.network.intercept("/token") { _ in
            .json(#"{"access_token":"access-2","token_type":"Bearer","expires_in":3600}"#)
        }
    }
}

/// The arguments of an action.
struct ActionArguments: Sendable {
    let accessToken: String?
    let idToken: String?
    let error: NSError?
}

extension OIDAuthState {
    /// Performs an action and returns its arguments.
    func arguments(
        _ parameters: [String: String]? = nil,
        on queue: DispatchQueue = DispatchQueue(label: "action")
    ) async -> ActionArguments {
        await withCheckedContinuation { continuation in
            self.performAction(
                freshTokens: { accessToken, idToken, error in
                    let error = error.map { $0 as NSError }
                    let arguments = ActionArguments(accessToken: accessToken, idToken: idToken, error: error)
                    continuation.resume(returning: arguments)
                },
                additionalRefreshParameters: parameters,
                dispatchQueue: queue
            )
        }
    }
}

/// Records the calls of a state's delegates in order.
final class DelegateCalls: OIDAuthStateChangeDelegate, OIDAuthStateErrorDelegate, Sendable {
    private struct State {
        var names: [String] = []
        var areOnMainQueue: [Bool] = []
    }

    private let state = Mutex(State())

    /// The calls: `change`, `end` or `failure`, the last two with the error's code.
    var names: [String] { self.state.withLock { $0.names } }
    /// Whether each call was on the main queue.
    var areOnMainQueue: [Bool] { self.state.withLock { $0.areOnMainQueue } }

    func didChange(_ state: OIDAuthState) { self.record("change") }

    func authState(_ state: OIDAuthState, didEncounterAuthorizationError error: any Error) {
        self.record("end \((error as NSError).code)")
    }

    func authState(_ state: OIDAuthState, didEncounterTransientError error: any Error) {
        self.record("failure \((error as NSError).code)")
    }

    /// Makes this object both delegates of a state.
    func observe(_ state: OIDAuthState) {
        state.stateChangeDelegate = self
        state.errorDelegate = self
    }

    private func record(_ name: String) {
        let isOnMainQueue = MainQueue.isCurrent
        self.state.withLock { state in
            state.names.append(name)
            state.areOnMainQueue.append(isOnMainQueue)
        }
    }
}

/// The main queue, which Linux does not run on the main thread.
enum MainQueue {
    private static let key = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the current code runs on the main queue.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: self.key) == true }
}
