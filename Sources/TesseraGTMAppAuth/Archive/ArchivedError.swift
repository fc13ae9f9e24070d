// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

extension NSError {
    /// Domain and code alone: what else an error holds may be anything, including a secret.
    var archived: NSError {
        #if canImport(ObjectiveC)
        NSError(domain: self.domain, code: self.code, userInfo: [:])
        #else
        ArchivedError(domain: self.domain, code: self.code, userInfo: [:])
        #endif
    }
}

#if !canImport(ObjectiveC)
/// An error whose hash can be computed, and whose code is archived whatever it is.
///
/// Foundation for Linux ends the process over the hash of an `NSError`, for which its archiver asks, and over a code that
/// does not fit into 32 bits.
///
/// `@unchecked`, as its superclass is: it adds nothing.
final class ArchivedError: NSError, @unchecked Sendable {
    override var hash: Int {
        var hasher = Hasher()
        hasher.combine(self.domain)
        hasher.combine(self.code)
        return hasher.finalize()
    }

    override func encode(with coder: NSCoder) {
        coder.encode(NSString(string: self.domain), forKey: "NSDomain")
        coder.encode(self.code, forKey: "NSCode")
        coder.encode(NSDictionary(), forKey: "NSUserInfo")
    }
}
#endif
