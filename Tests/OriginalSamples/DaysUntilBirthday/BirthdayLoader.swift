// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import TesseraGoogleSignIn

/// The response of the People API.
struct BirthdayResponse: Decodable {
    struct Birthday: Decodable {
        struct Day: Decodable, Equatable {
            let month: Int
            let day: Int
        }

        let date: Day
    }

    let birthdays: [Birthday]
}

/// Loads the birthday of the current user.
final class BirthdayLoader {
    enum Failure: Error {
        case noCurrentUser
        case noBirthdayData
    }

    static let birthdayReadScope = "https://www.googleapis.com/auth/user.birthday.read"

    private let url: URL

    /// Creates a loader for the People API at another address.
    init(url: URL) { self.url = url }

    func loadBirthday() async throws -> BirthdayResponse.Birthday.Day {
        let session = try await self.sessionWithFreshToken()
        let request = URLRequest(url: self.url)
        let data = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Data, Error>) in
            let task = session.dataTask(with: request) { data, response, error in
                guard let data = data else {
                    return continuation.resume(throwing: error ?? Failure.noBirthdayData)
                }
                continuation.resume(returning: data)
            }
            task.resume()
        }
        let response = try JSONDecoder().decode(BirthdayResponse.self, from: data)
        guard let birthday = response.birthdays.first else { throw Failure.noBirthdayData }
        return birthday.date
    }

    private func sessionWithFreshToken() async throws -> URLSession {
        guard let user = GIDSignIn.sharedInstance.currentUser else { throw Failure.noCurrentUser }
        try await user.refreshTokensIfNeeded()
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["Authorization": "Bearer \(user.accessToken.tokenString)"]
        return URLSession(configuration: configuration)
    }
}
#endif
