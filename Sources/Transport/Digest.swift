// Why this file exists: a token is known here by its digest alone, and is compared so that the time tells nothing of it.

internal import COpenSSL

package enum Digest {
    /// SHA-256 in 64 lower-case hexadecimal digits.
    package static func sha256(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let isMade = unsafe EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil) == 1
        guard isMade, length == 32 else { return "" }
        return digest.map { byte in
            let digits = Array("0123456789abcdef")
            return String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
        }.joined()
    }

    /// Whether two texts are the same, in a time that depends on their lengths alone.
    package static func isSame(_ one: String, _ other: String) -> Bool {
        let (left, right) = (Array(one.utf8), Array(other.utf8))
        guard left.count == right.count, !left.isEmpty else { return false }
        return unsafe CRYPTO_memcmp(left, right, left.count) == 0
    }

    /// Bytes that nobody can guess; nil where the system has none.
    package static func random(bytes count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe RAND_bytes(&bytes, Int32(count)) == 1 ? bytes : nil
    }
}
