// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension FileList {
    /// A page of so many files, as Google sends it.
    package static func page(files: Int) -> [UInt8] {
        // A file has about 1,250 bytes; what is too much is cut off at the file that is one too many.
        var text = Self.make(bytes: files * 2_000, isIndented: true)
        let mark = Array(#""id": "1q\#(files)Z"#.utf8)
        guard let place = text.firstRange(of: mark) else { return text }
        let end = text[..<place.lowerBound].lastIndex(of: UInt8(ascii: "{")) ?? place.lowerBound
        text.removeSubrange((text[..<end].lastIndex(of: UInt8(ascii: ",")) ?? end)...)
        return text + "]}".utf8
    }
}
