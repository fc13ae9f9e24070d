// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// What a sign-in brought.
public final class GIDSignInResult: NSObject, CustomReflectable, Sendable {
    /// The person.
    public let user: GIDGoogleUser
    /// A code that the program's server exchanges for tokens of its own; nil unless the configuration names a server's
    /// client, and then only when Google gives one.
    ///
    /// It is a secret, and good once.
    public let serverAuthCode: String?

    init(user: GIDGoogleUser, serverAuthCode: Secret?) {
        self.user = user
        self.serverAuthCode = serverAuthCode?.withUnredacted { $0 }
    }

    /// Nobody and nothing secret.
    public override var description: String { "result of a sign-in" }
    /// Nobody and nothing secret.
    public override var debugDescription: String { self.description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
