// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraMigration
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Damaged files of other tools")
struct DamagedFileTests {
    /// One file of each format.
    private static func files() throws -> [(name: String, bytes: [UInt8])] {
        let string = GTMOAuth2PersistenceString([
            "refresh_token": "refresh-canary", "access_token": "access-canary", "scope": "openid email",
        ])
        return [
            ("authorized_user", Array(AuthorizedUserFileTests.gcloud.utf8)),
            ("token.json", Array(AuthorizedUserFileTests.token.utf8)),
            ("GTMOAuth2's string", Array(string.encoded.utf8)),
            ("a session's archive", try SampleArchive.bytes(SampleArchive.session())),
            ("a state's archive", try SampleArchive.bytes(SampleArchive.authState())),
            ("a user's archive", try SampleArchive.bytes(SampleArchive.olderUser())),
        ]
    }

    /// Parses a file, which must not trap.
    ///
    /// - Returns: The error, or nil if the file has credentials.
    private static func failure(_ bytes: [UInt8]) -> MigrationError? {
        do {
            _ = try ImportedCredentials(parsing: bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test("Throws a typed error for a truncated file", arguments: try Self.files())
    func cut(name: String, bytes: [UInt8]) throws {
        for length in bytes.indices {
            let failure = Self.failure(Array(bytes.prefix(length)))
            // A truncated string is still a valid string.
            if name != "GTMOAuth2's string" { #expect(failure != nil, "\(name), \(length) bytes") }
            #expect(failure.map { !"\($0)".contains("canary") } ?? true)
        }
    }

    @Test(
        "Parses or rejects a randomly damaged file without exposing a secret",
        arguments: try Self.files()
    )
    func randomDamage(name: String, bytes: [UInt8]) throws {
        let count = Repetitions.count("TESSERA_DAMAGES", default: 400)
        let seed = TestSeed.printed()
        let damage = Damage(seed: seed)
        var failures = 0
        for _ in 0..<count {
            guard let failure = Self.failure(damage.applied(to: bytes)) else { continue }
            failures += 1
            #expect(
                !"\(failure) \(failure.recoverySuggestion ?? "")".contains("canary"),
                "\(name), seed \(seed)"
            )
            #expect(!failure.endsSession)
            #expect(!failure.isRetryable)
        }
        #expect(failures >= count / 8, "\(name), seed \(seed): Too few damaged files were rejected.")
    }

    @Test("Parses or rejects an archive with any changed byte", .shows(claims: 20))
    func everyByte() throws {
        let bytes = try SampleArchive.bytes(SampleArchive.session())
        for location in bytes.indices {
            for value: UInt8 in [0x00, 0x0F, 0x1F, 0x7F, 0x80, 0xFF] {
                var changed = bytes
                changed[location] = value
                _ = Self.failure(changed)
            }
        }
    }

    @Test("Rejects huge counts before allocating memory")
    func counts() throws {
        for marker: UInt8 in [0x4F, 0x5F, 0x6F, 0xAF, 0xDF, 0xCF] {
            for count in [UInt64(Int64.max), UInt64.max, 1 << 32, 1 << 20, 200] {
                let object = [marker, 0x13] + Self.bigEndian(count)
                #expect(Self.failure(Self.list([object])) != nil, "\(marker) \(count)")
            }
        }
        var bytes = Self.list([[0x08]])
        // The number of objects, the root and the offset of the table, each out of range.
        for location in [16, 24, 32] {
            bytes.replaceSubrange(
                (bytes.count - location)..<(bytes.count - location + 8),
                with: Self.bigEndian(UInt64.max)
            )
            #expect(Self.failure(bytes)?.code == .damaged)
        }
    }

    @Test("Rejects 1,000 nested references to one array without expanding them")
    func shared() throws {
        // Every object is the same array of all objects, which would expand to a million numbers.
        let count = 1_000
        var bytes = Array("bplist00".utf8)
        bytes += [0xAF, 0x11, UInt8(count >> 8), UInt8(count & 0xFF)]
        for number in 0..<count { bytes += [UInt8(number >> 8), UInt8(number & 0xFF)] }
        let table = UInt64(bytes.count)
        for _ in 0..<count { bytes += [0, 8] }
        bytes += [0, 0, 0, 0, 0, 0, 2, 2]
        for number in [UInt64(count), 0, table] { bytes += Self.bigEndian(number) }
        #expect(Self.failure(bytes)?.code == .damaged)
    }

    @Test(
        "Rejects an archive with an object that contains itself",
        arguments: ["authState", "$class"]
    )
    func cycles(member: String) throws {
        // The root's state is the root itself, or its class is the root.
        var list = try #require(
            try PropertyListSerialization.propertyList(
                from: Data(try SampleArchive.bytes(SampleArchive.session())),
                options: [],
                format: nil
            ) as? [String: Any]
        )
        var objects = try #require(list["$objects"] as? [Any])
        var root = try #require(objects[1] as? [String: Any])
        let top = try #require(list["$top"] as? [String: Any])
        root[member] = top["root"]
        objects[1] = root
        list["$objects"] = objects
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        #expect(Self.failure(Array(data))?.code == .damaged, "\(member)")
    }

    @Test("Rejects an array that is an element of itself")
    func cyclicList() {
        #expect(Self.failure(Self.list([[0xA1, 0x00]])) != nil)
    }

    @Test("Rejects archived values of the wrong type")
    func exchanged() throws {
        let bytes = try SampleArchive.bytes(SampleArchive.session())
        let list = try #require(
            try PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil) as? [String: Any]
        )
        let objects = try #require(list["$objects"] as? [Any])
        for (location, object) in objects.enumerated() where location > 0 {
            guard let text = object as? String, ["refresh-canary", "client.apps.googleusercontent.com"].contains(text)
            else {
                continue
            }
            for other: Any in [7, 2.5, Date(timeIntervalSince1970: 0), Data([1]), [1], ["a": 1], true] {
                var changed = list
                var these = objects
                these[location] = other
                changed["$objects"] = these
                let data = try PropertyListSerialization.data(fromPropertyList: changed, format: .binary, options: 0)
                #expect(Self.failure(Array(data))?.code == .damaged, "\(text) as \(type(of: other))")
            }
        }
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }

    /// Returns a binary property list of the objects, with the first one as the root.
    private static func list(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var table: [UInt8] = []
        for object in objects {
            table.append(UInt8(bytes.count))
            bytes += object
        }
        let location = UInt64(bytes.count)
        bytes += table + [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [UInt64(objects.count), 0, location] { bytes += self.bigEndian(number) }
        return bytes
    }
}
