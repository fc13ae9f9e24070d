// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient
internal import HTTPTypes
internal import NIOHTTP1
internal import Synchronization

/// Makes the fields of responses; a server sends the same names in the same order again and again, so those of the last
/// response are kept and need not be checked anew.
final class FieldNames: Sendable {
    private let last = Mutex<[HTTPField.Name]>([])

    /// The fields; one whose name is none is left out.
    func fields(_ headers: HTTPHeaders) -> HTTPFields {
        let known = self.last.withLock { $0 }
        var names: [HTTPField.Name]?
        var fields = HTTPFields()
        fields.reserveCapacity(headers.count)
        for (name, value) in headers {
            let index = fields.count
            if names == nil, index < known.count, known[index].rawName == name {
                fields.append(HTTPField(name: known[index], value: value))
            } else if let name = HTTPField.Name(name) {
                names = (names ?? Array(known.prefix(index))) + [name]
                fields.append(HTTPField(name: name, value: value))
            }
        }
        if let names { self.last.withLock { $0 = names } }
        return fields
    }
}
#endif
