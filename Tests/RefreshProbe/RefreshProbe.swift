// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
internal import Crypto
internal import TesseraSupport
internal import Tessera
internal import TestTransport
internal import TesseraUserAgents

/// A separate process that requests access tokens on command: `RefreshProbe STORE KEYS`.
///
/// `STORE` is `file:DIR`, `sqlite:PATH` or `postgresql://…`. The key is stored in the directory `KEYS`.
///
/// Each line on standard input is a number of seconds. The probe sets its monotonic clock forward by this amount and
/// requests an access token from its session. It prints `token HASH` or `error DESCRIPTION`.
@main
enum RefreshProbe {
    static func main() async throws {
        let offset = Mutex<Int64>(0)
        let start = ContinuousClock.now
        let places = CommandLine.arguments.dropFirst()
        guard let location = places.first, let keys = places.last else { return }
        let runtime = OAuthRuntime(
            transport: TestTransport.make(),
            now: { Date() },
            uptime: {
                (ContinuousClock.now - start).components.seconds * 1_000_000_000 + offset.withLock { $0 }
                    * 1_000_000_000
            },
            clock: ContinuousClock(),
            randomBytes: { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
        )
        let store = try ProbeStore.named(location, keyDirectory: keys)
        guard let account = try await store.list().first, let record = try await store.load(account) else { return }
        let signIn = SignIn(record.provider, runtime: runtime, store: store, userAgent: SystemBrowser())
        guard let session = try await signIn.restore(account) else { return }
        print("ready")
        fflush(nil)
        while let line = readLine(), let seconds = Int64(line) {
            offset.withLock { $0 = seconds }
            do {
                let token = try await session.accessToken()
                let digest = token.secret.withUnredacted { SHA256.hash(data: Array($0.utf8)) }
                print("token", digest.prefix(8).map { String($0, radix: 16) }.joined())
            } catch {
                print("error", error)
            }
            fflush(nil)
        }
    }
}
