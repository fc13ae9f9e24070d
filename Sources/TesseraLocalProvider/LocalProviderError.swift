// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// The provider could not be started.
public struct LocalProviderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: String, Sendable, Hashable {
        /// An option has a value that cannot be used.
        case invalidOption
        /// The data directory is not there, is no directory, or cannot be read.
        case dataDirectory
        /// The address cannot be listened at: the port is taken, or the host is not this machine.
        case cannotListen
        /// The certificate could not be made or written.
        case certificate
    }

    /// What went wrong.
    public let code: Code
    /// One sentence: what happened and what to do.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
#endif
