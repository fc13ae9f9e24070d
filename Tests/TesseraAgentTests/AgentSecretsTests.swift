// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraAgent
internal import TesseraTesting
internal import Testing

@Suite("Secrets of the agent", .timeLimit(.minutes(1)))
struct AgentSecretsTests {
    @Test("Descriptions, errors and the audit contain no token")
    func canary() async throws {
        try await AgentHarness.withAgent { harness, client in
            let token = try await client.token()
            let source = try await AgentTokenSource.connect(client: client)
            let request = AgentTokenRequest(account: "nobody", refusedToken: token.accessToken)
            var shown: [Any] = [token, source, request, client, try await client.accounts(), try await client.status()]
            harness.expire()
            harness.network.intercept("/token") { request in
                let echo = request.formValue("refresh_token") ?? ""
                return .json(#"{"error": "invalid_grant", "error_description": "\#(echo)"}"#, status: .badRequest)
            }
            do { _ = try await client.token() } catch {
                shown += [error, "\(error)", (error as? AgentError)?.recoverySuggestion ?? ""]
            }
            do { _ = try await client.token(request) } catch { shown.append(error) }
            shown.append(harness.lines.joined())
            var text = ""
            for value in shown {
                dump(value, to: &text)
                text += "\(value) \(String(reflecting: value))"
            }
            // Every secret of this provider begins with this marker. The refresh token never reaches the client.
            #expect(harness.network.marker == "secret")
            #expect(token.accessToken.text.hasPrefix("secret"))
            #expect(!text.contains(token.accessToken.text))
            #expect(!text.contains("secret-"))
            #expect(harness.lines.count >= 3)
        }
    }
}
