// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraSupport

final class ProviderService: Sendable {
    let options: LocalProviderOptions
    let drive: DriveService
    let gmail: GmailService
    private let state: Mutex<ProviderState>

    init(options: LocalProviderOptions) throws {
        self.options = options
        self.state = Mutex(try ProviderState(options: options))
        self.drive = try DriveService(options: options)
        self.gmail = GmailService(options: options)
    }

    func withState<Value: Sendable, Failure: Error>(
        _ body: (inout ProviderState) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let now = self.now()
        return try self.state.withLock { state throws(Failure) in
            state.now = now
            return try body(&state)
        }
    }

    func now() -> Int64 {
        Int64(exactly: max(-1e12, min(1e12, self.options.now().timeIntervalSince1970)).rounded(.down)) ?? 0
    }

    /// Whether a request means this server: a page elsewhere whose name was made to point here must not reach it.
    func isOurs(_ host: String?) -> Bool {
        guard let host else { return false }
        if ["0.0.0.0", "::"].contains(self.options.host) { return true }
        let authority = self.withState { $0.baseURL }.drop { $0 != "/" }.dropFirst(2)
        let port = authority.split(separator: ":", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        let ours = [String(authority), "127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
        return ours.contains(host.lowercased())
    }
}
#endif
