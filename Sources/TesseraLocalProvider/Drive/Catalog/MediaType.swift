// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// Media types by the end of a file's name.
enum MediaType {
    static func of(fileName: String) -> String {
        let ending = fileName.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return self.known[ending] ?? "application/octet-stream"
    }

    /// Whether a text can stand in a `Content-Type` header.
    static func isValid(_ text: String) -> Bool {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= 200 && sides.count == 2
            && sides.allSatisfy { side in
                !side.isEmpty
                    && side.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$&^_.+-".contains($0)) }
            }
    }

    private static let known = [
        "txt": "text/plain", "md": "text/markdown", "csv": "text/csv", "html": "text/html", "css": "text/css",
        "js": "text/javascript", "json": "application/json", "xml": "application/xml", "pdf": "application/pdf",
        "zip": "application/zip", "gz": "application/gzip", "tar": "application/x-tar", "png": "image/png",
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "svg": "image/svg+xml", "webp": "image/webp",
        "mp3": "audio/mpeg", "wav": "audio/wav", "mp4": "video/mp4", "mov": "video/quicktime",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ]
}
#endif
