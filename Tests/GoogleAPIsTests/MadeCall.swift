// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraGoogleAPI

/// A call that generated code created.
struct MadeCall: Sendable {
    let methodID: String
    /// The HTTP method and the URL.
    let message: @Sendable () throws -> (method: String, url: String)

    init<Request: APIRequest>(_ call: APICall<Request>) {
        self.methodID = Request.method.id
        self.message = {
            let request = try call.message().request
            return (
                request.method.rawValue,
                "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
            )
        }
    }
}

/// Creates a call of each method of an API.
///
/// A conformance is deprecated if it calls deprecated methods. This requirement is not, so its use causes no warning.
protocol MethodCalls: SendableMetatype {
    associatedtype Client: APIClient
    static func all(_ api: Client) -> [MadeCall]
}
