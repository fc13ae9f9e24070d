// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension FileList {
    /// Returns a page with the given number of files, formatted like Google's responses.
    package static func page(files: Int, isIndented: Bool = true) -> [UInt8] {
        // A file has about 1,250 bytes. Truncate the text before the first superfluous file.
        var text = Self.make(bytes: files * 2_000, isIndented: isIndented)
        let mark = Array((isIndented ? #""id": "1q\#(files)Z"# : #""id":"1q\#(files)Z"#).utf8)
        guard let location = text.firstRange(of: mark) else { return text }
        let end = text[..<location.lowerBound].lastIndex(of: UInt8(ascii: "{")) ?? location.lowerBound
        text.removeSubrange((text[..<end].lastIndex(of: UInt8(ascii: ",")) ?? end)...)
        return text + "]}".utf8
    }
}

extension FileList {
    /// Returns a page with the given number of files with the members that Drive sends by default, in compact form.
    package static func defaultPage(files: Int) -> [UInt8] {
        let list = (0..<files).map { #"{"kind":"drive#file","mimeType":"application/pdf",\#(Self.names($0))}"# }
            .joined(separator: ",")
        return Array(#"{"kind":"drive#fileList","incompleteSearch":false,"files":[\#(list)]}"#.utf8)
    }

    private static func names(_ number: Int) -> String {
        #""id":"1q\#(number)\#(String(repeating: "ZxT7_-b", count: 4))","name":"\#(Self.name(number))""#
    }
}
