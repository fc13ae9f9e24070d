// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraCommand
internal import TesseraOAuth

/// Contents that go to standard output.
enum MediaOutput {
    static func write(_ body: HTTPBody) async throws {
        let output = try await OutputFile.open(nil)
        for try await chunk in body { try await output.write(chunk) }
    }
}
