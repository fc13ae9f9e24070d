// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Something that happened in a simulation.
///
/// The same seed gives the same events. Tokens in events are those of a simulated provider, which are not secret.
public struct SimulationEvent: Sendable, Hashable {
    /// What caused an event.
    public enum Actor: Sendable, Hashable {
        /// A process.
        case process(ProcessID)
        /// A machine.
        case machine(Int)
        /// The provider.
        case provider
        /// The network.
        case network
        /// The simulated program, outside of any process.
        case scenario
    }

    /// A request that was sent.
    public struct Request: Sendable, Hashable {
        /// The method.
        public let method: String
        /// The origin of the URL.
        public let origin: String
        /// The path of the URL.
        public let path: String
        /// The refresh token in the body of a token request.
        public let refreshToken: SimulatedToken?
        /// The access token in the header.
        public let accessToken: SimulatedToken?
    }

    /// A response that was delivered.
    public struct Response: Sendable, Hashable {
        /// The status code.
        public let status: Int
        /// The new refresh token in the body of a token response.
        public let refreshToken: SimulatedToken?
    }

    /// What happened.
    public enum Action: Sendable, Hashable {
        /// A process started on a machine.
        case started(machine: Int)
        /// A process was killed.
        case killed
        /// A process was stopped for a number of seconds.
        case paused(seconds: Int)
        /// An app entered the background for a number of seconds.
        case enteredBackground(seconds: Int)
        /// The time for an app's activities in the background ran out.
        case activitiesExpired
        /// An app was suspended until it enters the foreground.
        case suspended
        /// An app entered the foreground.
        case enteredForeground
        /// Jobs began to wait for a thread.
        case threadsBusy
        /// Jobs no longer wait for a thread.
        case threadsFree
        /// A machine lost power.
        case lostPower
        /// A machine's wall clock was set, with its difference to the right time in nanoseconds.
        case clockSet(skew: Int64)
        /// A machine was disconnected from the network.
        case cutOff
        /// A machine was connected to the network again.
        case connected
        /// A disk became full.
        case diskFilled
        /// A disk is no longer full.
        case diskCleared
        /// A disk began to fail.
        case diskFails
        /// A disk works again.
        case diskWorks
        /// Connections to the database began to fail.
        case databaseFails
        /// Connections to the database work again.
        case databaseWorks
        /// The database server stopped.
        case databaseStopped
        /// The database server started.
        case databaseStarted
        /// A process acquired the lease of another process, which had expired unless the database is wrong.
        case leaseTaken(subject: String, from: ProcessID, isExpired: Bool)
        /// A process acquired a lease again after it had lost one.
        case leaseRegained(subject: String)
        /// The database lost the lease of a process in a failover.
        case leaseLost(subject: String, of: ProcessID)
        /// A keyring was locked or began to fail.
        case keyringFails
        /// A keyring is available again.
        case keyringWorks
        /// All records in a keyring were removed.
        case keyringReset(store: String)
        /// The faults of the network changed.
        case networkChanged(NetworkFaults)
        /// The provider began to respond with errors, or stopped.
        case availabilityChanged(unavailable: Int)

        /// A connection could not be established.
        case unreachable
        /// A request was sent.
        case sent(Request, request: Int)
        /// A request was lost before it arrived.
        case requestLost(request: Int)
        /// A response was lost after the provider acted.
        case responseLost(request: Int)
        /// A response was delivered to the process that sent the request.
        case delivered(Response, request: Int)
        /// An exchange ended without a complete response.
        case abandoned(request: Int)

        /// A user consented, and the provider issued a refresh token.
        case consented(SimulatedToken)
        /// The provider accepted a refresh token, and issued an access token with a lifetime in seconds.
        case refreshed(
            SimulatedToken,
            access: SimulatedToken,
            refresh: SimulatedToken?,
            request: Int,
            lifetime: Int
        )
        /// The provider rejected a refresh token.
        case rejected(SimulatedToken, request: Int)
        /// The provider detected that a replaced refresh token was used, and revoked the consent.
        case reuseDetected(SimulatedToken, request: Int)
        /// The provider exchanged an authorization code for the refresh token of a new consent, and issued an access
        /// token with a lifetime in seconds. The refresh token is nil if the user had consented before.
        case exchanged(SimulatedToken?, access: SimulatedToken, request: Int, lifetime: Int)
        /// A consent was revoked.
        case revoked(consent: Int)
        /// The API began to reject the current access tokens of a user.
        case invalidated(subject: String)
        /// The key that signs ID tokens was replaced.
        case keysRotated
        /// The third issuer issued an access token to a program without a user, or in exchange for a user's token.
        case granted(SimulatedToken, request: Int)
        /// The responses of the third issuer began to differ from the usual ones, or no longer differ.
        case deviates(SimulatedProvider.Deviation, Bool)
        /// A program saved the record of an account without its key.
        case keyRemoved(subject: String)

