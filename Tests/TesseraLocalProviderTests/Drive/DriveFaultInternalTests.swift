// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJSON
@testable internal import TesseraLocalProvider

@Suite("Fault injection in the local Drive")
struct DriveFaultInternalTests {
    static let granule = UploadUnderTest.granule

    static let statuses: [(LocalProviderOptions.DriveFault, Int, String)] = [
        (.status(429, retryAfter: 2), 429, "rateLimitExceeded"), (.rateLimited, 403, "userRateLimitExceeded"),
        (.status(500), 500, "internalError"), (.status(503, retryAfter: 2), 503, "backendError"),
        (.status(403), 403, "forbidden"), (.status(401), 401, "authError"), (.status(404), 404, "notFound"),
    ]

    @Test("Returns the injected status as a Google API error without running the request", arguments: statuses)
    func status(fault: LocalProviderOptions.DriveFault, status: Int, reason: String) async throws {
        let drive = try DriveUnderTest()
        let upload = try await UploadUnderTest(drive)
        let responses = [
            await drive.send(.get, "/drive/v3/files", fault: fault),
            await drive.send(.post, "/upload/drive/v3/files?uploadType=resumable", fault: fault),
            await upload.put(nil, [1], fault: fault),
        ]
        for response in responses {
            #expect(response.status.code == status)
            #expect(response.reason == reason)
            let hasDelay = [LocalProviderOptions.DriveFault.status(429, retryAfter: 2), .status(503, retryAfter: 2)]
                .contains(fault)
            #expect(response.headers[.retryAfter] == (hasDelay ? "2" : nil))
        }
        #expect(await upload.put("bytes */*").status.code == 308)
    }

    @Test("Runs a request whose response is lost")
    func lostResponse() async throws {
        let upload = try await UploadUnderTest(try DriveUnderTest())
        #expect(await upload.put(nil, [1, 2, 3], fault: .lostResponse).isLost)
        #expect(try await upload.put("bytes */3").json["size"]?.string == "3")
    }

    @Test("Accepts whole granules of a partial chunk", arguments: [(0, 0), (300_000, 262_144), (600_000, 524_288)])
    func partial(limit: Int64, stored: Int) async throws {
        let bytes = UploadUnderTest.bytes(Self.granule * 3)
        let upload = try await UploadUnderTest(try DriveUnderTest())
        let response = await upload.put("bytes 0-\(bytes.count - 1)/\(bytes.count)", bytes, fault: .partial(limit))
        #expect(response.status.code == 308)
        #expect(response.headers[.range] == (stored == 0 ? nil : "bytes=0-\(stored - 1)"))
        let other = try await UploadUnderTest(try DriveUnderTest(), DriveUploadInternalTests.goog)
        let active = await other.command("upload, finalize", offset: 0, bytes, fault: .partial(limit))
        #expect(active.headers[named: "X-Goog-Upload-Status"] == "active")
        #expect(active.headers[named: "X-Goog-Upload-Size-Received"] == String(stored))
    }

    @Test("Stores the bytes received before a request breaks and sends no response")
    func broken() async throws {
        let upload = try await UploadUnderTest(try DriveUnderTest())
        #expect(await upload.put(nil, UploadUnderTest.bytes(10), fault: .broken(3)).isLost)
        #expect(await upload.put("bytes */10").headers[.range] == "bytes=0-2")
        let end = await upload.put("bytes 3-9/10", Array(UploadUnderTest.bytes(10).suffix(7)))
        #expect(try end.json["size"]?.string == "10")
        let drive = try DriveUnderTest()
        #expect(await drive.send(.post, "/drive/v3/files", fault: .broken(3)).isLost)
        #expect(try await drive.names().count == 3)
    }

    @Test("Moves an upload session and its bytes to a new URL")
    func movedSession() async throws {
        let drive = try DriveUnderTest()
        let upload = try await UploadUnderTest(drive)
        _ = await upload.put("bytes 0-\(Self.granule - 1)/*", UploadUnderTest.bytes(Self.granule))
        let moved = await upload.put("bytes */*", fault: .movedSession)
        #expect(moved.status.code == 308)
        #expect(moved.headers[.range] == "bytes=0-\(Self.granule - 1)")
        #expect(await upload.put("bytes */*").status == .notFound)
        var other = upload
        other.target = try UploadUnderTest.target(try #require(moved.headers[.location]))
        #expect(other.target != upload.target)
        #expect(await other.put("bytes */*").headers[.range] == "bytes=0-\(Self.granule - 1)")
        let again = await other.command("query", fault: .movedSession)
        #expect(again.headers[named: "X-Goog-Upload-URL"]?.contains("/resumable/upload/") == true)
    }

    @Test("Ends an upload session permanently", arguments: [404, 410])
    func sessionGone(status: Int) async throws {
        let directory = try TemporaryDirectory()
        let upload = try await UploadUnderTest(try DriveUnderTest(directory: directory))
        #expect(await upload.put("bytes */*", fault: .sessionGone(status)).status.code == status)
        #expect(await upload.put("bytes */*").status == .notFound)
        #expect(try directory.allNames.isEmpty)
    }

    @Test("Reports more bytes than it received with the wrong-range fault")
    func wrongRange() async throws {
        let upload = try await UploadUnderTest(try DriveUnderTest())
        let response = await upload.put("bytes 0-4/5", UploadUnderTest.bytes(5), fault: .wrongRange)
        #expect(response.status.code == 308)
        #expect(response.headers[.range] == "bytes=0-\(Self.granule + 4)")
        #expect(await upload.put("bytes */*").headers[.range] == "bytes=0-4")
    }

    @Test("Ignores a range or truncates a download on demand")
    func download() async throws {
        let (drive, _, path) = try await DriveDownloadInternalTests.digits(onDisk: true)
        let whole = await drive.send(.get, path, ["Range": "bytes=7-"], fault: .ignoredRange)
        #expect(whole.status == .ok)
        #expect(try await whole.wholeContent.count == 10)
        #expect(await drive.send(.get, path, fault: .truncatedResponse(4)).cutLength == 4)
    }

    @Test("Gives a changed file a new ETag and modification time", arguments: [true, false])
    func changedFile(onDisk: Bool) async throws {
        let (drive, _, path) = try await DriveDownloadInternalTests.digits(onDisk: onDisk)
        let first = await drive.get(path)
        let tag = try #require(first.headers[.eTag])
        let fields = ["Range": "bytes=7-", "If-Range": tag]
        let changed = await drive.send(.get, path, fields, fault: .changedFile)
        #expect(changed.status == .ok)
        #expect(changed.headers[.eTag] != tag)
        #expect(changed.headers[.lastModified] != first.headers[.lastModified])
        #expect(await drive.get(path, fields).headers[.eTag] == changed.headers[.eTag])
        let condition = ["Range": "bytes=7-", "If-Range": changed.headers[.eTag] ?? ""]
        #expect(await drive.get(path, condition).status == .partialContent)
    }

    @Test("Ignores faults that do not apply to a request")
    func unconcerned() async throws {
        let drive = try DriveUnderTest()
        let faults: [LocalProviderOptions.DriveFault] = [
            .none, .partial(1), .movedSession, .sessionGone(404), .wrongRange, .ignoredRange, .changedFile,
        ]
        for fault in faults { #expect(await drive.send(.get, "/drive/v3/files", fault: fault).status == .ok) }
    }
}
#endif
