// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// The local provider showed a page that cannot be walked on from: an error page, mostly.
public struct ConsentWalkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The page's HTTP status.
    public let status: Int
    /// The page's heading.
    public let heading: String

    /// One line: what the page says.
    public var description: String { "The provider's page says: \(self.heading) [HTTP \(self.status)]" }
}
#endif