        /// An operation began to send the bytes of an upload, or to resume it.
        case uploading(Int, upload: Int, SimulatedContent)
        /// The API created an object from the bytes of an upload.
        case created(upload: Int, SimulatedContent)
        /// The API rejected a piece of an upload, whose offset differs from the number of bytes that it had received.
        case pieceRejected(upload: Int, offset: Int, received: Int)
        /// The API forgot the uploads that were not complete.
        case uploadsLost

        /// A refresh was marked in a store, or its mark was removed.
        case marked(subject: String, isMarked: Bool, store: String)
        /// A record was saved in a store.
        case saved(SavedTokens, store: String)
        /// A record could not be saved.
        case saveFailed(SavedTokens, store: String)
        /// A record was found in a store.
        case found(SavedTokens, store: String)
        /// No record was found in a store, or a damaged one, by a process that began to load it at `begunAt`.
        case notFound(subject: String, isDamaged: Bool, store: String, begunAt: Int64)
        /// A record could not be read.
        case loadFailed(subject: String, store: String)
        /// A record was removed from a store.
        case removed(subject: String, store: String)

        /// An operation listed the accounts in a store.
        case listed(Int, [String], store: String)
        /// A record in a store was damaged, so that it cannot be read.
        case damaged(subject: String, store: String)
        /// The storage of an archive was damaged, failed or works again.
        case archiveChanged(String)

        /// A program released a session, which its next operation restores.
        case released(subject: String)
        /// An operation of a program began.
        case began(Int, SessionOperation)
        /// An operation returned an access token.
        case received(Int, SimulatedToken)
        /// An operation succeeded without returning a token.
        case succeeded(Int)
        /// An operation was canceled, or its process was killed.
        case canceled(Int)
        /// An operation failed, with the description of the error.
        case failed(Int, String)
        /// An operation reported that its session has ended, with the code of the reason.
        case ended(Int, reason: String)
    }

    /// The time since the start of the simulation, in nanoseconds.
    public let time: Int64
    /// What caused the event.
    public let actor: Actor
    /// What happened.
    public let action: Action
}

extension SimulationEvent: CustomStringConvertible {
    /// The time and a sentence about the event.
    public var description: String {
        let milliseconds = self.time / 1_000_000
        let fraction = String(milliseconds % 1_000 + 1_000).dropFirst()
        return "\(milliseconds / 1_000).\(fraction) s  \(self.sentence)"
    }

    /// A sentence about the event.
    public var sentence: String {
        let subject =
            switch self.actor {
            case .process(let id): "Process \(id)"
            case .machine(let id): "Machine \(id)"
            case .provider: "The provider"
            case .network: "The network"
            case .scenario: "The scenario"
            }
        return "\(subject) \(self.action.predicate)."
    }
}

