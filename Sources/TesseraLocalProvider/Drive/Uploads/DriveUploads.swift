// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraSupport
internal import TesseraJOSE

/// The upload sessions; bounded, the oldest give way.
final class DriveUploads: Sendable {
    private static let limit = 1000

    private struct State {
        var uploads: [String: DriveUpload] = [:]
        var order: [String] = []
    }

    private let state = Mutex(State())
    private let randomBytes: @Sendable (_ count: Int) -> [UInt8]

    init(randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8]) { self.randomBytes = randomBytes }

    func upload(_ id: String) -> DriveUpload? { self.state.withLock { $0.uploads[id] } }

    /// Keeps a session under a random identifier; returns that, and the session that had to go for it.
    func add(_ upload: DriveUpload) -> (id: String, lost: DriveUpload?) {
        let id = Base64URL.encode(self.randomBytes(32))
        let lost = self.state.withLock { state -> DriveUpload? in
            state.uploads[id] = upload
            state.order.append(id)
            guard state.order.count > Self.limit else { return nil }
            return state.uploads.removeValue(forKey: state.order.removeFirst())
        }
        return (id, lost)
    }

    @discardableResult
    func remove(_ id: String) -> DriveUpload? {
        self.state.withLock { state in
            state.order.removeAll { $0 == id }
            return state.uploads.removeValue(forKey: id)
        }
    }
}
#endif
