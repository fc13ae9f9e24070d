// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("Damaged AppAuth archives")
struct DamagedArchiveTests {
    private func archive() throws -> ArchivePlist {
        try ArchivePlist(try AppAuthArchive.archive(try Samples.tokenResponse()))
    }

    private func isRefused(_ data: Data) -> Bool {
        (try? AppAuthArchive.unarchive(OIDTokenResponse.self, from: data)) == nil
    }

    @Test("Reads an undamaged archive")
    func undamaged() throws {
        #expect(!self.isRefused(try self.archive().data))
    }

    @Test("Rejects an XML archive and suggests a conversion")
    func xml() throws {
        let xml = Data(try self.archive().xml.utf8)
        let error = #expect(throws: CocoaError.self) {
            try AppAuthArchive.unarchive(OIDTokenResponse.self, from: xml)
        }
        #expect(error?.code == .coderReadCorrupt)
        let advice = error?.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String
        #expect(advice?.contains("plutil") == true)
    }

    @Test("Rejects data that is empty or not an archive", arguments: ["", "x", "<plist/>", "bplist00"])
    func nothing(text: String) {
        #expect(self.isRefused(Data(text.utf8)))
    }

    @Test("Rejects a truncated archive")
    func cut() throws {
        let data = try AppAuthArchive.archive(try Samples.tokenResponse())
        for length in stride(from: 0, to: data.count, by: 47) { #expect(self.isRefused(data.prefix(length))) }
    }

    @Test("Does not trap when a byte of the archive is changed")
    func bytes() throws {
        let data = try AppAuthArchive.archive(try Samples.tokenResponse())
        for location in stride(from: 0, to: data.count, by: 41) {
            for bits: UInt8 in [0x01, 0x80, 0xFF] {
                var changed = data
                changed[location] ^= bits
                _ = self.isRefused(changed)
            }
        }
    }

    @Test("Rejects an archive of another class")
    func otherClass() throws {
        let data = try AppAuthArchive.archive(try Samples.tokenRequest())
        #expect(self.isRefused(data))
    }

    @Test(
        "Rejects an unexpected class in an archive",
        .shows(claims: 20),
        arguments: ["NSPredicate", "NSDateFormatter", "Foundation.NSSet", "NoSuchClass", "NSData"],
        ["NSDate", "NSURL", "OIDTokenRequest", "NSDictionary"]
    )
    func foreignClass(name: String, known: String) throws {
        var plist = try self.archive()
        let names = "<key>$classname</key>\n\t\t\t<string>"
        #expect(plist.xml.contains(names + known))
        plist.xml = plist.xml.replacing("\(names)\(known)<", with: "\(names)\(name)<")
        #expect(self.isRefused(try plist.data))
    }

    @Test(
        "Rejects an object of the wrong class in a property",
        arguments: [("OIDTokenRequest", "NSURL"), ("OIDServiceConfiguration", "OIDTokenRequest")]
    )
    func exchangedClass(known: String, other: String) throws {
        var plist = try self.archive()
        let names = "<key>$classname</key>\n\t\t\t<string>"
        plist.xml = plist.xml.replacing("\(names)\(known)<", with: "\(names)\(other)<")
        #expect(self.isRefused(try plist.data))
    }

    @Test(
        "Rejects an archive without a required value",
        arguments: [
            ("OIDTokenResponse", "request"), ("OIDTokenRequest", "configuration"), ("OIDTokenRequest", "grant_type"),
            ("OIDTokenRequest", "client_id"), ("OIDServiceConfiguration", "tokenEndpoint"),
        ]
    )
    func required(name: String, key: String) throws {
        var missing = try self.archive()
        let written = missing.xml
        missing.xml = written.replacing("<key>\(key)</key>", with: "<key>\(key)-not</key>")
        #expect(missing.xml != written)
        #expect(self.isRefused(try missing.data), "\(name)")
    }

    @Test("Rejects a string in place of a date and a date in place of a string")
    func wrongType() throws {
        var plist = try self.archive()
        plist.xml = plist.xml.replacing("<key>expires_in</key>", with: "<key>-</key>")
            .replacing("<key>access_token</key>", with: "<key>expires_in</key>")
        #expect(self.isRefused(try plist.data))
        plist = try self.archive()
        plist.xml = plist.xml.replacing("<key>access_token</key>", with: "<key>-</key>")
            .replacing("<key>expires_in</key>", with: "<key>access_token</key>")
        #expect(self.isRefused(try plist.data))
    }

    @Test("Rejects an object that contains itself")
    func cycle() throws {
        var plist = try self.archive()
        let written = plist.xml
        // The root is object 1. The request becomes a reference to the root.
        plist.xml = written.replacing(
            /<key>request<\/key>\s*<dict>\s*<key>CF\$UID<\/key>\s*<integer>\d+<\/integer>/,
            with: "<key>request</key><dict><key>CF$UID</key><integer>1</integer>"
        )
        #expect(plist.xml != written)
        #expect(self.isRefused(try plist.data))
    }

    @Test("Rejects a dictionary with different numbers of keys and values")
    func dictionary() throws {
        var plist = try self.archive()
        let written = plist.xml
        plist.xml = written.replacing(
            /<key>NS\.objects<\/key>\s*<array>\s*<dict>/,
            with: "<key>NS.objects</key><array><string/><dict>"
        )
        #expect(plist.xml != written)
        #expect(self.isRefused(try plist.data))
    }

    @Test("Rejects a dictionary value that is null or a URL", arguments: [0, 2])
    func dictionaryValues(location: Int) throws {
        var plist = try self.archive()
        let written = plist.xml
        // Object 0 is null.
        plist.xml = written.replacing(
            /(<key>NS\.objects<\/key>\s*<array>\s*<dict>\s*<key>CF\$UID<\/key>\s*<integer>)\d+</
        ) { "\($0.1)\(location)<" }
        #expect(plist.xml != written)
        #expect(self.isRefused(try plist.data))
    }

    @Test("Rejects a dangling reference")
    func reference() throws {
        var plist = try self.archive()
        plist.xml = plist.xml.replacing(/<integer>\d+<\/integer>\s*<\/dict>/, with: "<integer>9999</integer></dict>")
        #expect(self.isRefused(try plist.data))
    }

    /// Returns the archive with a crafted dictionary as the additional parameters of the root.
    ///
    /// The object table continues with a string and the classes of a dictionary and an array. `arrays` gets the
    /// location after them.
    private func archive(
        member name: String? = nil,
        _ arrays: (_ text: Int, _ type: Int, _ location: Int) -> (objects: [String], value: Int, member: Int)
    ) throws -> Data {
        var plist = try self.archive()
        var (value, member) = (0, 0)
        try plist.add { location in
            let content = arrays(location, location + 2, location + 3)
            value = location + 3 + content.objects.count
            member = value + 1
            return [
                "<string>x</string>", ArchivePlist.type("NSDictionary"), ArchivePlist.type("NSArray"),
            ] + content.objects + [
                ArchivePlist.dictionary(location, content.value, type: location + 1),
                ArchivePlist.dictionary(location, content.member, type: location + 1),
            ]
        }
        let further = name.map { "<key>\($0)</key>" + ArchivePlist.reference(member) } ?? ""
        let written = plist.xml
        // The root is the first match.
        plist.xml = written.replacing(
            /<key>additionalParameters<\/key>\s*<dict>\s*<key>CF\$UID<\/key>\s*<integer>\d+<\/integer>\s*<\/dict>/,
            with: "<key>additionalParameters</key>" + ArchivePlist.reference(value) + further,
            maxReplacements: 1
        )
        #expect(plist.xml != written)
        return try plist.data
    }

    @Test("Rejects nested arrays that would expand to 2^40 values", .covers(155))
    func expansion() throws {
        func nested(_ depth: Int) throws -> Data {
            try self.archive { text, type, location in
                let arrays = (0..<depth)
                    .map { index in
                        let part = index == 0 ? text : location + index - 1
                        return ArchivePlist.array([part, part], type: type)
                    }
                return (arrays, location + depth - 1, text)
            }
        }
        #expect(!self.isRefused(try nested(4)))
        #expect(self.isRefused(try nested(40)))
    }

    @Test(
        "Rejects deep nesting that is hidden by the order of the objects",
        .covers(155),
        arguments: ["a", "b", "c", "d", "e", "f", "g", "h"]
    )
    func hiddenDepth(name: String) throws {
        let (chain, chains) = (100, 100)
        let data = try self.archive(member: name) { text, type, location in
            let arrays = (0..<chain * chains)
                .map { index in
                    ArchivePlist.array([index == 0 ? text : location + index - 1], type: type)
                }
            // A reader that starts here reaches the end of each chain before the next one.
            let ends = (1...chains).map { location + $0 * chain - 1 }
            let end = location + chain * chains
            return (arrays + [ArchivePlist.array(ends, type: type)], end - 1, end)
        }
        #expect(self.isRefused(data))
    }
}
