// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// Redirects that the system hands to the program, because it is registered for their scheme: by the application's
/// delegate on Apple's systems, by a desktop entry on Linux.
///
/// A program calls ``receive(_:)`` with every URL that it is opened with.
public final class HandedRedirects: Sendable {
    /// The one that a program uses which has no reason for several.
    public static let shared = HandedRedirects()

    private struct Wait {
        let redirectURI: String
        let queue: RedirectQueue
    }

    private struct State {
        var waits: [Int: Wait] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())

    /// One that nobody hands anything to yet.
    public init() {}

    /// Gives a URL to the sign-ins that wait for a redirect like it.
    ///
    /// Which of them it answers, if any, its `state` tells; a forged one changes nothing.
    ///
    /// - Returns: whether one waits: then the URL is none of the program's.
    public func receive(_ url: URL) -> Bool {
        let text = url.absoluteString
        let place = text.prefix { $0 != "?" && $0 != "#" }
        let waits = self.state.withLock { state in state.waits.values.filter { Self.isSame($0.redirectURI, place) } }
        for wait in waits { wait.queue.post(.redirect(Redirect(.redirect(text)) { _ in })) }
        return !waits.isEmpty
    }

    /// From now until ``leave(_:)`` redirects like this one go to a queue.
    func wait(for redirectURI: String, _ queue: RedirectQueue) -> Int {
        self.state.withLock { state in
            state.nextID += 1
            state.waits[state.nextID] = Wait(redirectURI: redirectURI, queue: queue)
            return state.nextID
        }
    }

    func leave(_ id: Int) { self.state.withLock { $0.waits[id] = nil } }

    /// Systems may write the scheme in lower case; the rest is compared exactly.
    private static func isSame(_ redirectURI: String, _ place: Substring) -> Bool {
        guard let colon = redirectURI.firstIndex(of: ":"), let other = place.firstIndex(of: ":") else { return false }
        return redirectURI[..<colon].lowercased() == place[..<other].lowercased()
            && redirectURI[colon...] == place[other...]
    }
}
