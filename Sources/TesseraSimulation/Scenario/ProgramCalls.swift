// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraSupport

/// The uploads, calls and consents of programs, which have their own random numbers.
final class ProgramCalls: Sendable {
    /// The account on a machine that an upload belongs to.
    fileprivate struct Owner: Hashable {
        let machine: Int
        let subject: String
    }

    /// An upload that has not succeeded, with what a program needs to resume it.
    fileprivate struct Unfinished {
        let upload: Int
        let bytes: [UInt8]
        var state: UploadState?
        /// The process that is uploading, or nil if the upload has failed.
        var process: SimulatedProcess?
    }

    fileprivate struct State {
        var random: SeededGenerator
        var lastUpload = 0
        var unfinished: [Owner: Unfinished] = [:]

        mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
            (0..<count.lowerBound + self.random.below(count.count))
                .map { _ in
                    UInt8(truncatingIfNeeded: self.random.next())
                }
        }
    }

    private struct UnsuccessfulError: Error, CustomStringConvertible {
        let description: String
    }

    private let simulation: Simulation
    private let state: Mutex<State>

    init(in simulation: Simulation) {
        self.simulation = simulation
        self.state = Mutex(State(random: simulation.generator(.calls, 1)))
    }

    /// Returns whether a session is released before an operation.
    func releasesSession() -> Bool { self.state.withLock { $0.random.chance(20) } }

    // MARK: Uploads

    /// Uploads bytes in pieces, or resumes an upload of the account on this machine that has not succeeded.
    ///
    /// The state of an upload is durable: no fault of a disk loses it.
    func upload(with session: OAuthSession, _ operation: Int, in process: SimulatedProcess) async throws {
        let owner = Owner(machine: process.machine.id, subject: session.account.name)
        let (unfinished, pieceSize) = self.state.withLock { state in
            (state.resume(owner, in: process), 40 + state.random.below(80))
        }
        self.announce(unfinished.upload, unfinished.bytes, operation, in: process)
        let upload = Upload(
            Self.request(.post, "/upload?upload=\(unfinished.upload)", session),
            source: HTTPBody(unfinished.bytes),
            strategy: SimulatedUploadStrategy(),
            pieceSize: pieceSize
        )
        do {
            _ = try await self.fetcher(session, process)
                .upload(upload, from: unfinished.state) { saved in
                    guard process.mayOperate() else { throw CancellationError() }
                    self.state.withLock { $0.update(owner, unfinished.upload) { $0?.state = saved } }
                }
        } catch {
            self.state.withLock { $0.update(owner, unfinished.upload) { $0?.process = nil } }
            throw error
        }
        if process.isRunning { self.state.withLock { $0.update(owner, unfinished.upload) { $0 = nil } } }
    }

    /// Sends bytes that can be read only once in a single request.
    func post(with session: OAuthSession, _ operation: Int, in process: SimulatedProcess) async throws {
        let (upload, bytes) = self.state.withLock { ($0.nextUpload(), $0.bytes(20...200)) }
        self.announce(upload, bytes, operation, in: process)
        let rest = Mutex<[UInt8]?>(bytes)
        let body = HTTPBody(length: nil, isReplayable: false) { { rest.withLock { $0.take() } } }
        let request = Self.request(.post, "/objects?upload=\(upload)", session)
        let (response, content) = try await self.fetcher(session, process).send(request, body: body)
        _ = try await content.collect(upTo: 1 << 20)
        guard response.status == .ok else { throw UnsuccessfulError(description: "status \(response.status.code)") }
    }

    private func announce(_ upload: Int, _ bytes: [UInt8], _ operation: Int, in process: SimulatedProcess) {
        let content = SimulatedContent(bytes)
        self.simulation.record(.uploading(operation, upload: upload, content), by: .process(process.id))
    }

    // MARK: Other operations

    /// Calls an API that redirects to another origin, and follows the redirect.
    func followedCall(with session: OAuthSession, in process: SimulatedProcess) async throws {
        let fetcher = self.fetcher(session, process, FetchSettings(redirects: .anywhere))
        let (_, body) = try await fetcher.send(Self.request(.get, "/moved", session))
        _ = try await body.collect(upTo: 1 << 20)
    }

    /// Adds a scope that the session does not have yet.
    func addScope(to session: OAuthSession, _ operation: Int, _ signIn: SignIn) async throws {
        let scope = Scope(rawValue: "files.\(operation)")
        try await signIn.addScopes([scope], to: session, options: Self.options(session.account.name))
    }

    /// Signs in with a browser, and repeats a consent if its number is given.
    func signIn(_ name: String, _ signIn: SignIn, consent: Int? = nil) async throws -> OAuthSession {
        var options = Self.options(name)
        if let consent { options.additionalParameters["consent"] = "\(consent)" }
        return try await signIn.signIn(scopes: SimulatedIssuer(of: name).scopes, options: options)
    }

    /// Returns the options for a sign-in, which identifies the user by the ID token if the provider issues one.
    static func options(_ name: String) -> SignInOptions {
        let issuer = SimulatedIssuer(of: name)
        var options = SignInOptions(loginHint: issuer.subject(of: name))
        if issuer == .oauth { options.identity = .caller { _ in name } }
        if issuer == .work {
            options.requiredClaims = ["hd": "example.com", "tenant": "work"]
            options.resources = ["https://\(issuer.apiHost)/"]
            options.redirectURI = "com.example.app:/redirect"
        }
        return options
    }

    static func request(_ method: HTTPRequest.Method, _ path: String, _ session: OAuthSession) -> HTTPRequest {
        let issuer = SimulatedIssuer(of: session.account.name)
        return HTTPRequest(method: method, scheme: "https", authority: issuer.apiHost, path: path)
    }

    /// Returns a fetcher whose delays between attempts do not depend on the process's random numbers.
    private func fetcher(
        _ session: OAuthSession,
        _ process: SimulatedProcess,
        _ settings: FetchSettings = FetchSettings()
    ) -> AuthorizedFetcher {
        var runtime = process.runtime
        runtime.randomBytes = { count in self.state.withLock { $0.bytes(count...count) } }
        return AuthorizedFetcher(session, runtime: runtime, settings: settings)
    }
}

extension ProgramCalls.State {
    fileprivate mutating func nextUpload() -> Int {
        self.lastUpload += 1
        return self.lastUpload
    }

    /// Returns the account's unfinished upload if no process is working on it, or a new one.
    fileprivate mutating func resume(
        _ owner: ProgramCalls.Owner,
        in process: SimulatedProcess
    ) -> ProgramCalls.Unfinished {
        if var known = self.unfinished[owner], known.process?.isRunning != true {
            known.process = process
            self.unfinished[owner] = known
            return known
        }
        let new = ProgramCalls.Unfinished(upload: self.nextUpload(), bytes: self.bytes(40...400), process: process)
        self.unfinished[owner] = new
        return new
    }

    /// Changes an upload, unless a newer one has taken its place.
    fileprivate mutating func update(
        _ owner: ProgramCalls.Owner,
        _ upload: Int,
        _ change: (inout ProgramCalls.Unfinished?) -> Void
    ) {
        if self.unfinished[owner]?.upload == upload { change(&self.unfinished[owner]) }
    }
}
