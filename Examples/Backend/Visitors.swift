// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
import Hummingbird
import HTTPTypes
import Tessera
import TesseraOAuth

/// Which browser or app is whose: an unguessable value that only it has, and the person's `sub` in the database.
///
/// The value is new with every sign-in and is worth nothing after a sign-out, at every instance.
struct Visitors: Sendable {
    /// A browser that is signed in.
    static let cookie = "__Host-session"
    /// A browser that is about to be.
    static let attemptCookie = "__Host-attempt"
    /// How long a sign-in here holds, in seconds: two weeks.
    private static let lifetime = 14 * 86_400

    let store: any TransientStore

    /// Somebody signed in: a new value, whatever the browser came with.
    func welcome(_ account: Account) async throws -> String {
        let value = Self.newValue()
        let end = Date().addingTimeInterval(Double(Self.lifetime))
        try await self.store.keep(Array(account.subject.utf8), as: "visitor \(value)", until: end)
        return value
    }

    /// The `sub` of whoever sends this request, by cookie or, for an app, as a bearer token; nil for nobody.
    func subject(of request: Request) async throws -> String? {
        guard let value = Self.value(of: request), let content = try await self.store.content(of: "visitor \(value)")
        else { return nil }
        return String(decoding: content, as: UTF8.self)
    }

    /// The value of this request is worth nothing from now on.
    func dismiss(_ request: Request) async throws {
        guard let value = Self.value(of: request) else { return }
        _ = try await self.store.take("visitor \(value)")
    }

    private static func value(of request: Request) -> String? {
        let bearer = request.headers[.authorization]
            .flatMap { field in
                field.hasPrefix("Bearer ") ? String(field.dropFirst(7)) : nil
            }
        return (bearer ?? request.cookies[Self.cookie]?.value).flatMap { $0.utf8.count == 43 ? $0 : nil }
    }

    /// 256 bits of the system's randomness.
    private static func newValue() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// A cookie that this host alone gets and no script reads, over TLS (or at a loopback address), and with links from
    /// other sites but not with their forms.
    static func cookie(_ name: String, _ value: String, seconds: Int) -> Cookie {
        Cookie(name: name, value: value, maxAge: seconds, path: "/", secure: true, httpOnly: true, sameSite: .lax)
    }

    static func sessionCookie(_ value: String) -> Cookie { self.cookie(self.cookie, value, seconds: self.lifetime) }
    static let noSessionCookie = Self.cookie(Self.cookie, "", seconds: 0)
}
