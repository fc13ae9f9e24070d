// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// A body of type `multipart/related` with two parts, as an upload with metadata has (RFC 2387).
struct MultipartRelated: Sendable {
    var metadata: [UInt8]
    var mediaType: String?
    var media: [UInt8]

    init(_ body: [UInt8], contentType: String) throws(APIFailure) {
        guard let parts = try? MultipartBody(body[...], contentType: contentType).parts, parts.count == 2,
            let metadata = parts[0].content, let media = parts[1].content,
            parts[0]["Content-Type"].map({ $0.lowercased().hasPrefix("application/json") }) ?? true,
            ["binary", "8bit", "7bit", nil].contains(parts[1]["Content-Transfer-Encoding"]?.lowercased())
        else {
            throw .badRequest("The body is no multipart/related message of two parts, JSON metadata and binary media.")
        }
        self.metadata = Array(metadata)
        self.mediaType = parts[1]["Content-Type"]
        self.media = Array(media)
    }
}
#endif
