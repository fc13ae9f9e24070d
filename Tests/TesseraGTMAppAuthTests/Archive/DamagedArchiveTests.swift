// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("A damaged archive")
struct DamagedArchiveTests {
    private func archive() throws -> ArchivePlist {
        try ArchivePlist(try AppAuthArchive.archive(try Samples.tokenResponse()))
    }

    private func isRefused(_ data: Data) -> Bool {
        (try? AppAuthArchive.unarchive(OIDTokenResponse.self, from: data)) == nil
    }

    @Test("Is read as long as nothing in it is damaged")
    func undamaged() throws {
        #expect(!self.isRefused(try self.archive().data))
    }

    @Test("That is XML instead of binary is refused, with advice")
    func xml() throws {
        let xml = Data(try self.archive().xml.utf8)
        let error = #expect(throws: CocoaError.self) {
            try AppAuthArchive.unarchive(OIDTokenResponse.self, from: xml)
        }
        #expect(error?.code == .coderReadCorrupt)
        let advice = error?.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String
        #expect(advice?.contains("plutil") == true)
    }

    @Test("That is empty, no property list or no archive is refused", arguments: ["", "x", "<plist/>", "bplist00"])
    func nothing(text: String) {
        #expect(self.isRefused(Data(text.utf8)))
    }

    @Test("That was cut anywhere is refused")
    func cut() throws {
        let data = try AppAuthArchive.archive(try Samples.tokenResponse())
        for length in stride(from: 0, to: data.count, by: 47) { #expect(self.isRefused(data.prefix(length))) }
    }

    @Test("With one byte changed is refused, or gives an object: it never ends the process")
    func bytes() throws {
        let data = try AppAuthArchive.archive(try Samples.tokenResponse())
        for place in stride(from: 0, to: data.count, by: 41) {
            for bits: UInt8 in [0x01, 0x80, 0xFF] {
                var changed = data
                changed[place] ^= bits
                _ = self.isRefused(changed)
            }
        }
    }

    @Test("With another class than the one asked for is refused")
    func otherClass() throws {
        let data = try AppAuthArchive.archive(try Samples.tokenRequest())
        #expect(self.isRefused(data))
    }

    @Test(
        "That names a class which has no place in it is refused",
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
        "With an object of another known class in a property's place is refused",
        arguments: [("OIDTokenRequest", "NSURL"), ("OIDServiceConfiguration", "OIDTokenRequest")]
    )
    func exchangedClass(known: String, other: String) throws {
        var plist = try self.archive()
        let names = "<key>$classname</key>\n\t\t\t<string>"
        plist.xml = plist.xml.replacing("\(names)\(known)<", with: "\(names)\(other)<")
        #expect(self.isRefused(try plist.data))
    }

    @Test(
        "That lacks something required, or has something else in its place, is refused",
        arguments: [
            ("OIDTokenResponse", "request"), ("OIDTokenRequest", "configuration"), ("OIDTokenRequest", "grant_type"),
            ("OIDTokenRequest", "client_id"), ("OIDServiceConfiguration", "tokenEndpoint"),
            ("OIDServiceDiscovery", "discoveryDictionary"),
        ]
    )
    func required(name: String, key: String) throws {
        var missing = try self.archive()
        let written = missing.xml
        missing.xml = written.replacing("<key>\(key)</key>", with: "<key>\(key)-not</key>")
        #expect(missing.xml != written)
        #expect(self.isRefused(try missing.data), "\(name)")
    }

    @Test("With a text in the place of a date, or a date in the place of a text, is refused")
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

    @Test("In which an object holds itself is refused")
    func cycle() throws {
        var plist = try self.archive()
        let written = plist.xml
        // The root is object 1; what was the request is the root.
        plist.xml = written.replacing(
            /<key>request<\/key>\s*<dict>\s*<key>CF\$UID<\/key>\s*<integer>\d+<\/integer>/,
            with: "<key>request</key><dict><key>CF$UID</key><integer>1</integer>"
        )
        #expect(plist.xml != written)
        #expect(self.isRefused(try plist.data))
    }

    @Test("With more keys than values in a dictionary is refused")
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

    @Test("With null or a URL among the values of a dictionary is refused", arguments: [0, 2])
    func dictionaryValues(place: Int) throws {
        var plist = try self.archive()
        let written = plist.xml
        // Object 0 is null.
        plist.xml = written.replacing(
            /(<key>NS\.objects<\/key>\s*<array>\s*<dict>\s*<key>CF\$UID<\/key>\s*<integer>)\d+</
        ) { "\($0.1)\(place)<" }
        #expect(plist.xml != written)
        #expect(self.isRefused(try plist.data))
    }

    @Test("With a reference to nothing is refused")
    func reference() throws {
        var plist = try self.archive()
        plist.xml = plist.xml.replacing(/<integer>\d+<\/integer>\s*<\/dict>/, with: "<integer>9999</integer></dict>")
        #expect(self.isRefused(try plist.data))
    }

    /// The archive with a dictionary in the root's place of its own parameters; the table goes on with a text and the
    /// classes of a dictionary and of an array, and `arrays` gets the place behind them.
    private func archive(
        member name: String? = nil,
        _ arrays: (_ text: Int, _ type: Int, _ place: Int) -> (objects: [String], value: Int, member: Int)
    ) throws -> Data {
        var plist = try self.archive()
        var (value, member) = (0, 0)
        try plist.add { place in
            let content = arrays(place, place + 2, place + 3)
            value = place + 3 + content.objects.count
            member = value + 1
            return [
                "<string>x</string>", ArchivePlist.type("NSDictionary"), ArchivePlist.type("NSArray"),
            ] + content.objects + [
                ArchivePlist.dictionary(place, content.value, type: place + 1),
                ArchivePlist.dictionary(place, content.member, type: place + 1),
            ]
        }
        let further = name.map { "<key>\($0)</key>" + ArchivePlist.reference(member) } ?? ""
        let written = plist.xml
        // The root comes first.
        plist.xml = written.replacing(
            /<key>additionalParameters<\/key>\s*<dict>\s*<key>CF\$UID<\/key>\s*<integer>\d+<\/integer>\s*<\/dict>/,
            with: "<key>additionalParameters</key>" + ArchivePlist.reference(value) + further,
            maxReplacements: 1
        )
        #expect(plist.xml != written)
        return try plist.data
    }

    @Test("In which arrays of 4 KB come to 2 to the power of 40 values is refused at once", .covers(155))
    func expansion() throws {
        func nested(_ depth: Int) throws -> Data {
            try self.archive { text, type, place in
                let arrays = (0..<depth)
                    .map { index in
                        let part = index == 0 ? text : place + index - 1
                        return ArchivePlist.array([part, part], type: type)
                    }
                return (arrays, place + depth - 1, text)
            }
        }
        #expect(!self.isRefused(try nested(4)))
        #expect(self.isRefused(try nested(40)))
    }

    @Test(
        "That is nested deeply where its order hides it is refused: it never ends the process",
        .covers(155),
        arguments: ["a", "b", "c", "d", "e", "f", "g", "h"]
    )
    func hiddenDepth(name: String) throws {
        let (chain, chains) = (100, 100)
        let data = try self.archive(member: name) { text, type, place in
            let arrays = (0..<chain * chains)
                .map { index in
                    ArchivePlist.array([index == 0 ? text : place + index - 1], type: type)
                }
            // Whoever begins here comes to the end of each chain before the next one.
            let ends = (1...chains).map { place + $0 * chain - 1 }
            return (arrays + [ArchivePlist.array(ends, type: type)], place + chain * chains - 1, place + chain * chains)
        }
        #expect(self.isRefused(data))
    }
}
