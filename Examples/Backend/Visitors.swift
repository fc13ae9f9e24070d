// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
import Hummingbird
import HTTPTypes
import Tessera
import TesseraOAuth

/// The site's own sessions, which associate a browser or an app with a user.
///
/// A session is identified by a random value that only the browser or app has. The database contains the user's `sub`,
/// and the generation of the user's sessions, which changes when all of them end. The value changes with every sign-in,
/// and no instance accepts it after sign-out.
struct Visitors: Sendable {
    /// The name of the cookie that identifies a signed-in browser.
    static let cookie = "__Host-session"
    /// The name of the cookie that identifies a browser with a pending sign-in.
    static let attemptCookie = "__Host-attempt"
    /// The lifetime of a session in seconds: two weeks.
    private static let lifetime = 14 * 86_400

    let store: any TransientStore

    /// Creates a session for a user and returns its value, which is always new.
    func welcome(_ account: Account) async throws -> String {
        let value = Self.newValue()
        let content = "\(try await self.generation(of: account.subject) ?? "") \(account.subject)"
        let end = Date().addingTimeInterval(Double(Self.lifetime))
        try await self.store.save(Array(content.utf8), as: "visitor \(value)", until: end)
        return value
    }

    /// Returns the `sub` of the user who sent the request, or nil if the request does not belong to a session.
    ///
    /// Browsers send the session's value as a cookie, apps as a bearer token.
    func subject(of request: Request) async throws -> String? {
        guard let value = Self.value(of: request), let content = try await self.store.content(of: "visitor \(value)")
        else { return nil }
        let parts = String(decoding: content, as: UTF8.self)
            .split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return nil }
        let generation = try await self.generation(of: parts[1])
        return generation == nil || generation == parts[0] ? parts[1] : nil
    }

    /// Ends the session of the request.
    func dismiss(_ request: Request) async throws {
        guard let value = Self.value(of: request) else { return }
        _ = try await self.store.take("visitor \(value)")
    }

    /// Ends all sessions of a user, in other browsers and apps, too.
    ///
    /// Otherwise, a stolen value would become valid again with the user's next sign-in.
    func dismissAll(of subject: String) async throws {
        // When the generation is forgotten, the sessions that it has ended have expired.
        let end = Date().addingTimeInterval(Double(2 * Self.lifetime))
        try await self.store.save(Array(Self.newValue().utf8), as: "generation \(subject)", until: end)
    }

    /// Returns the generation of a user's current sessions, or nil if all sessions that may exist are current.
    private func generation(of subject: String) async throws -> String? {
        try await self.store.content(of: "generation \(subject)").map { String(decoding: $0, as: UTF8.self) }
    }

    private static func value(of request: Request) -> String? {
        let bearer = request.headers[.authorization]
            .flatMap { field in
                field.hasPrefix("Bearer ") ? String(field.dropFirst(7)) : nil
            }
        guard let bearer else { return Self.cookie(Self.cookie, of: request) }
        return Self.isValue(bearer) ? bearer : nil
    }

    /// Returns the value of a cookie that this server has set, or nil if it is missing, malformed or ambiguous.
    ///
    /// A site on a sibling domain cannot set a cookie whose name begins with `__Host-`. Therefore a name is compared byte
    /// by byte: a parser that removes other white space before a name would accept a cookie of such a site.
    static func cookie(_ name: String, of request: Request) -> String? {
        let pairs = request.headers[values: .cookie].flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }
            .map { pair in pair.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }
        let values = pairs.filter { $0.starts(with: "\(name)=".utf8) }.map { $0.dropFirst(name.utf8.count + 1) }
        guard values.count == 1, let value = values.first.flatMap({ String($0) }) else { return nil }
        return Self.isValue(value) ? value : nil
    }

    /// Whether a text has the form of the random values that this server generates: 32 bytes in base64url.
    private static func isValue(_ text: String) -> Bool {
        text.utf8.count == 43
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }

    /// Returns a value with 256 bits from the system's random number generator.
    private static func newValue() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Returns a cookie that only this host receives and that scripts cannot read.
    ///
    /// Browsers send it over TLS or to a loopback address. They send it when the user follows a link from another site,
    /// but not with forms of other sites.
    static func cookie(_ name: String, _ value: String, seconds: Int) -> Cookie {
        Cookie(name: name, value: value, maxAge: seconds, path: "/", secure: true, httpOnly: true, sameSite: .lax)
    }

    static func sessionCookie(_ value: String) -> Cookie { self.cookie(self.cookie, value, seconds: self.lifetime) }
    static let noSessionCookie = Self.cookie(Self.cookie, "", seconds: 0)
}
