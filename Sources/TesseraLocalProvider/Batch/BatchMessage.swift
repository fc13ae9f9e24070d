// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

/// Many calls in one request: a body of type `multipart/mixed`.
///
/// - SeeAlso: [Performance tips: batching](https://developers.google.com/workspace/drive/api/guides/performance)
struct BatchMessage: Sendable {
    /// How many calls a batch has at most.
    static let limit = 100

    /// The addresses that take batches, and the beginnings of the paths that each takes calls for.
    private static let addresses = [
        "/batch": ["/drive/v3/", "/gmail/v1/"], "/batch/drive/v3": ["/drive/v3/"], "/batch/gmail/v1": ["/gmail/v1/"],
    ]

    let calls: [BatchCall]

    static func isBatch(_ path: String) -> Bool { self.addresses[path] != nil }

    /// Throws for a body that is no batch; a part that is none fails alone.
    init(_ request: EndpointRequest) throws(APIFailure) {
        guard request.contentType == "multipart/mixed", let type = request.headers[.contentType],
            let parts = try? MultipartBody(request.body[...], contentType: type).parts
        else { throw Self.failure("the body is no multipart/mixed message with a boundary and an end.") }
        guard !parts.isEmpty else { throw Self.failure("the batch has no parts.") }
        guard parts.count <= Self.limit else {
            throw Self.failure("the batch has \(parts.count) calls; at most \(Self.limit) are allowed.")
        }
        let prefixes = Self.addresses[request.path] ?? []
        self.calls = parts.map { BatchCall($0, in: request, prefixes: prefixes) }
    }

    private static func failure(_ text: String) -> APIFailure {
        .badRequest("Failed to parse batch request, error: \(text)")
    }
}
#endif
