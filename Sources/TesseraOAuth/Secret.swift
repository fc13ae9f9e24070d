// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A string that appears in no description, reflection or dump: every token, code, verifier and client secret is one.
///
/// Two secrets are equal when their text is. There is one way out, ``withUnredacted(_:)``; a reader of the code can
/// search for it.
///
/// - SeeAlso: [RFC 6749, section 10.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-10.3)
public struct Secret: Sendable, Hashable {
    private let value: String

    /// Wraps a text.
    ///
    /// There is no literal syntax, on purpose.
    public init(_ value: String) { self.value = value }

    /// Runs `body` with the secret in the clear.
    public func withUnredacted<Result, Failure: Error>(
        _ body: (String) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self.value)
    }

    /// A text of somebody else's that may repeat the secret, with `<redacted>` in its place.
    package func removed(from text: String) -> String {
        self.value.isEmpty ? text : text.replacing(self.value, with: "<redacted>")
    }

    /// A name of somebody else's, such as an error's code, that may be the secret.
    ///
    /// A secret of less than eight bytes is left in it: it would take names apart that mean something, and hides nothing.
    package func removed(fromName name: String) -> String {
        self.value.utf8.count < 8 ? name : self.removed(from: name)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }
    /// Always `<redacted>`.
    public var debugDescription: String { "<redacted>" }
    /// A mirror without children: `dump` would show the text otherwise.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
