// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraCommand

/// Names of files that a server chose.
enum DownloadName {
    /// Leaves room for `.part.json` in the 255 bytes that file systems allow.
    private static let limit = 200
    private static let fallback = "download"

    /// Returns a name for a file in the current directory.
    ///
    /// It is the last part of a path, without control and format characters, and without the dots, dashes and spaces at its
    /// start that would hide the file or turn it into an option. A name of which nothing is left, and one that Windows
    /// reserves for a device, becomes `download`. A long name is cut before its extension. An underscore follows the
    /// endings of partial downloads: a file with such a name would be continued by the download of another one.
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
        // What is this long is no extension.
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
