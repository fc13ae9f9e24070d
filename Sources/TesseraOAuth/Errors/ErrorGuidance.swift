// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What every error of Tessera can say to a tired person: does the session survive, does trying again help, what to do.
///
/// - SeeAlso: [RFC 6749, section 5.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2)
public protocol ErrorGuidance: Error, CustomStringConvertible {
    /// Whether the signed-in session is still there and usable after this error.
    var sessionSurvives: Bool { get }
    /// Whether the same call may succeed later without anybody changing anything.
    var retryCanHelp: Bool { get }
    /// One sentence: what the user or the developer can do. No secret, no stack.
    var whatToDo: String { get }
}
