// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Checks that each upload arrives complete, exactly once.
///
/// An upload that has failed, or whose process was killed, can have arrived too.
struct UploadChecker: Sendable {
    /// The bytes of each upload.
    private var sent: [Int: SimulatedContent] = [:]
    /// The uploads that have created an object.
    private var created: Set<Int> = []
    /// The upload of each operation.
    private var operations: [Int: Int] = [:]

    /// Returns how an event violates the promise, or nil.
    mutating func observe(_ action: SimulationEvent.Action) -> String? {
        switch action {
        case .uploading(let operation, let upload, let content):
            self.operations[operation] = upload
            self.sent[upload] = content
        case .created(let upload, let content):
            guard self.created.insert(upload).inserted else { return "upload \(upload) created a second object" }
            guard let sent = self.sent[upload], sent == content else {
                return "upload \(upload) created an object of \(content.count) bytes that differ from those sent"
            }
        case .pieceRejected(let upload, let offset, let received):
            return "upload \(upload) continued at byte \(offset) after the API had received \(received) bytes"
        case .succeeded(let operation):
            guard let upload = self.operations.removeValue(forKey: operation) else { return nil }
            if !self.created.contains(upload) {
                return "operation \(operation) succeeded, but upload \(upload) created no object"
            }
        case .failed(let operation, _), .canceled(let operation), .ended(let operation, _):
            self.operations[operation] = nil
        default: break
        }
        return nil
    }
}
