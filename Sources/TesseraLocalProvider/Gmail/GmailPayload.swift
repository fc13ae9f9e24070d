// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON

/// A message that a client brings: in JSON as base64, or as an upload.
struct GmailPayload: Sendable {
    var raw: [UInt8]?
    var threadID: String?
    var labelIDs: [String]
    /// The draft that a request names.
    var draftID: String?

    init(_ request: EndpointRequest, _ call: GmailCall, isDraft: Bool) throws(APIFailure) {
        guard call.isUpload else {
            self = try Self(json: request.body, isDraft: isDraft)
            if let value = try? JSONValue(parsing: request.body), let text = Self.message(value, isDraft)?["raw"] {
                guard let raw = text.string.flatMap({ MailBase64.decode($0.utf8) }) else {
                    throw .invalidArgument("Invalid value for ByteString: raw is not base64url.")
                }
                self.raw = raw
            }
            return
        }
        switch call.parameters["uploadType"] {
        case "media":
            self = try Self(json: [], isDraft: isDraft)
            self.raw = try Self.checked(request.body, type: request.contentType)
        case "multipart":
            let message = try MultipartRelated(request.body, contentType: request.headers[.contentType] ?? "")
            self = try Self(json: message.metadata, isDraft: isDraft)
            self.raw = try Self.checked(message.media, type: message.mediaType?.fieldValue)
        default:
            throw .invalidArgument("This Gmail takes uploadType=media and uploadType=multipart.")
        }
    }

    /// The message; throws where the request brings none that can be read.
    func message() throws(APIFailure) -> [UInt8] {
        guard let raw, !raw.isEmpty else {
            throw .invalidArgument(
                "'raw' RFC822 payload message string or uploading message via /upload/* URL required"
            )
        }
        guard MessageHead(raw[...]) != nil else { throw .invalidArgument("Invalid message: its head cannot be read.") }
        return raw
    }

    private init(json bytes: [UInt8], isDraft: Bool) throws(APIFailure) {
        self.labelIDs = []
        if bytes.isEmpty { return }
        guard let value = try? JSONValue(parsing: bytes), value.kind == .object else {
            throw APIFailure(
                status: .badRequest,
                statusName: "INVALID_ARGUMENT",
                reason: "parseError",
                message: "Parse Error"
            )
        }
        let message = Self.message(value, isDraft)
        self.threadID = message?["threadId"]?.string
        self.labelIDs = message?["labelIds"]?.elements?.compactMap { $0.string } ?? []
        self.draftID = isDraft ? value["id"]?.string : nil
    }

    private static func message(_ value: JSONValue, _ isDraft: Bool) -> JSONValue? {
        isDraft ? value["message"] : value
    }

    private static func checked(_ bytes: [UInt8], type: String?) throws(APIFailure) -> [UInt8] {
        guard let type, type.hasPrefix("message/") else {
            throw .invalidArgument("Media type '\(type ?? "")' is not supported. Valid media types: [message/*]")
        }
        return bytes
    }
}
#endif
