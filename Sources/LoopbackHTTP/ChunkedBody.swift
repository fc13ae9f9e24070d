// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Takes the chunked transfer coding off a body.
///
/// - SeeAlso: [RFC 9112, section 7.1](https://www.rfc-editor.org/rfc/rfc9112.html#section-7.1)
struct ChunkedBody {
    enum Status: Hashable {
        case needsMore
        case done
        case malformed
        case tooLarge
    }

    private enum Part {
        case size
        case data(Int)
        case dataEnd
        case trailer
    }

    private let limit: Int
    private(set) var bytes: [UInt8] = []
    private var part = Part.size
    private var line: [UInt8] = []
    private var trailerBytes = 0

    init(limit: Int) { self.limit = limit }

    mutating func append(_ input: [UInt8]) -> Status {
        var rest = input[...]
        while !rest.isEmpty {
            if case .data(let missing) = self.part {
                let taken = rest.prefix(missing)
                self.bytes += taken
                rest = rest.dropFirst(taken.count)
                self.part = taken.count == missing ? .dataEnd : .data(missing - taken.count)
            } else if let status = self.take(rest.removeFirst()) {
                return status
            }
        }
        return .needsMore
    }

    /// One byte of a line; nil to go on.
    private mutating func take(_ byte: UInt8) -> Status? {
        self.line.append(byte)
        guard byte == 0x0A else { return self.line.count > 1024 ? .malformed : nil }
        guard self.line.suffix(2).first == 0x0D else { return .malformed }
        let content = self.line.dropLast(2)
        self.line = []
        switch self.part {
        case .size:
            let digits = content.prefix { $0 != 0x3B && $0 != 0x20 && $0 != 0x09 }
            guard !digits.isEmpty, digits.count <= 15, digits.first != 0x2B, digits.first != 0x2D,
                let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return .malformed }
            guard size <= self.limit - self.bytes.count else { return .tooLarge }
            self.part = size == 0 ? .trailer : .data(size)
        case .dataEnd:
            guard content.isEmpty else { return .malformed }
            self.part = .size
        case .trailer:
            if content.isEmpty { return .done }
            self.trailerBytes += content.count
            if self.trailerBytes > 16 * 1024 { return .tooLarge }
        case .data:
            return .malformed
        }
        return nil
    }
}
