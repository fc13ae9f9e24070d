// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Logging
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A JSON object in a credential file, whose errors name the file and the member.
struct CredentialFile: Sendable {
    /// The maximum size of a file, 1 MiB.
    private static let maximumBytes = 1 << 20

    /// The path of the file, or nil for bytes without a file.
    let path: String?
    let object: JSONValue
    /// The path of the object in the file, such as `credential_source.`.
    private let prefix: String

    /// Parses the contents of a file.
    ///
    /// - Throws: ``GoogleCredentialsError`` with `invalidFile`.
    init(parsing bytes: [UInt8], path: String?) throws(GoogleCredentialsError) {
        let limits = JSONLimits(maximumDepth: 32, maximumBytes: Self.maximumBytes)
        do {
            self.object = try JSONValue(parsing: bytes, limits: limits)
        } catch {
            throw GoogleCredentialsError(
                .invalidFile,
                at: path,
                reason: "the file is not JSON: \(error.explanation(of: bytes))"
            )
        }
        self.path = path
        self.prefix = ""
        guard self.object.kind == .object else { throw self.invalid("the file is not a JSON object") }
    }

    private init(_ object: JSONValue, _ prefix: String, _ path: String?) {
        self.object = object
        self.prefix = prefix
        self.path = path
    }

    /// Reads and parses a file, which may be reached through links.
    ///
    /// The method blocks. If other users can read the file, a warning is logged.
    ///
    /// - Throws: ``GoogleCredentialsError`` with `unreadableFile` or `invalidFile`.
    static func read(_ path: String, logger: Logger) throws(GoogleCredentialsError) -> CredentialFile {
        let file = try Self.contents(of: path, limit: Self.maximumBytes)
        if file.isExposed {
            logger.warning(
                "Other users can read a credential file. Run chmod 600.",
                metadata: ["path": "\(UntrustedText.printable(path))"]
            )
        }
        return try CredentialFile(parsing: file.bytes, path: path)
    }

    /// Reads a regular file and reports whether other users can read it.
    static func contents(
        of path: String,
        limit: Int
    ) throws(GoogleCredentialsError) -> (bytes: [UInt8], isExposed: Bool) {
        do {
            let file = try FileSystem.openFile(path, O_RDONLY, mode: 0)
            let isExposed = try file.status().permissions & 0o044 != 0
            return (try file.contents(limit: limit), isExposed)
        } catch {
            let reason =
                switch error.status {
                case ENOENT: "the file does not exist"
                case nil: "the file cannot be used: \(error.detail)"
                default: "the file cannot be read: \(error.detail)"
                }
            throw GoogleCredentialsError(.unreadableFile, at: path, reason: reason)
        }
    }

    /// The type of the credentials (`type`).
    func type() throws(GoogleCredentialsError) -> String { try self.required("type") }

    /// Returns whether a member is present and not null.
    func has(_ name: String) -> Bool { self.object[name].map { !$0.isNull } ?? false }

    /// Returns a string that is not empty, or nil if the member is absent, null or empty.
    func string(_ name: String) throws(GoogleCredentialsError) -> String? {
        guard let value = self.object[name], !value.isNull else { return nil }
        guard let string = value.string else { throw self.wrong(name, "a string") }
        return string.isEmpty ? nil : string
    }

    /// Returns a string that must be present and not empty.
    func required(_ name: String) throws(GoogleCredentialsError) -> String {
        guard let string = try self.string(name) else { throw self.invalid("\(self.prefix)\(name) is missing") }
        return string
    }

    /// Returns an array of strings, or nil if the member is absent or null.
    func strings(_ name: String) throws(GoogleCredentialsError) -> [String]? {
        guard let value = self.object[name], !value.isNull else { return nil }
        guard let elements = value.elements else { throw self.wrong(name, "an array of strings") }
        var strings: [String] = []
        for element in elements {
            guard let string = element.string else { throw self.wrong(name, "an array of strings") }
            strings.append(string)
        }
        return strings
    }

    /// Returns a whole number, or nil if the member is absent or null.
    func integer(_ name: String) throws(GoogleCredentialsError) -> Int? {
        guard let value = self.object[name], !value.isNull else { return nil }
        guard let number = try? value.integer(Int.self) else { throw self.wrong(name, "a whole number") }
        return number
    }

    /// Returns a Boolean value, which is false if the member is absent or null.
    func bool(_ name: String) throws(GoogleCredentialsError) -> Bool {
        guard let value = self.object[name], !value.isNull else { return false }
        guard let bool = value.bool else { throw self.wrong(name, "a Boolean") }
        return bool
    }

    /// Returns an object, or nil if the member is absent or null.
    func child(_ name: String) throws(GoogleCredentialsError) -> CredentialFile? {
        guard let value = self.object[name], !value.isNull else { return nil }
        guard value.kind == .object else { throw self.wrong(name, "an object") }
        return CredentialFile(value, self.prefix + name + ".", self.path)
    }

    func wrong(_ name: String, _ expected: String) -> GoogleCredentialsError {
        self.invalid("\(self.prefix)\(name) is not \(expected)")
    }

    func invalid(_ reason: String) -> GoogleCredentialsError {
        GoogleCredentialsError(.invalidFile, at: self.path, reason: reason)
    }
}
