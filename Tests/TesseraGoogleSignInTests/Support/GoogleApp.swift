// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
@testable internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting

/// An app without a custom sign-in, whose transport and stores are replaced.
struct GoogleApp {
    static let clientID = "123-abc.apps.googleusercontent.com"
    static let account = Account(issuer: "https://accounts.google.com", clientID: Self.clientID, subject: "ada")

    let folder = KeychainFolder()
    let clock = TestClock()
    let transport: ScriptedTransport
    /// The keychain item of Google's library.
    let passwords = PasswordsInMemory()
    let item: KeychainStore
    /// The item in the login keychain.
    let formerPasswords = PasswordsInMemory()
    let formerItem: KeychainStore
    private let isMoved = Mark()

    private final class Mark: Sendable {
        let isSet = Mutex(false)
    }

    /// Creates an app whose requests have no response by default.
    init(_ script: @escaping ScriptedTransport.Script = { _ in throw TransportError(.cannotConnect) }) {
        self.transport = ScriptedTransport(script)
        self.item = KeychainStore(itemName: "auth", keychainHelper: self.passwords)
        self.formerItem = KeychainStore(itemName: "auth", keychainHelper: self.formerPasswords)
    }

    /// Whether the login keychain has been checked.
    var isFormerItemMoved: Bool { self.isMoved.isSet.withLock { $0 } }

    /// Returns the app's instance after a launch, without settings in Info.plist by default.
    func launched(_ configuration: @escaping @Sendable () -> GIDConfiguration? = { nil }) -> GIDSignIn {
        var platform = Platform()
        platform.configuration = configuration
        let (transport, clock, folder, mark) = (self.transport, self.clock, self.folder, self.isMoved)
        platform.runtime = { _ in .testing(transport: transport, clock: clock) }
        platform.store = { _ in folder.store() }
        platform.ownStore = { folder.store() }
        platform.item = self.item
        platform.formerItem = FormerItem(
            store: self.formerItem,
            isMoved: { mark.isSet.withLock { $0 } },
            markAsMoved: { mark.isSet.withLock { $0 = true } }
        )
        return GIDSignIn(GIDSignIn.State(), storesMultipleAccounts: false, platform: platform)
    }

    /// Saves a session in the app's keychain.
    func save(_ account: Account = Self.account, consentedAt seconds: Double = 0) async throws {
        var record = try SessionRecord.sample(for: account)
        record.history.consentedAt += seconds
        try await self.folder.store().update(account) { [record] in try await $0.save(record) }
    }

    /// Returns a session as Google's library stores it.
    static func ancestorSession(
        _ clientID: String = Self.clientID,
        refreshToken: String = "refresh"
    ) -> AuthSession {
        let configuration = AuthSession.configurationForGoogle()
        let request = OIDTokenRequest(
            configuration: configuration,
            grantType: OIDGrantTypeRefreshToken,
            clientID: clientID
        )
        let response = OIDTokenResponse(
            request: request,
            parameters: [
                "access_token": "access", "token_type": "Bearer", "expires_in": 3600,
                "refresh_token": refreshToken, "scope": "openid email",
            ]
        )
        let state = OIDAuthState(authorizationResponse: nil, tokenResponse: response, registrationResponse: nil)
        return AuthSession(authState: state)
    }
}
