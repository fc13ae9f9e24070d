// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

/// What is kept of an attempt while the person is at the provider.
struct WebAttempt: Sendable {
    let authorization: Secret
    let path: LocalPath

    init(authorization: Secret, path: LocalPath) {
        self.authorization = authorization
        self.path = path
    }

    /// - Throws: ``StoreError`` `corrupt`.
    init(decoding bytes: [UInt8]) throws(StoreError) {
        guard let document = try? JSONValue(parsing: bytes),
            let authorization = document["authorization"]?.string,
            let path = document["path"]?.string.flatMap({ LocalPath($0) })
        else { throw StoreError(.corrupt, place: "a pending sign-in", detail: "it cannot be read") }
        self.init(authorization: Secret(authorization), path: path)
    }

    var encoded: [UInt8] {
        let authorization = self.authorization.withUnredacted { JSONNode.string($0) }
        return
            JSONNode.object([
                JSONMember(name: "authorization", value: authorization),
                JSONMember(name: "path", value: .string(self.path.path)),
            ])
            .serialized()
    }
}
