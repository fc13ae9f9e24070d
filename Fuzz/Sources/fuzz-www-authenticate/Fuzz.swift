// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Oracles
internal import TesseraOAuth

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(Array(fuzzing: start, count))
    return 0
}

/// Checks that challenges are equal when they are written and read again, and that messages contain no control
/// characters.
private func check(_ bytes: [UInt8]) {
    let field = String(decoding: bytes, as: UTF8.self)
    let challenges = AuthenticationChallenge.parse(field)
    for challenge in challenges {
        expect(isToken(challenge.scheme), "a scheme is a token")
        expect(challenge.token68 == nil || challenge.parameters.isEmpty, "a token68 has no parameters")
        expect(challenge.parameters.keys.allSatisfy { isToken($0) && $0 == $0.lowercased() }, "names are tokens")
    }
    let written = challenges.map(text).joined(separator: ", ")
    expect(AuthenticationChallenge.parse(written) == challenges, "challenges that are written and read again are equal")

    guard let name = HTTPField.Name("WWW-Authenticate") else { return }
    var response = HTTPResponse(status: .unauthorized)
    response.headerFields[name] = field
    if let challenge = BearerChallengeError(response) {
        expect(challenge.description.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "a message is one line")
        expect(
            (challenge.recoverySuggestion ?? "").unicodeScalars.allSatisfy { $0.value >= 0x20 },
            "advice is one line"
        )
    }
}

private func text(_ challenge: AuthenticationChallenge) -> String {
    if let token = challenge.token68 { return challenge.scheme + " " + token }
    let parameters = challenge.parameters.sorted { $0.key < $1.key }
        .map { name, value in
            let quoted = value.unicodeScalars.reduce(into: "") { text, scalar in
                if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
                text.unicodeScalars.append(scalar)
            }
            return "\(name)=\"\(quoted)\""
        }
    return challenge.scheme + " " + parameters.joined(separator: ", ")
}

private func isToken(_ text: String) -> Bool {
    !text.isEmpty
        && text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || "0123456789!#$%&'*+-.^_`|~".unicodeScalars.contains($0))
        }
}
