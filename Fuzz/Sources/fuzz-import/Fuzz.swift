// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Oracles
internal import Tessera
internal import TesseraMigration
internal import TesseraOAuth

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(Array(fuzzing: start, count))
    return 0
}

/// A grant's refresh token stands in what was read, and in no description of it; what is written again reads as the same.
private func check(_ bytes: [UInt8]) {
    rewrite(bytes)
    let imported: ImportedGrant
    do {
        imported = try ImportedGrant(parsing: bytes)
    } catch {
        expect("\(error)".unicodeScalars.allSatisfy { $0.value >= 0x20 }, "an error is one line")
        return
    }
    expect((try? ImportedGrant(parsing: bytes)) == imported, "the same is read twice")
    imported.grant.refreshToken.withUnredacted { refreshToken in
        expect(!refreshToken.isEmpty, "a grant has a refresh token")
        if bytes.starts(with: Array("bplist00".utf8)) {
            let isPresent =
                bytes.contains(Array(refreshToken.utf8))
                || bytes.contains(refreshToken.utf16.flatMap { $0.bigEndianBytes })
            expect(isPresent, "an archive's refresh token is one of its texts")
        }
        // What is shown may have the same letters.
        let (grant, others) = (imported.grant, [imported.email, imported.subject, imported.clientID, imported.issuer])
        let shown = (others + [imported.redirectURI, grant.tokenEndpoint]).compactMap(\.self)
        let isElsewhere = (shown + grant.scopes.map(\.rawValue)).contains { $0.contains(refreshToken) }
        if refreshToken.utf8.count > 16, !isElsewhere {
            expect(!"\(imported)".contains(refreshToken), "a refresh token is in no description")
            var dumped = ""
            dump(imported.grant, to: &dumped)
            expect(!dumped.contains(refreshToken), "a refresh token is in no dump")
        }
    }
}

/// The two formats that are written, too.
private func rewrite(_ bytes: [UInt8]) {
    if let file = try? AuthorizedUserFile(parsing: bytes) {
        // Not to the byte: parts of a second are left out.
        let again = try? AuthorizedUserFile(parsing: file.encoded())
        expect(again?.refreshToken == file.refreshToken, "a refresh token is written as it was read")
        expect(again?.scopes == file.scopes && again?.clientID == file.clientID, "so are scopes and client")
        expect(again?.encoded() == file.encoded(), "a file that is written again is the same")
    }
    if let text = String(validating: bytes, as: UTF8.self) {
        let string = GTMOAuth2PersistenceString(parsing: text)
        expect(
            GTMOAuth2PersistenceString(parsing: string.encoded) == string,
            "a string that is written again is the same"
        )
    }
}

extension UInt16 {
    fileprivate var bigEndianBytes: [UInt8] { [UInt8(self >> 8), UInt8(truncatingIfNeeded: self)] }
}
