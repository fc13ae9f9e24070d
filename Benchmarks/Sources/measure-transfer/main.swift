// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import HTTPTypes
internal import Tessera
internal import TesseraCurl
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraOAuth

// Performs one transfer in its own process, like curl, so that time and memory can be compared from outside.
let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 4, let pieceSize = Int(arguments[3]), ["upload", "download"].contains(arguments[0]) else {
    fatalError("usage: measure-transfer upload|download URL FILE PIECE-SIZE|0 [CERTIFICATE]")
}
try runBlocking {
    let transport = CurlTransport(insecure: .loopbackHTTP, additionalTrustRoots: Array(arguments.dropFirst(4)))
    let request = try HTTPRequest(method: arguments[0] == "upload" ? .post : .get, url: arguments[1])
    let origin = "\(request.scheme ?? "")://\(request.authority ?? "")"
    let session = try await BenchmarkSession.make(origin: origin, transport: transport)
    let fetcher = session.fetcher(settings: .google)
    if arguments[0] == "download" {
        try await fetcher.download(request, to: arguments[2], resumes: false)
    } else {
        let upload = Upload(
            request,
            source: try await HTTPBody(file: arguments[2]),
            strategy: GoogleResumableUpload(),
            pieceSize: pieceSize > 0 ? pieceSize : nil
        )
        let (response, _) = try await fetcher.upload(upload)
        precondition(response.status == .ok)
    }
    await transport.shutdown()
}
