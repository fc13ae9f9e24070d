// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraAgent
internal import TesseraTesting
internal import Testing

@Suite("Secrets and the agent", .timeLimit(.minutes(1)))
struct AgentSecretsTests {
    @Test("No token stands in what the types show, in an error or in the audit")
    func canary() async throws {
        try await AgentWorld.withAgent { world, client in
            let token = try await client.token()
            let source = try await AgentTokenSource.connect(client: client)
            let request = AgentTokenRequest(account: "nobody", refusedToken: token.accessToken)
            var shown: [Any] = [token, source, request, client, try await client.accounts(), try await client.status()]
            world.expire()
            world.network.intercept("/token") { request in
                let echo = request.formValue("refresh_token") ?? ""
                return .json(#"{"error": "invalid_grant", "error_description": "\#(echo)"}"#, status: .badRequest)
            }
            do { _ = try await client.token() } catch {
                shown += [error, "\(error)", (error as? AgentError)?.recoverySuggestion ?? ""]
            }
            do { _ = try await client.token(request) } catch { shown.append(error) }
            shown.append(world.lines.joined())
            var text = ""
            for value in shown {
                dump(value, to: &text)
                text += "\(value) \(String(reflecting: value))"
            }
            // The marker that every secret of this provider begins with; the refresh token never was here at all.
            #expect(world.network.marker == "secret")
            #expect(token.accessToken.text.hasPrefix("secret"))
            #expect(!text.contains(token.accessToken.text))
            #expect(!text.contains("secret-"))
            #expect(world.lines.count >= 3)
        }
    }
}
