// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraConsole
internal import TesseraGoogle
internal import TesseraJSON

/// `tessera token` with credentials instead of a session.
struct CredentialToken: Sendable {
    let choice: CredentialChoice
    /// The receiver of an ID token, or nil for an access token.
    let audience: String?
    let printsHeader: Bool
    let printsJSON: Bool

    /// Requests a token and prints it.
    func run() async throws {
        try await self.choice.withCredentials { credentials in
            let token = try await self.token(credentials)
            if self.printsJSON {
                Console.print(json: token.json)
            } else {
                Console.print(token.text(asHeader: self.printsHeader))
            }
        }
    }

    private func token(_ credentials: GoogleCredentials) async throws -> PrintedToken {
        // The address of a machine's service account requires a request.
        var account = self.choice.subject
        if account == nil, self.printsJSON { account = try await credentials.email() }
        guard let audience else {
            let token = try await credentials.accessToken()
            return PrintedToken(secret: token.secret, expiresAt: token.expiresAt, account: account)
        }
        let token = try await credentials.idToken(audience: audience)
        return PrintedToken(secret: token.secret, isIDToken: true, expiresAt: token.expiresAt, account: account)
    }
}

/// A token in the form in which `tessera token` prints it.
struct PrintedToken {
    let secret: Secret
    var isIDToken = false
    var scheme = TokenType.bearer
    let expiresAt: Date?
    let account: String?

    var json: JSONNode {
        self.secret.withUnredacted { text in
            [
                "token": .string(text),
                "type": .string(self.isIDToken ? "id_token" : "access_token"),
                "header": .string("Authorization: \(self.scheme.rawValue) \(text)"),
                "expiresAt": TimeText.json(self.expiresAt),
                "account": self.account.map { .string($0) } ?? .null,
            ]
        }
    }

    /// Returns the token, or the whole header field with it.
    func text(asHeader: Bool) -> TerminalText {
        self.secret.withUnredacted { asHeader ? "Authorization: \(self.scheme.rawValue) \($0)" : "\($0)" }
    }
}
