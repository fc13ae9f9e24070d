// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import TesseraCommand
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraOAuth

/// The destination of a download.
struct DownloadOptions: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "The output file, replaced if it exists. - writes to standard output. (default: its name on the server)",
            valueName: "file"
        ),
        completion: .file()
    )
    var file: String?

    @Flag(help: "Continue an interrupted download.")
    var resume = false

    @Flag(help: "Replace an existing file.")
    var force = false

    func validate() throws {
        if self.resume, self.isStandardOutput { throw ValidationError("--resume requires a file.") }
    }

    private var isStandardOutput: Bool { self.file == "-" }

    /// Downloads a response to the specified file, or to a file in the current directory that is named after `name`.
    ///
    /// - Returns: The downloaded file, or nil for standard output.
    func get(_ call: APICall<some MediaDownloadRequest>, name: String) async throws -> DownloadedFile? {
        if self.isStandardOutput {
            try await MediaOutput.write(try await call.media())
            return nil
        }
        let path = self.file ?? DownloadName.file(for: name)
        _ = try await ResumableTransfer.download(to: path) { progress in
            // An existing file is replaced only if the user chose its name or passed --force.
            let overwrites = self.force || self.file != nil
            return try await call.download(to: path, resumes: self.resume, overwrites: overwrites, progress: progress)
        }
        return DownloadedFile(path)
    }
}

/// Creates safe file names from names that a server chose.
enum DownloadName {
    /// The maximum length, which leaves room for `.part.json` within the 255 bytes that file systems allow.
    private static let limit = 200
    private static let fallback = "download"

    /// Returns a name for a file in the current directory.
    ///
    /// The name is the last path component without control and format characters. Leading dots, dashes and spaces,
    /// which would hide the file or turn the name into an option, are removed. A name that is then empty, or that
    /// Windows reserves for a device, becomes `download`. A long name is shortened before its extension. If the name
    /// has the extension of a partial download, an underscore is appended so that another download cannot continue the
    /// file.
    static func file(for name: String) -> String {
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        var clean = Substring(String(String.UnicodeScalarView(last.unicodeScalars.filter(\.isPrintable))))
        clean = clean.drop { $0 == "." || $0 == "-" || $0.isWhitespace }
        while clean.last?.isWhitespace == true { clean.removeLast() }
        let short = Self.shortened(clean)
        if short.isEmpty || Self.isReserved(short) { return Self.fallback }
        return [".part", ".part.json"].contains { short.lowercased().hasSuffix($0) } ? short + "_" : short
    }

    private static func shortened(_ name: Substring) -> String {
        guard name.utf8.count > Self.limit else { return String(name) }
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        // A longer suffix is not an extension.
        let ending = name[dot...].utf8.count <= 20 ? name[dot...] : ""
        var stem = name.dropLast(ending.count)
        while stem.utf8.count + ending.utf8.count > Self.limit { stem.removeLast() }
        return String(stem + ending)
    }

    private static let devices: Set<String> = Set(
        ["con", "prn", "aux", "nul"] + ["com", "lpt"].flatMap { port in (0...9).map { "\(port)\($0)" } }
    )

    private static func isReserved(_ name: String) -> Bool {
        Self.devices.contains(name.prefix { $0 != "." }.lowercased())
    }
}

/// The result of a download.
struct DownloadedFile: Sendable {
    let path: String
    private let length: Int64?

    init(_ path: String) {
        self.path = path
        self.length = FileBytes.length(of: path)
    }

    var json: JSONNode { ["file": .string(self.path), "bytes": self.length.map { .integer($0) } ?? .null] }
}

/// Writes a downloaded body to standard output.
enum MediaOutput {
    static func write(_ body: HTTPBody) async throws {
        let output = try await OutputFile.open(nil)
        for try await chunk in body { try await output.write(chunk) }
    }
}
