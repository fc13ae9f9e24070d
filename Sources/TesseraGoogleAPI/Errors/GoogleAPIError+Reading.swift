// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraOAuth

extension GoogleAPIError {
    /// The error of an answer whose status is no success; the body may be anything.
    public init(_ response: HTTPResponse, body: [UInt8]) {
        self.init(response, body: body, without: nil)
    }

    /// The error without what it repeats of these secrets.
    init(_ response: HTTPResponse, body: [UInt8], without secrets: CarriedSecrets?) {
        self.init(httpStatus: response.status.code)
        GoogleErrorReader(secrets: secrets).read(body, into: &self)
        guard var challenge = BearerChallengeError(response) else { return }
        if let secrets { challenge = challenge.without(secrets) }
        if challenge.isInsufficientScope { self.neededScopes = challenge.scope }
        if self.message == nil { self.message = challenge.serverDescription }
        if self.status == nil { self.status = challenge.error }
    }
}
