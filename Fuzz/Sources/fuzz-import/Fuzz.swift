// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Oracles
internal import Tessera
internal import TesseraMigration
internal import TesseraOAuth

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(Array(fuzzing: start, count))
    return 0
}

/// Checks imported credentials.
///
/// The refresh token must come from the input and must not appear in descriptions. Credentials that are written and
/// read again must be equal.
private func check(_ bytes: [UInt8]) {
    rewrite(bytes)
    let imported: ImportedCredentials
    do {
        imported = try ImportedCredentials(parsing: bytes)
    } catch {
        expect("\(error)".unicodeScalars.allSatisfy { $0.value >= 0x20 }, "an error is one line")
        return
    }
    expect((try? ImportedCredentials(parsing: bytes)) == imported, "parsing twice returns equal credentials")
    imported.credentials.refreshToken.withUnredacted { refreshToken in
        expect(!refreshToken.isEmpty, "credentials have a refresh token")
        if bytes.starts(with: Array("bplist00".utf8)) {
            let isPresent =
                bytes.contains(Array(refreshToken.utf8))
                || bytes.contains(refreshToken.utf16.flatMap { $0.bigEndianBytes })
            expect(isPresent, "an archive's refresh token is in the archive")
        }
        // Fields that are not secret may contain the same text.
        let (credentials, others) = (
            imported.credentials, [imported.email, imported.subject, imported.clientID, imported.issuer]
        )
        let shown = (others + [imported.redirectURI, credentials.tokenEndpoint]).compactMap(\.self)
        let isElsewhere = (shown + credentials.scopes.map(\.rawValue)).contains { $0.contains(refreshToken) }
        if refreshToken.utf8.count > 16, !isElsewhere {
            expect(!"\(imported)".contains(refreshToken), "a description does not contain the refresh token")
            var dumped = ""
            dump(imported.credentials, to: &dumped)
            expect(!dumped.contains(refreshToken), "a dump does not contain the refresh token")
        }
    }
}

/// Checks the two formats that can also be written.
private func rewrite(_ bytes: [UInt8]) {
    if let file = try? AuthorizedUserFile(parsing: bytes) {
        // The encoded file may differ, because fractions of a second are omitted.
        let again = try? AuthorizedUserFile(parsing: file.encoded())
        expect(again?.refreshToken == file.refreshToken, "the refresh token is preserved")
        expect(again?.scopes == file.scopes && again?.clientID == file.clientID, "scopes and client are preserved")
        expect(again?.encoded() == file.encoded(), "encoding a file again gives the same file")
    }
    if let text = String(validating: bytes, as: UTF8.self) {
        let string = GTMOAuth2PersistenceString(parsing: text)
        expect(
            GTMOAuth2PersistenceString(parsing: string.encoded) == string,
            "a string is preserved when it is encoded and parsed again"
        )
    }
}

extension UInt16 {
    fileprivate var bigEndianBytes: [UInt8] { [UInt8(self >> 8), UInt8(truncatingIfNeeded: self)] }
}
