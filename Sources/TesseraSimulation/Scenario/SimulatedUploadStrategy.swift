// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraFetch
internal import TesseraOAuth

/// The protocol of ``SimulatedUploads``, which is Google's with pieces of any size.
struct SimulatedUploadStrategy: UploadStrategy {
    var granularity = 1
    /// Whether the program uses the protocol's request for cancellation.
    var cancels = false

    func beginning(of upload: Upload, length: Int64?) throws -> HTTPRequest { upload.request }

    func session(in response: HTTPResponse) throws -> UploadSession {
        guard let location = response.headerFields[.location] else { throw UploadError(.noSession) }
        let granularity = response.headerFields[SimulatedUploads.granularity].flatMap { Int($0) }
        return UploadSession(uri: Secret(location), granularity: granularity)
    }

    func request(for piece: UploadPiece, to sessionURI: HTTPRequest) -> HTTPRequest {
        let total = piece.total.map(String.init) ?? "*"
        guard piece.count > 0 else { return self.request(to: sessionURI, range: "*/\(total)") }
        return self.request(to: sessionURI, range: "\(piece.offset)-\(piece.end - 1)/\(total)")
    }

    func inquiry(length: Int64?, to sessionURI: HTTPRequest) -> HTTPRequest {
        self.request(to: sessionURI, range: "*/\(length.map(String.init) ?? "*")")
    }

    func cancellation(to sessionURI: HTTPRequest) -> HTTPRequest? {
        guard self.cancels else { return nil }
        var request = sessionURI
        request.method = .delete
        return request
    }

    func interpret(_ response: HTTPResponse, to piece: UploadPiece?) throws -> UploadResponse {
        switch response.status.code {
        case 308:
            let last = response.headerFields[.range].flatMap { Int64($0.dropFirst("bytes=0-".count)) }
            return .active(received: (last ?? -1) + 1, movedTo: response.headerFields[.location].map { Secret($0) })
        case 200...299: return .complete
        case 404, 410: return .gone
        case 499: throw UploadError(.canceled)
        default: return .refused
        }
    }

    private func request(to sessionURI: HTTPRequest, range: String) -> HTTPRequest {
        var request = sessionURI
        request.method = .put
        request.headerFields[.contentRange] = "bytes \(range)"
        return request
    }
}
