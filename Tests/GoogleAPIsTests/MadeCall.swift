// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraGoogleAPI

/// A call that generated code made.
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

/// What calls each method of an API.
///
/// The requirement is not deprecated where a witness is.
protocol MethodCalls: SendableMetatype {
    associatedtype Client: APIClient
    static func all(_ api: Client) -> [MadeCall]
}
