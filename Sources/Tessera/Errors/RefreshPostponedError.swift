// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// The system is about to suspend the process, so that a refresh was not begun.
///
/// A response that the process does not live to see would lose the session where refresh tokens rotate.
public struct RefreshPostponedError: ErrorGuidance, Sendable, Hashable {
    package init() {}

    /// Always true.
    public var isRetryable: Bool { true }
    /// One line.
    public var description: String { "The access token was not refreshed: the system is about to suspend the app." }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? { "Try again when the app is in the foreground, or in a background task." }
}
