// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import GoogleStorageV1
internal import Tessera
internal import TestTransport
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraOAuth
internal import TesseraTesting
internal import TestPrograms
internal import Testing

@Suite(
    "The Cloud Storage client with gcp-storage-emulator",
    .enabled("needs python3-venv, and PyPI for the first run: Scripts/gcp-storage-emulator install") {
        await ProviderScript(name: "gcp-storage-emulator").isInstallable()
    }
)
struct StorageClientTests {
    private struct Instance: Decodable {
        var origin: String
        var bucket: String
    }

    @Test("Uploads, lists, reads, changes and deletes objects")
    func objects() async throws {
        try await ProviderScript(name: "gcp-storage-emulator")
            .with([]) { (instance: Instance) in
                let storage = StorageV1(
                    try FixedTokenSource(for: instance.origin),
                    transport: TestTransport.make(),
                    settings: APISettings(rootURL: instance.origin)
                )
                let bucket = instance.bucket
                for name in ["a/1", "a/2", "b"] {
                    let object = StorageV1.Object { $0.name = name }
                    let put = try await storage.objects.insert(object, bucket: bucket, name: name)
                        .uploadResumably(HTTPBody(Array(name.utf8)), contentType: "text/plain")
                    #expect(put.name == name)
                    #expect(put.size == UInt64(name.utf8.count))
                }
                var names: [String] = []
                for try await object in storage.objects.list(bucket: bucket).items { names.append(object.name ?? "") }
                #expect(names.sorted() == ["a/1", "a/2", "b"])
                let call = storage.objects.get(bucket: bucket, object: "a/2")
                #expect(try await call.media().collect(upTo: 100) == Array("a/2".utf8))
                let object = try await call.execute()
                #expect(object.bucket == bucket)
                #expect(object.timeCreated != nil)
                #expect(object.generation != nil)
                let change = StorageV1.Object { $0.metadata = ["colour": "red"] }
                try await storage.objects.patch(change, bucket: bucket, object: "a/2").execute()
                #expect(try await call.execute().metadata?["colour"] == "red")
                try await storage.objects.delete(bucket: bucket, object: "a/2").execute()
                let error = await #expect(throws: GoogleAPIError.self) { try await call.execute() }
                #expect(error?.httpStatus == 404)
            }
    }
}
