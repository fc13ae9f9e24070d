// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TesseraJSON
@testable internal import TesseraLocalProvider

/// A local Drive without a socket, with a signed-in client.
struct DriveUnderTest {
    var token: String
    let service: ProviderService
    private let router: ProviderRouter
    /// The data directory, which is removed when the last reference to it is released.
    let directory: TemporaryDirectory?

    init(scope: String = ProviderUnderTest.drive, directory: TemporaryDirectory? = nil) throws {
        var provider = try ProviderUnderTest {
            $0.dataDirectory = directory?.path
            $0.now = { Date(timeIntervalSince1970: 1_800_000_000) }
        }
        self.token = try provider.tokens(["scope": scope]).access
        let state = provider.state
        self.service = try ProviderService(options: state.options)
        self.service.withState { $0 = state }
        self.router = ProviderRouter(self.service)
        self.directory = directory
    }

    func send(
        _ method: HTTPRequest.Method,
        _ target: String,
        _ fields: [String: String] = [:],
        body: [UInt8] = [],
        fault: LocalProviderOptions.DriveFault = .none
    ) async -> ProviderResponse {
        var headers = HTTPFields()
        headers[.authorization] = "Bearer \(self.token)"
        for (name, value) in fields { headers[named: name] = value }
        self.service.withState { $0.behavior.driveFaults = [fault] }
        return await self.router.response(
            ProviderRequest(method, target, authority: "127.0.0.1:8400", headers: headers, body: body)
        )
    }

    func get(_ target: String, _ fields: [String: String] = [:]) async -> ProviderResponse {
        await self.send(.get, target, fields)
    }

    /// Returns the names of the listed files.
    func names(_ parameters: [(String, String)] = []) async throws -> [String] {
        let response = try await self.get("/drive/v3/files?" + ProviderUnderTest.form(parameters)).json
        return response["files"]?.elements?.compactMap { $0["name"]?.string } ?? []
    }

    func id(_ name: String) async throws -> String {
        let query = ProviderUnderTest.form([("q", "name = '\(name)'")])
        return try await self.get("/drive/v3/files?" + query).json["files"]?.elements?.first?["id"]?.string ?? ""
    }

    func upload(_ metadata: String, _ media: [UInt8], type: String = "text/plain") async -> ProviderResponse {
        let first = "--b\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n\(metadata)"
        let head = first + "\r\n--b\r\nContent-Type: \(type)\r\n\r\n"
        return await self.send(
            .post,
            "/upload/drive/v3/files?uploadType=multipart&fields=*",
            ["Content-Type": "multipart/related; boundary=\"b\""],
            body: Array(head.utf8) + media + Array("\r\n--b--\r\n".utf8)
        )
    }
}

extension ProviderResponse {
    /// The reason of a Google API error.
    var reason: String? {
        (try? self.json["error"]?["errors"]?.elements?.first?["reason"]?.string) ?? nil
    }

    /// The whole content.
    var wholeContent: [UInt8] {
        get async throws {
            switch self.content {
            case .bytes(let bytes): return bytes
            case .file(var download):
                var bytes: [UInt8] = []
                while let chunk = try await download.nextChunk() { bytes += chunk }
                return bytes
            }
        }
    }
}
#endif