extension SimulationEvent.Action {
    var predicate: String {
        switch self {
        case .started(let machine): "starts on machine \(machine)"
        case .killed: "is killed"
        case .paused(let seconds): "is stopped for \(seconds) seconds"
        case .enteredBackground(let seconds): "is in the background for \(seconds) seconds"
        case .activitiesExpired: "has no time for activities"
        case .suspended: "is suspended"
        case .enteredForeground: "is in the foreground"
        case .threadsBusy: "delays what is ready to run"
        case .threadsFree: "no longer delays what is ready to run"
        case .lostPower: "loses power"
        case .clockSet(let skew): "sets its clock to \(skew / 1_000_000_000) seconds after the right time"
        case .cutOff: "is cut off from the network"
        case .connected: "is connected to the network"
        case .diskFilled: "has a full disk"
        case .diskCleared: "has space on its disk again"
        case .diskFails: "has a failing disk"
        case .diskWorks: "has a working disk again"
        case .databaseFails: "loses connections to the database"
        case .databaseWorks: "no longer loses connections to the database"
        case .databaseStopped: "stops the database server"
        case .databaseStarted: "starts the database server"
        case .leaseTaken(let subject, let process, let isExpired):
            "takes the \(isExpired ? "expired " : "")lease on \(subject) from process \(process)"
        case .leaseRegained(let subject): "has a lease on \(subject) again"
        case .leaseLost(let subject, let process): "loses the lease of process \(process) on \(subject)"
        case .keyringFails: "has a keyring that fails"
        case .keyringWorks: "has a working keyring again"
        case .keyringReset: "has an empty keyring"
        case .networkChanged(let faults):
            faults == NetworkFaults() ? "becomes reliable" : "becomes unreliable"
        case .availabilityChanged(let unavailable):
            unavailable > 0 ? "begins to respond with errors" : "stops responding with errors"
        case .unreachable: "cannot connect"
        case .sent(let request, let number): "sends request \(number), \(request.text)"
        case .requestLost(let number): "loses request \(number)"
        case .responseLost(let number): "loses the response to request \(number)"
        case .delivered(let response, let number): "receives the response to request \(number), \(response.text)"
        case .abandoned(let number): "has no complete response to request \(number)"
        case .consented(let token): "issues \(token) after the user's consent"
        case .refreshed(let old, let access, let new, let number, _):
            "accepts \(old) in request \(number), and issues \(access)\(new.map { " and \($0)" } ?? "")"
        case .rejected(let token, let number): "rejects \(token) in request \(number)"
        case .reuseDetected(let token, let number):
            "detects that \(token) in request \(number) was replaced, and revokes consent \(token.consent)"
        case .exchanged(let refresh, let access, let number, _):
            "accepts the code in request \(number), and issues \(access)\(refresh.map { " and \($0)" } ?? "")"
        case .revoked(let consent): "revokes consent \(consent)"
        case .invalidated(let subject): "rejects the current access tokens of \(subject)"
        case .keysRotated: "replaces the key that signs ID tokens"
        case .granted(let access, let number): "issues \(access) in request \(number)"
        case .deviates(let deviation, let begins):
            "\(begins ? "begins" : "stops") to deviate in its responses (\(deviation.rawValue))"
        case .keyRemoved(let subject): "removes the key from the record of \(subject)"
        case .uploading(let number, let upload, let content):
            "sends upload \(upload) of \(content.count) bytes in operation \(number)"
        case .created(let upload, let content): "creates an object of \(content.count) bytes from upload \(upload)"
        case .pieceRejected(let upload, let offset, let received):
            "rejects bytes of upload \(upload) from offset \(offset), because it has received \(received) bytes"
        case .uploadsLost: "forgets the uploads that are not complete"
        case .marked(let subject, let isMarked, _):
            isMarked ? "marks a refresh of \(subject)" : "removes the mark of \(subject)"
        case .saved(let tokens, _): "saves \(tokens.text)"
        case .saveFailed(let tokens, _): "cannot save \(tokens.text)"
        case .found(let tokens, _): "finds \(tokens.text)"
        case .notFound(let subject, let isDamaged, _, _): "finds \(isDamaged ? "a damaged" : "no") record of \(subject)"
        case .loadFailed(let subject, _): "cannot read the record of \(subject)"
        case .removed(let subject, _): "removes the record of \(subject)"
        case .listed(let number, let names, _): "lists \(names.count) accounts in operation \(number)"
        case .damaged(let subject, let store): "damages the record of \(subject) in store \(store)"
        case .archiveChanged(let text): text
        case .released(let subject): "releases the session of \(subject)"
        case .began(let number, let operation): "begins operation \(number), \(operation)"
        case .received(let number, let token): "ends operation \(number) with \(token)"
        case .succeeded(let number): "ends operation \(number)"
        case .canceled(let number): "cancels operation \(number)"
        case .failed(let number, let error): "ends operation \(number) with an error: \(error)"
        case .ended(let number, let reason): "ends operation \(number), because the session has ended (\(reason))"
        }
    }
}

extension SimulationEvent.Request {
    var text: String {
        if let refreshToken { return "a refresh with \(refreshToken)" }
        return "\(self.method) \(self.path)\(self.accessToken.map { " with \($0)" } ?? "")"
    }
}

extension SimulationEvent.Response {
    var text: String { "\(self.status)\(self.refreshToken.map { " with \($0)" } ?? "")" }
}

extension SavedTokens {
    var text: String {
        if let access, self.refresh == nil { return "\(access) of \(self.subject) without a refresh token" }
        guard let refresh else { return "the end of \(self.subject)'s session (\(self.endReason ?? "unknown"))" }
        return "\(refresh) of \(self.subject)\(self.isUnchecked ? " with an expired access token" : "")"
    }
}
