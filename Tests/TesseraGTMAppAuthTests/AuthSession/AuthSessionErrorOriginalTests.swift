// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import Foundation
internal import FoundationNetworking
#else
internal import Foundation
#endif
internal import Tessera
internal import TestTraits
internal import TesseraGTMAppAuth
internal import Testing

@Suite("AuthSession errors, as in GTMAppAuth", .scriptedNetwork)
struct AuthSessionErrorOriginalTests {
    private static func request(_ url: String = "http://fake.com") throws -> URLRequest {
        URLRequest(url: try Samples.url(url))
    }

    @Test(
        "Has GTMAppAuth's domain and the request as an NSError",
        .original("GTMAppAuth AuthSessionTests.testAuthorizationNSError")
    )
    func bridged() throws {
        let request = try Self.request()
        let error = AuthSession.Error.cannotAuthorizeRequest(request) as NSError
        #expect(error.domain == "GTMAuthSessionErrorDomain")
        #expect(error.code == 0)
        #expect(error.userInfo["request"] as? URLRequest == request)
    }

    @Test(
        "Has only the request and texts in the user info",
        .original("GTMAppAuth AuthSession.Error.errorUserInfo")
    )
    func userInfo() throws {
        let texts: Set = [NSLocalizedDescriptionKey, NSLocalizedRecoverySuggestionErrorKey]
        for error in [AuthSession.Error.cannotAuthorizeRequest, AuthSession.Error.accessTokenEmptyForRequest] {
            #expect(Set(try error(Self.request()).errorUserInfo.keys) == texts.union(["request"]))
        }
    }

    @Test("Has GTMAppAuth's codes", .original("GTMAppAuth AuthSession.ErrorCode"))
    func codes() throws {
        #expect(AuthSession.ErrorCode.cannotAuthorizeRequest.rawValue == 0)
        #expect(AuthSession.ErrorCode.accessTokenEmptyForRequest.rawValue == 1)
        #expect(try AuthSession.Error.cannotAuthorizeRequest(Self.request()).errorCode == 0)
        #expect(try AuthSession.Error.accessTokenEmptyForRequest(Self.request()).errorCode == 1)
    }

    @Test("Compares errors by case and request", .original("GTMAppAuth AuthSession.Error"))
    func equality() throws {
        let (request, other) = (try Self.request(), try Self.request("http://fake.com/other"))
        #expect(AuthSession.Error.cannotAuthorizeRequest(request) == .cannotAuthorizeRequest(request))
        #expect(AuthSession.Error.cannotAuthorizeRequest(request) != .cannotAuthorizeRequest(other))
        #expect(AuthSession.Error.cannotAuthorizeRequest(request) != .accessTokenEmptyForRequest(request))
    }

    @Test(
        "Says in one line how to allow an origin",
        .original("GTMAppAuth AuthSession.Error.cannotAuthorizeRequest"),
        arguments: [
            ("https://fake.com/path?key=value", "https://fake.com"), ("https://FAKE.com:443/", "https://fake.com"),
            ("https://fake.com:8443/", "https://fake.com:8443"), ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
            ("https://[2001:db8::1]/", "https://[2001:db8::1]"),
        ]
    )
    func advice(url: String, origin: String) async throws {
        let request = try SessionSamples.request(url)
        let session = try SessionSamples.session()
        let error = try #require(await session.failure(authorizing: request) as? AuthSession.Error)
        let line = "session.authorizedOrigins.append(try .init(\"\(origin)\"))"
        for text in [error.errorDescription, error.recoverySuggestion, error.localizedDescription, "\(error)"] {
            #expect(text?.contains(line) == true)
        }
        let old = error as NSError
        #expect(old.localizedDescription == error.errorDescription)
        #expect(old.localizedRecoverySuggestion == error.recoverySuggestion)
        #expect(error.description.hasPrefix("Could not authorize the request: \(origin) is not "))
        session.authorizedOrigins.append(try .init(origin))
        #expect(await session.failure(authorizing: request) == nil)
    }

    @Test(
        "Does not suggest to allow an origin to which tokens cannot be sent",
        .original("GTMAppAuth AuthSession.Error.cannotAuthorizeRequest"),
        arguments: ["http://fake.com/", "https://name@fake.com/", "file:///tmp/x", "ftp://fake.com"]
    )
    func adviceWithoutOrigin(url: String) throws {
        let error = AuthSession.Error.cannotAuthorizeRequest(try Self.request(url))
        for text in [error.description, error.recoverySuggestion ?? ""] {
            #expect(text.contains("Use an https URL without a user name"))
            #expect(text.contains("session.authorizedOrigins.append(try .init(\"https://api.example\"))"))
            #expect(!text.contains("(\"https://fake.com"))
            #expect(!text.contains("name@"))
        }
    }

    @Test(
        "Suggests a new sign-in if there is no access token",
        .original("GTMAppAuth AuthSession.Error.accessTokenEmptyForRequest")
    )
    func signInAdvice() throws {
        let error = AuthSession.Error.accessTokenEmptyForRequest(try Self.request("https://fake.com/path"))
        #expect(error.description == "There is no access token for https://fake.com. Sign in again.")
        #expect(error.recoverySuggestion == "Sign in again.")
    }
}
