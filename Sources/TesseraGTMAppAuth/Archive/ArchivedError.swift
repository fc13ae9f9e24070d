// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// An error's domain and code in an archive, where it is an `NSError`.
///
/// What else an error holds may be anything, also a secret. Foundation for Linux ends the process over the hash of an
/// `NSError`, for which its archiver asks.
///
/// `@unchecked`, as its superclass is: it adds nothing.
final class ArchivedError: NSError, @unchecked Sendable {
    convenience init(_ error: NSError) { self.init(domain: error.domain, code: error.code, userInfo: [:]) }

    override var hash: Int {
        var hasher = Hasher()
        hasher.combine(self.domain)
        hasher.combine(self.code)
        return hasher.finalize()
    }
}
