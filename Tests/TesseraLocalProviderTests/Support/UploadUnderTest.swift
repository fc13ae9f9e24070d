// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
@testable internal import TesseraLocalProvider

/// An upload session of a local Drive without a socket.
struct UploadUnderTest {
    static let granule = 256 << 10

    let drive: DriveUnderTest
    /// The path and query of the session URL.
    var target: String

    /// Starts a session for a new file, or for the file with the given ID.
    init(
        _ drive: DriveUnderTest,
        id: String? = nil,
        query: String = "uploadType=resumable&fields=*",
        metadata: String = #"{"name": "Big.bin"}"#,
        _ fields: [String: String] = [:]
    ) async throws {
        let isCommand = fields["X-Goog-Upload-Protocol"] != nil
        let path = (isCommand ? "/resumable" : "") + "/upload/drive/v3/files" + (id.map { "/\($0)" } ?? "")
        let response = await drive.send(
            id == nil ? .post : .patch,
            "\(path)?\(query)",
            ["Content-Type": "application/json"].merging(fields) { $1 },
            body: Array(metadata.utf8)
        )
        try #require(response.status == .ok)
        #expect(response.bytes.isEmpty)
        self.drive = drive
        self.target = ""
        let address = response.headers[named: isCommand ? "X-Goog-Upload-URL" : "Location"]
        self.target = try Self.target(try #require(address))
    }

    static func target(_ address: String) throws -> String {
        try #require(address.hasPrefix(ProviderUnderTest.baseURL + "/"))
        return String(address.dropFirst(ProviderUnderTest.baseURL.count))
    }

    /// Sends a request to the session without a token, since the URL alone authorizes it.
    func put(
        _ contentRange: String?,
        _ body: [UInt8] = [],
        fault: LocalProviderOptions.DriveFault = .none
    ) async -> ProviderResponse {
        var fields = ["Authorization": ""]
        fields["Content-Range"] = contentRange
        return await self.drive.send(.put, self.target, fields, body: body, fault: fault)
    }

    func command(
        _ command: String,
        offset: Int? = nil,
        _ body: [UInt8] = [],
        fault: LocalProviderOptions.DriveFault = .none
    ) async -> ProviderResponse {
        var fields = ["Authorization": "", "X-Goog-Upload-Command": command]
        fields["X-Goog-Upload-Offset"] = offset.map(String.init)
        return await self.drive.send(.post, self.target, fields, body: body, fault: fault)
    }

    static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }
}
#endif
