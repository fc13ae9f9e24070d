// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

extension ProviderState {
    /// Reads a call and checks its token: the call, or why it is refused.
    func driveAuthorization(_ request: EndpointRequest, at now: Int64) -> Result<DriveCall, APIFailure> {
        do throws(APIFailure) {
            guard let parameters = try? FormParameters(decoding: request.query) else {
                throw .badRequest("The query is not well-formed.")
            }
            let operation = try DriveOperation(request, parameters)
            let (token, account) = try self.apiToken(
                request,
                anyOf: operation.scopes,
                service: "drive.googleapis.com",
                at: now
            )
            let scopes = Set(operation.scopes).intersection(token.scopes)
            let access = DriveAccess(
                clientID: token.clientID,
                account: account,
                accounts: self.options.accounts,
                seesEverything: !scopes.isDisjoint(with: ScopeCatalog.wholeDrive),
                seesOwnFiles: scopes.contains(ScopeCatalog.driveFile),
                seesApplicationData: scopes.contains(ScopeCatalog.driveApplicationData),
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
}
#endif
