// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && !canImport(Darwin)
@testable internal import OriginalSamples

/// The log that a sample shows.
@MainActor
final class ShownText {
    private let view: UITextView
    private let changes: AsyncStream<Void>

    init(_ view: UITextView) {
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        self.view = view
        self.changes = changes
        view.didChange = { _ in change.yield() }
    }

    /// Waits until the log contains a text, and returns the log.
    ///
    /// Then the log is cleared.
    func wait(for text: String) async -> String {
        for await _ in self.changes {
            guard let log = self.view.text, log.contains(text) else { continue }
            self.view.text = ""
            return log
        }
        return ""
    }
}
#endif
