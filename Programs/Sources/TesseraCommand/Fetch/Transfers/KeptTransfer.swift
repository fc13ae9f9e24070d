// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera
package import TesseraFetch

/// A file that goes up or comes down while a person looks, and can go on after an interruption.
package enum KeptTransfer {
    /// What an upload keeps for a later call.
    package typealias Keep = @Sendable (UploadState) async throws -> Void

    /// Uploads a file.
    ///
    /// - Parameters:
    ///   - file: its path.
    ///   - place: what tells this upload of the file from others, such as an address.
    ///   - account: who uploads it.
    ///   - resumes: whether what an earlier call left goes on.
    ///   - send: does it, from a state, and keeps the states that it comes to.
    /// - Returns: what `send` returned.
    /// - Throws: what `send` throws, with the words how it goes on.
    package static func upload<Answer: Sendable>(
        _ file: String,
        to place: String,
        by account: Account,
        resumes: Bool,
        _ send: (UploadState?, TransferProgress, @escaping Keep) async throws -> Answer
    ) async throws -> Answer {
        let kept = KeptUpload(of: file, to: place, by: account)
        let state = resumes ? try await kept?.load() : nil
        let answer = try await Self.show(file, "sent", canGoOn: kept != nil) { progress in
            try await send(state, progress) { state in try await kept?.save(state) }
        }
        try await kept?.remove()
        return answer
    }

    /// Downloads to a file.
    package static func download<Answer: Sendable>(
        to file: String,
        _ get: (TransferProgress) async throws -> Answer
    ) async throws -> Answer {
        try await Self.show(file, "received", canGoOn: true, get)
    }

    private static func show<Answer: Sendable>(
        _ file: String,
        _ verb: String,
        canGoOn: Bool,
        _ transfer: (TransferProgress) async throws -> Answer
    ) async throws -> Answer {
        let display = TransferDisplay(String(file.split(separator: "/").last ?? "file"))
        let progress = TransferProgress()
        async let shown: Void = display.follow(progress)
        do {
            let answer = try await transfer(progress)
            progress.finish()
            await shown
            return answer
        } catch {
            // What failed before it began has ended nothing.
            progress.finish()
            await shown
            throw TransferStopped.error(error, progress.latest, verb, canGoOn: canGoOn)
        }
    }
}
