// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// How much work a passphrase costs whoever tries one: the parameters of scrypt.
///
/// One try takes `128 × cost × blockSize` bytes of memory, 128 MiB as it is, and a good part of a second.
///
/// - SeeAlso: [RFC 7914, section 2](https://www.rfc-editor.org/rfc/rfc7914.html#section-2)
public struct ScryptParameters: Sendable, Hashable {
    /// N: memory and time, a power of two from 2¹⁷ to 2²².
    public let cost: Int
    /// r, from 8 to 16: what every platform's scrypt takes.
    public let blockSize: Int
    /// p: time alone, from 1 to 16.
    public let parallelization: Int

    /// N = 2¹⁷, r = 8, p = 1.
    public static let standard = ScryptParameters(checked: 1 << 17, 8, 1)

    /// Parameters of the caller's.
    ///
    /// - Throws: `InvalidRequestError` for values outside their ranges, and for more than 4 GiB of memory.
    public init(cost: Int, blockSize: Int = 8, parallelization: Int = 1) throws(InvalidRequestError) {
        guard cost.nonzeroBitCount == 1, 1 << 17...1 << 22 ~= cost else {
            throw InvalidRequestError("cost", reason: "a power of two from 2^17 to 2^22 is needed")
        }
        // swift-crypto gives scrypt one memory page beyond its table, where it needs two blocks: 4 KiB hold those up to 16.
        guard 8...16 ~= blockSize else { throw InvalidRequestError("blockSize", reason: "8 to 16 are possible") }
        guard 1...16 ~= parallelization else {
            throw InvalidRequestError("parallelization", reason: "1 to 16 are possible")
        }
        guard 128 * Int64(cost) * Int64(blockSize) <= 1 << 32 else {
            throw InvalidRequestError("cost", reason: "more than 4 GiB of memory would be needed")
        }
        self.init(checked: cost, blockSize, parallelization)
    }

    private init(checked cost: Int, _ blockSize: Int, _ parallelization: Int) {
        self.cost = cost
        self.blockSize = blockSize
        self.parallelization = parallelization
    }
}
