// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

extension ProviderState {
    /// Reads a call and checks its token: the call, or why it is refused.
    func driveAuthorization(_ request: EndpointRequest, at now: Int64) -> Result<DriveCall, DriveFailure> {
        do throws(DriveFailure) {
            guard let parameters = try? FormParameters(decoding: request.query) else {
                throw .badRequest("The query is not well-formed.")
            }
            let operation = try DriveOperation(request, parameters)
            let token = try self.driveToken(request, operation, at: now)
            guard let account = self.account(token.subject) else { throw self.refusal(.invalidToken) }
            let everything = [
                ScopeCatalog.drive, ScopeCatalog.driveReadonly, ScopeCatalog.driveMetadataReadonly,
            ]
            let access = DriveAccess(
                clientID: token.clientID,
                account: account,
                seesEverything: everything.contains { token.scopes.contains($0) && operation.scopes.contains($0) },
                pictureURL: self.pictureURL(of: account)
            )
            return .success(
                DriveCall(operation: operation, parameters: parameters, access: access, baseURL: self.baseURL)
            )
        } catch {
            return .failure(error)
        }
    }

    /// What goes wrong with the next request to the Drive; a request uses it up.
    mutating func nextDriveFault() -> LocalProviderOptions.DriveFault {
        self.behaviour.driveFaults.isEmpty ? .none : self.behaviour.driveFaults.removeFirst()
    }

    private func driveToken(
        _ request: EndpointRequest,
        _ operation: DriveOperation,
        at now: Int64
    ) throws(DriveFailure) -> AccessToken {
        do throws(BearerRefusal) {
            return try self.bearer(request, anyOf: operation.scopes, at: now)
        } catch {
            throw self.refusal(error)
        }
    }

    private func refusal(_ refusal: BearerRefusal) -> DriveFailure {
        switch refusal {
        case .noToken, .invalidToken:
            DriveFailure(
                status: .unauthorized,
                statusName: "UNAUTHENTICATED",
                reason: refusal.isMissing ? "required" : "authError",
                message: refusal.isMissing
                    ? "Login Required." : "Invalid Credentials: the access token is expired, revoked or malformed.",
                location: ("header", "Authorization"),
                challenge: self.challenge(refusal)
            )
        case .insufficientScope:
            DriveFailure(
                status: .forbidden,
                statusName: "PERMISSION_DENIED",
                reason: "insufficientPermissions",
                message: "Insufficient Permission: Request had insufficient authentication scopes.",
                detail: "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
                challenge: self.challenge(refusal)
            )
        }
    }
}

extension ProviderState.BearerRefusal {
    fileprivate var isMissing: Bool {
        if case .noToken = self { true } else { false }
    }
}
#endif
