// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TestTraits
internal import Testing

@Suite("Generated API objects")
struct GeneratedObjectTests {
    /// An API and the number of objects in its discovery document.
    struct API: Sendable, CustomTestStringConvertible {
        let copies: any ObjectCopies.Type
        let count: Int
        var testDescription: String { "\(self.copies)" }
    }

    static let apis = [
        API(copies: CalendarV3Copies.self, count: 51), API(copies: DocsV1Copies.self, count: 202),
        API(copies: DriveV3Copies.self, count: 75), API(copies: GmailV1Copies.self, count: 56),
        API(copies: OAuth2V2Copies.self, count: 2), API(copies: PeopleV1Copies.self, count: 72),
        API(copies: SheetsV4Copies.self, count: 273), API(copies: SlidesV1Copies.self, count: 155),
        API(copies: StorageV1Copies.self, count: 78), API(copies: TasksV1Copies.self, count: 8),
        API(copies: YouTubeV3Copies.self, count: 210),
    ]

    @Test("Preserves random valid objects when they are received and copied by property", arguments: apis)
    func roundTrips(_ api: API) throws {
        let seed = TestSeed.printed()
        var random = RandomObject(seed: seed)
        for object in api.copies.all {
            for _ in 0..<8 {
                let node = random.object(object.shape)
                let value = try JSONValue(parsing: node.serialized())
                #expect(try object.received(value).text() == node.text(), "\(object.name), seed \(seed)")
                let copy = try object.copied(value)
                #expect(copy.isEquivalent(to: .parsed(value)), "\(object.name), seed \(seed): \(copy.text())")
            }
        }
    }

    @Test("Includes every object of the API's discovery document", arguments: apis)
    func complete(_ api: API) {
        #expect(api.copies.all.count == api.count)
    }
}
