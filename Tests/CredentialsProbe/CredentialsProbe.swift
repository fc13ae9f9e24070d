// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import GoogleStorageV1
internal import Tessera
internal import TesseraGoogle
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTransport

/// A separate process that uses the credentials of its environment, for `Scripts/check-credentials`.
///
/// The first line of standard input is a ``ProbeJob`` in JSON. All requests are sent to a local server. The probe
/// prints a JSON object with the results or with `error`.
@main
enum CredentialsProbe {
    static func main() async {
        let result: JSONNode
        do {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let job = try decoder.decode(ProbeJob.self, from: Data((readLine() ?? "").utf8))
            result = .object(try await Self.run(job))
        } catch {
            result = ["error": .string(String(describing: error))]
        }
        print(result.text())
    }

    /// Returns the results that google-auth also returns.
    private static func run(_ job: ProbeJob) async throws -> [JSONMember] {
        let transport = ReroutingTransport(port: job.port, transport: TestTransport.make())
        var runtime = OAuthRuntime(transport: transport)
        // The local server does not ask for certificates.
        runtime.transportWithIdentity = { _, _ in transport }
        let found = try await job.credentials(runtime)
        var members: [JSONMember] = []
        // Like google.auth.default(), find the project first.
        if job.source != "machine", job.operation != "id_token", let project = try await found.project() {
            members.append(JSONMember(name: "project", value: .string(project)))
        }
        let credentials = try job.derived(from: found)
        switch job.operation {
        case "id_token":
            let token = try await credentials.idToken(
                audience: job.audience ?? "",
                includesEmail: job.includeEmail,
                includesLicenses: job.includeLicenses
            )
            members.append(JSONMember(name: "token", value: .string(token.secret.withUnredacted { $0 })))
        case "sign":
            let bytes = try await credentials.sign(Array(job.bytes.utf8)).bytes
            members.append(JSONMember(name: "signature", value: .string(Self.hexadecimal(bytes))))
        default:
            if job.operation == "call" {
                _ = try await StorageV1(credentials: credentials).buckets.get(bucket: "example").execute()
            }
            let token = try await credentials.accessToken().secret.withUnredacted { $0 }
            members.append(JSONMember(name: "token", value: .string(token)))
        }
        return members
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        .joined()
    }
}
