// Why this file exists: the JSON tests all read a line and ask what became of it; and those that guess print what they
// guessed with.
import Wire

/// What a fresh parser says of a line; nil if it reads it.
func fault(_ line: [UInt8], _ parser: JSONParser = JSONParser()) -> JSONFault? {
    do {
        try parser.parse(line.span, refuse: { $0 }, read: { _ throws(JSONFault) in })
        return nil
    } catch {
        return error
    }
}

func fault(_ line: String) -> JSONFault? { fault(Array(line.utf8)) }

func bad(_ offset: Int, _ reason: JSONFault.Reason) -> JSONFault { .badJSON(offset: offset, reason) }

/// The object of a line that is expected to be good.
func read<Value>(_ line: String, _ body: (JSONObject) -> Value) throws(JSONFault) -> Value {
    let bytes = Array(line.utf8)
    return try JSONParser().parse(bytes.span, refuse: { $0 }, read: { root throws(JSONFault) in body(root) })
}

/// `depth` levels, the object that every line is included, in an unknown member.
func nested(_ depth: Int, open: String, close: String, inside: String = "") -> String {
    #"{"zzz":"# + String(repeating: open, count: depth - 1) + inside + String(repeating: close, count: depth - 1) + "}"
}

/// Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
