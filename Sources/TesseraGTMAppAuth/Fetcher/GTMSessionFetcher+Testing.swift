// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A closure for tests of the whole process.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``FetcherSettings``.
struct GlobalTest: @unchecked Sendable {
    var block: GTMSessionFetcherTestBlock?
}

/// Settings of the whole process.
extension GTMSessionFetcher {
    private static let global = Mutex(GlobalTest())

    /// Returns the closure that applies to all fetchers without a test closure.
    static func globalTest() -> GlobalTest { self.global.withLock { $0 } }

    /// Sets a closure that replaces the network for all fetchers without a ``testBlock``, or nil.
    public class func setGlobalTest(_ block: GTMSessionFetcherTestBlock? = nil) {
        let test = GlobalTest(block: block)
        self.global.withLock { $0 = test }
    }

    /// Returns whether the app's settings permit http to any host, which Tessera never does.
    public class func appAllowsInsecureRequests() -> Bool { false }

    /// Does nothing, because requests contain tokens, which must not be logged.
    public class func setLoggingEnabled(_ flag: Bool) {}

    /// Returns whether fetchers log, which is always false.
    public class func isLoggingEnabled() -> Bool { false }
}
