// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import Foundation
internal import Oracles
@testable internal import TesseraJOSE
internal import TesseraJSON

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(Array(fuzzing: start, count))
    return 0
}

/// Checks that a key set accounts for every key, and that each key survives being written and read again.
private func check(_ bytes: [UInt8]) {
    if let value = try? JSONValue(parsing: bytes), let key = try? JWK(parsing: value) { check(key) }
    guard let set = try? JWKSet(parsing: bytes) else { return }
    let elements = PlainJSON(bytes, depth: 32)?["keys"]?.elements
    expect(elements?.count == set.keys.count + set.ignoredCount, "every key is parsed or ignored")
    expect(set.keys.count <= JWKSet.maximumCount, "a set does not exceed the limit")
    for key in set.keys { check(key) }
}

private func check(_ key: JWK) {
    guard case .object(let required) = key.material.bareJWK else { return expect(false, "a key is a JSON object") }
    let numbers = required.compactMap { member -> (String, String)? in
        guard case .string(let text) = member.value else { return nil }
        return (member.name, text)
    }
    expect(numbers.map(\.0) == numbers.map(\.0).sorted(), "the members of a thumbprint are sorted")
    for (name, text) in numbers where ["e", "n"].contains(name) {
        // RFC 7518, section 2: a number has no leading zeros.
        expect(Base64URL.decode(text)?.first != 0, "\(name) has no leading zeros")
    }
    let text = "{" + numbers.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
    let hash = Data(SHA256.hash(data: Array(text.utf8))).base64EncodedString()
        .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_").prefix { $0 != "=" }
    expect(key.thumbprint == hash, "the thumbprint is the hash of the text")

    var members = required
    if let use = key.use { members.append(JSONMember(name: "use", value: .string(use))) }
    if let algorithm = key.algorithm { members.append(JSONMember(name: "alg", value: .string(algorithm.rawValue))) }
    if let keyID = key.keyID { members.append(JSONMember(name: "kid", value: .string(keyID))) }
    if let operations = key.keyOperations {
        members.append(JSONMember(name: "key_ops", value: .array(operations.map { .string($0) })))
    }
    let again = (try? JSONValue(parsing: JSONNode.object(members).serialized())).flatMap { try? JWK(parsing: $0) }
    expect(again == key && again?.keyType == key.keyType && again?.curve == key.curve, "a rewritten key is equal")
    for algorithm in JWSAlgorithm.supported {
        let fits = algorithm.keyType == key.keyType && algorithm.curve == key.curve
        expect(!key.canVerify(algorithm) || fits, "a key verifies only algorithms of its type")
    }
}
