// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A list of files like a response of the Drive API, with a given approximate size.
package enum FileList {
    /// Returns the JSON text, either indented like Google's responses or compact.
    package static func make(bytes: Int, isIndented: Bool) -> [UInt8] {
        var text = Array(#"{"kind": "drive#fileList", "incompleteSearch": false, "files": ["#.utf8)
        text.reserveCapacity(bytes + 4_096)
        var number = 0
        while text.count < bytes {
            if number > 0 { text.append(UInt8(ascii: ",")) }
            let file = Self.file(number)
            text += (isIndented ? file : Self.compact(file)).utf8
            number += 1
        }
        return text + "]}".utf8
    }

    /// Removes the indentation and the space after the name of each member.
    private static func compact(_ text: String) -> String {
        text.split(separator: "\n")
            .map { $0.drop { $0 == " " }.replacing("\": ", with: "\":", maxReplacements: 1) }
            .joined()
    }

    /// Returns the name of a file, which may contain non-ASCII letters or escapes.
    static func name(_ number: Int) -> String {
        if number % 7 == 0 { return "Résumé № \(number).pdf" }
        return number % 11 == 0 ? #"The \"last\" one"# : "Report \(number).pdf"
    }

    private static func file(_ number: Int) -> String {
        let id = "1q\(number)" + String(repeating: "ZxT7_-b", count: 4)
        let day = "2026-0\(number % 9 + 1)-1\(number % 10)T09:2\(number % 10):41.\(100 + number % 900)Z"
        let size = 1_000 + number * 7_919 % 10_000_000
        return """

                {
                  "kind": "drive#file",
                  "id": "\(id)",
                  "name": "\(Self.name(number))",
                  "mimeType": "application/pdf",
                  "starred": \(number % 5 == 0),
                  "trashed": false,
                  "parents": [
                    "0AJfE3x2b9TqOUk9PVA"
                  ],
                  "version": "\(number * 3 + 17)",
                  "webViewLink": "https://drive.google.com/file/d/\(id)/view?usp=drivesdk",
                  "iconLink": "https://drive-thirdparty.googleusercontent.com/16/type/application/pdf",
                  "createdTime": "\(day)",
                  "modifiedTime": "\(day)",
                  "owners": [
                    {
                      "kind": "drive#user",
                      "displayName": "Ada Lovelace",
                      "me": true,
                      "permissionId": "0694718312345678\(number % 1_000)",
                      "emailAddress": "ada@example.com"
                    }
                  ],
                  "capabilities": {
                    "canEdit": true,
                    "canCopy": true,
                    "canComment": true,
                    "canDownload": true,
                    "canShare": false
                  },
                  "md5Checksum": "9e107d9d372bb6826bd81d3542a419d6",
                  "size": "\(size)",
                  "imageMediaMetadata": {
                    "width": \(number % 4_000),
                    "height": \(number % 3_000),
                    "exposureTime": 0.00\(number % 900 + 1)
                  }
                }
            """
    }
}
