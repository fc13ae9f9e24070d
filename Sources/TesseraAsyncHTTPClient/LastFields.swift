// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient
internal import HTTPTypes
internal import NIOHTTP1
internal import Synchronization

/// Makes the fields of responses.
///
/// A server's answers have mostly the same fields, many with the same values: those of the last response are kept, and
/// only what differs is checked and made anew.
final class LastFields: Sendable {
    private let last = Mutex(HTTPFields())

    /// The fields; one whose name is none is left out.
    func fields(_ headers: HTTPHeaders) -> HTTPFields {
        var fields = self.last.withLock { $0 }
        switch Self.update(&fields, headers) {
        case .same: return fields
        case .changed: break
        case .otherNames: fields = Self.make(headers)
        }
        self.last.withLock { $0 = fields }
        return fields
    }

    private enum Outcome {
        case same
        case changed
        case otherNames
    }

    private static func update(_ fields: inout HTTPFields, _ headers: HTTPHeaders) -> Outcome {
        guard fields.count == headers.count else { return .otherNames }
        var outcome = Outcome.same
        var index = 0
        for (name, value) in headers {
            let known = fields[index]
            guard known.name.rawName == name else { return .otherNames }
            if known.value != value {
                fields[index].value = value
                outcome = .changed
            }
            index += 1
        }
        return outcome
    }

    private static func make(_ headers: HTTPHeaders) -> HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(headers.count)
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        return fields
    }
}
#endif
