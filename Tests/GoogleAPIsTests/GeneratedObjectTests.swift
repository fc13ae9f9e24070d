// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogleAPI
internal import TesseraJSON
internal import Testing

@Suite("Every object of the generated APIs")
struct GeneratedObjectTests {
    static let apis: [(name: String, objects: [CopiedObject])] = [
        ("Calendar v3", CalendarV3Copies.all), ("Docs v1", DocsV1Copies.all), ("Drive v3", DriveV3Copies.all),
        ("Gmail v1", GmailV1Copies.all), ("OAuth2 v2", OAuth2V2Copies.all), ("People v1", PeopleV1Copies.all),
        ("Sheets v4", SheetsV4Copies.all), ("Slides v1", SlidesV1Copies.all), ("Storage v1", StorageV1Copies.all),
        ("Tasks v1", TasksV1Copies.all), ("YouTube v3", YouTubeV3Copies.all),
    ]

    @Test("Random valid objects stay what they are, and are the same when every property is copied", arguments: 0..<11)
    func roundTrips(_ place: Int) throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        print("Seed of \(Self.apis[place].name): \(seed)")
        var random = RandomObject(seed: seed)
        for object in Self.apis[place].objects {
            for _ in 0..<8 {
                let node = random.object(object.shape)
                let value = try JSONValue(parsing: node.serialized())
                #expect(try object.received(value).text() == node.text(), "\(object.name), seed \(seed)")
                let copy = try object.copied(value)
                #expect(copy.isEquivalent(to: .parsed(value)), "\(object.name), seed \(seed): \(copy.text())")
            }
        }
    }

    @Test("No object is missing: as many as the documents have")
    func complete() {
        #expect(Self.apis.map(\.objects.count).reduce(0, +) > 1_100)
        #expect(Self.apis.allSatisfy { !$0.objects.isEmpty })
    }
}
