// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The ROCA weakness of RSA keys from some smart cards and security chips.
///
/// Their primes have the form k · M + (65537ᵃ mod M), where M is a product of small primes. So each remainder of the modulus
/// is a power of 65537. For a random modulus, the probability is about 2⁻²⁸.
///
/// - SeeAlso: [CVE-2017-15361](https://nvd.nist.gov/vuln/detail/CVE-2017-15361)
enum ROCA {
    /// The odd primes that divide M for every key length, with the remainders that powers of 65537 have.
    private static let remainders: [(prime: Int, powers: Set<Int>)] = (3...167)
        .filter { number in (2..<number).allSatisfy { number % $0 != 0 } }
        .map { prime in
            var (power, powers) = (1, Set<Int>())
            while powers.insert(power).inserted { power = power * 65_537 % prime }
            return (prime, powers)
        }

    /// Returns whether a modulus, as big-endian bytes, has the form of a key with the weakness.
    static func affects(_ modulus: [UInt8]) -> Bool {
        self.remainders.allSatisfy { prime, powers in
            powers.contains(modulus.reduce(0) { ($0 << 8 | Int($1)) % prime })
        }
    }
}
