// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera
internal import TesseraGoogle
internal import TesseraJSON
internal import TesseraOAuth

extension ImportedGrant {
    /// Reads what another tool kept; the format is told by the contents.
    ///
    /// - Parameter bytes: an `authorized_user` file, a `token.json`, a binary keyed archive whose root is an
    ///   `OIDAuthState`, a session of GTMAppAuth or a user of GoogleSignIn, or GTMOAuth2's string.
    /// - Throws: ``MigrationError``: `unknownFormat`, `damaged`, `notAGrant`, `noRefreshToken`.
    public init(parsing bytes: [UInt8]) throws(MigrationError) {
        if BinaryPropertyList.isRecognized(bytes) {
            self = try AppAuthArchiveReader(parsing: bytes).grant()
        } else if bytes.first(where: { !Self.isSpace($0) }) == UInt8(ascii: "{") {
            try self.init(json: bytes)
        } else {
            try self.init(text: bytes)
        }
    }

    /// The grant of a file of Google's tools.
    ///
    /// - Throws: ``MigrationError`` `noRefreshToken`.
    public init(_ file: AuthorizedUserFile) throws(MigrationError) {
        guard let refreshToken = file.refreshToken else { throw MigrationError(.noRefreshToken) }
        if let universe = file.universeDomain, universe != "googleapis.com" {
            throw MigrationError(
                .anotherProvider,
                detail: "its universe is \(UntrustedText.printable(universe, limit: 80))"
            )
        }
        self.init(
            format: file.format == .token ? .token : .authorizedUser,
            grant: ExistingGrant(
                refreshToken: refreshToken,
                scopes: file.scopes ?? [],
                tokenEndpoint: file.tokenURI
            ),
            clientID: file.clientID,
            clientSecret: file.clientSecret,
            email: file.account
        )
    }

    private init(json bytes: [UInt8]) throws(MigrationError) {
        if let file = try? GoogleClientFile(parsing: bytes) {
            throw MigrationError(
                .notAGrant,
                detail: """
                    it is the registration of a client (\(file.kind.rawValue)), with which one signs in: \
                    tessera login --client FILE
                    """
            )
        }
        try self.init(AuthorizedUserFile(parsing: bytes))
    }

    private init(text bytes: [UInt8]) throws(MigrationError) {
        let start = bytes.drop(while: Self.isSpace)
        if ["<?xml", "<!DOCTYPE plist", "<plist"].contains(where: { start.starts(with: $0.utf8) }) {
            throw MigrationError(
                .unknownFormat,
                detail: "a property list as XML; plutil -convert binary1 makes it binary"
            )
        }
        guard bytes.count <= AuthorizedUserFile.maximumLength, let text = String(wellFormedUTF8: bytes)
        else {
            throw MigrationError(.unknownFormat)
        }
        let line = text.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) } ?? ""
        let string = GTMOAuth2PersistenceString(parsing: String(line.filter { !$0.isWhitespace }))
        let names = [GTMOAuth2PersistenceString.Key.refreshToken, GTMOAuth2PersistenceString.Key.accessToken]
        guard names.contains(where: { string[$0] != nil }) else { throw MigrationError(.unknownFormat) }
        try self.init(string)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
