// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import Foundation
internal import FoundationNetworking
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import Tessera
internal import TesseraAgent
internal import TesseraFetch
internal import TesseraGTMAppAuth
internal import TesseraGoogleAPI
internal import TesseraGoogleSignIn
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraMigration
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Errors as LocalizedError")
struct LocalizedErrorTests {
    private static let refused = HTTPResponse(
        status: .forbidden,
        headerFields: [.wwwAuthenticate: #"Bearer error="insufficient_scope", error_description="more""#]
    )
    private static let errors: [any LocalizedError] = [
        OAuthError(.invalidGrant, serverDescription: "expired"),
        BearerChallengeError(refused) ?? OAuthError(.serverError),
        AccessTokenError.noToken, HTTPStatusError(status: 503, endpoint: "token endpoint"), TransportError(.timedOut),
        ProtocolViolationError(.state, expected: "the state", section: "RFC 6749, section 10.12"),
        InvalidRequestError("scope", reason: "empty"), SignInError(.timedOut), StoreError(.corrupt, location: "file"),
        SessionEndedError(.refused), UnauthorizedOriginError(origin: "https://a.example", authorizedOrigins: []),
        AgentError(.loginRequired), GoogleAPIError(httpStatus: 404), FileError(.busy, path: "file"),
        UploadError(.sessionExpired), MigrationError(.damaged), GIDSignInError(.canceled), ContractError("A name."),
        JSONError(.tooDeep, offset: 3), JWSSigningKeyError.invalidPEM, KeychainStore.Error.noService,
        RefreshPostponedError(),
        AdoptionInterruptedError(
            credentials: ExistingCredentials(refreshToken: Secret("refresh"), scopes: [.openID]),
            cause: SignInError(.timedOut)
        ),
        AuthSession.Error.accessTokenEmptyForRequest(URLRequest(url: URL(filePath: "/"))),
    ]

    @Test("An error describes itself and suggests what to do", arguments: errors.indices)
    func texts(_ index: Int) throws {
        let error = Self.errors[index]
        #expect(error.errorDescription?.isEmpty == false)
        #expect(error.recoverySuggestion?.hasSuffix(".") == true)
        #expect((error as any Error).localizedDescription == error.errorDescription)
        if let guidance = error as? any ErrorGuidance { #expect(error.errorDescription == guidance.description) }
    }

    @Test("Only an error that requires a new sign-in ends the session")
    func ends() {
        let ending = Self.errors.filter { ($0 as? any ErrorGuidance)?.endsSession == true }.map { "\(type(of: $0))" }
        #expect(ending == ["OAuthError", "StoreError", "SessionEndedError", "AgentError"])
    }

    @Test("Only transient errors are retryable")
    func retryable() {
        let retryable = Self.errors.filter { ($0 as? any ErrorGuidance)?.isRetryable == true }.map { "\(type(of: $0))" }
        #expect(
            retryable == [
                "HTTPStatusError", "TransportError", "SignInError", "FileError", "UploadError", "RefreshPostponedError",
                "AdoptionInterruptedError",
            ]
        )
    }
}
