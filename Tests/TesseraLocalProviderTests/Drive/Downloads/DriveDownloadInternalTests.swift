// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import Testing
internal import TesseraJSON
@testable internal import TesseraLocalProvider

@Suite("Conditional downloads from the local Drive")
struct DriveDownloadInternalTests {
    /// Uploads a file of ten digits and returns its download path.
    static func digits(onDisk: Bool) async throws -> (DriveUnderTest, TemporaryDirectory?, String) {
        let directory = onDisk ? try TemporaryDirectory() : nil
        let drive = try DriveUnderTest(directory: directory)
        let id = try await drive.upload(#"{"name": "digits"}"#, Array("0123456789".utf8)).json["id"]?.string
        return (drive, directory, "/drive/v3/files/\(try #require(id))?alt=media")
    }

    @Test("Sends a strong ETag that changes with the content", arguments: [true, false])
    func tag(onDisk: Bool) async throws {
        let (drive, _, path) = try await Self.digits(onDisk: onDisk)
        let first = await drive.get(path)
        let tag = try #require(first.headers[.eTag])
        #expect(tag.hasPrefix("\""))
        #expect(tag.hasSuffix("\""))
        #expect(tag.count > 10)
        #expect(first.headers[.lastModified]?.hasSuffix(" GMT") == true)
        #expect(await drive.get(path).headers[.eTag] == tag)
        let update = "/upload" + path.replacing("alt=media", with: "uploadType=media")
        #expect(await drive.send(.patch, update, body: Array("9876543210".utf8)).status == .ok)
        #expect(await drive.get(path).headers[.eTag] != tag)
    }

    @Test("Serves a range only if If-Range matches the current content", arguments: [true, false])
    func ifRange(onDisk: Bool) async throws {
        let (drive, _, path) = try await Self.digits(onDisk: onDisk)
        let first = await drive.get(path)
        let (tag, date) = (try #require(first.headers[.eTag]), try #require(first.headers[.lastModified]))
        for condition in [tag, date] {
            let part = await drive.get(path, ["Range": "bytes=7-", "If-Range": condition])
            #expect(part.status == .partialContent)
            #expect(part.headers[.eTag] == tag)
            #expect(try await part.wholeContent == Array("789".utf8))
        }
        for condition in ["\"other\"", "W/" + tag, "Sun, 06 Nov 1994 08:49:37 GMT"] {
            let whole = await drive.get(path, ["Range": "bytes=7-", "If-Range": condition])
            #expect(whole.status == .ok)
            #expect(whole.headers[.contentRange] == nil)
            #expect(try await whole.wholeContent.count == 10)
        }
    }

    @Test("Responds with 304 if If-None-Match matches the current content", arguments: [true, false])
    func ifNoneMatch(onDisk: Bool) async throws {
        let (drive, _, path) = try await Self.digits(onDisk: onDisk)
        let tag = try #require(await drive.get(path).headers[.eTag])
        for condition in [tag, "*", "\"other\", W/" + tag] {
            let response = await drive.get(path, ["If-None-Match": condition])
            #expect(response.status == .notModified)
            #expect(response.headers[.eTag] == tag)
            #expect(response.bytes.isEmpty)
        }
        #expect(await drive.get(path, ["If-None-Match": "\"other\""]).status == .ok)
    }
}
#endif
