// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
extension String {
    /// The text as it may stand in a query: everything but RFC 3986's unreserved characters is percent-encoded.
    var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in self.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.append(byte)
            default:
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// This address with parameters added to its query.
    func addingQuery(_ parameters: [(name: String, value: String)]) -> String {
        let query = parameters.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return self + (self.contains("?") ? "&" : "?") + query
    }
}
#endif
