// Why this file exists: one run says little on a machine that does other things too. A figure is the median of several, with
// the least and the most beside it.

/// Measurements of one thing.
struct Figures {
    private(set) var values: [Double] = []

    mutating func add(_ value: Double) { values.append(value) }

    var median: Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }

    /// `1.23 ms (1.20–1.31)`; large numbers with their thousands apart.
    func summary(_ unit: String) -> String {
        let unit = unit.isEmpty ? "" : " " + unit
        guard let least = values.min(), let most = values.max() else { return "not measured" }
        if values.count == 1 { return Figures.text(median) + unit }
        return "\(Figures.text(median))\(unit) (\(Figures.text(least))–\(Figures.text(most)))"
    }

    static func text(_ value: Double) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return "–" }
        if value.magnitude >= 1_000 {
            var (digits, result) = (String(Int(value.rounded())), "")
            while digits.count > 3 {
                result = "," + digits.suffix(3) + result
                digits.removeLast(3)
            }
            return digits + result
        }
        let hundredths = Int((value * 100).rounded())
        let rest = abs(hundredths % 100)
        return "\(hundredths / 100)." + (rest < 10 ? "0" : "") + "\(rest)"
    }
}
