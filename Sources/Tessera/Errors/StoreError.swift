// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// A store failed: what happened, to which file or item, and the system's own word for it.
public struct StoreError: ErrorGuidance, Sendable, Hashable {
    /// What failed.
    public let code: Code
    /// The file, item or service, in the user's terms.
    ///
    /// Never a secret.
    public let place: String
    /// The system's status (`errno`, `OSStatus`), where there is one.
    public let status: Int32?
    /// More words from the system or the reader, where there are any.
    public let detail: String?

    /// A store's error.
    public init(_ code: Code, place: String, status: Int32? = nil, detail: String? = nil) {
        self.code = code
        self.place = place
        self.status = status
        self.detail = detail
    }

    /// What errors call the keyring that answers on a Linux desktop's session bus.
    package static let secretServicePlace = "Secret Service"

    /// Whether the session's record is corrupt or unreadable.
    public var endsSession: Bool { self.code == .corrupt }
    /// Whether the failure may pass by itself.
    public var isRetryable: Bool {
        [.busy, .postponed, .locked, .deviceLocked, .unreachable, .leaseLost].contains(self.code)
    }
    /// One line: what happened and where.
    public var description: String {
        let words = self.detail.map { ": \($0)" } ?? ""
        return "\(self.code.sentence) (\(self.place))\(words)"
    }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? { self.code.advice }
}
