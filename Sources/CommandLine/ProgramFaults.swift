// A table is written by hand, so it can contradict itself. A program's tests ask for its faults and expect none; the
// parser then need not guess what a contradiction meant.

extension Program {
    /// What is wrong with the table, a sentence each; empty for a sound one.
    package func faults() -> [String] {
        var faults = optionFaults(options(after: nil), groups: groups, of: name)
        faults += argumentFaults(arguments, of: name)
        var names: Set<String> = []
        for command in commands {
            let title = "\(name) \(command.name)"
            if !names.insert(command.name).inserted { faults.append("\(title) is there twice") }
            if command.name.isEmpty || command.name.hasPrefix("-") { faults.append("\(title) can't be typed") }
            faults += optionFaults(options(after: command), groups: command.groups, of: title)
            faults += argumentFaults(command.arguments, of: title)
            if !command.example.line.hasPrefix(title) && command.name != defaultCommand {
                faults.append("the example of \(title) shows something else")
            }
        }
        for command in commands {
            let first = String(command.name.prefix { $0 != " " })
            if first != command.name, names.contains(first) {
                faults.append("\(name) \(first) is both a command and the beginning of one")
            }
        }
        if let defaultCommand, !names.contains(defaultCommand) {
            faults.append("the default command \(defaultCommand) does not exist")
        }
        if !commands.isEmpty && !arguments.isEmpty { faults.append("\(name) has both commands and arguments") }
        return faults
    }

    private func optionFaults(_ options: [Option], groups: [OptionGroup], of title: String) -> [String] {
        var faults: [String] = []
        var longs: Set<String> = []
        var shorts: Set<Character> = []
        for option in options {
            if !longs.insert(option.long).inserted { faults.append("\(title) has --\(option.long) twice") }
            let isTypeable = option.long.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "=") }
            if option.long.isEmpty || !isTypeable { faults.append("--\(option.long) can't be typed") }
            if option.help.isEmpty { faults.append("\(title) --\(option.long) has no help") }
            guard let short = option.short else { continue }
            if !shorts.insert(short).inserted { faults.append("\(title) has -\(short) twice") }
            if !short.isASCII || !(short.isLetter || short.isNumber) { faults.append("-\(short) can't be typed") }
        }
        for name in groups.flatMap(\.options) where !longs.contains(name) {
            faults.append("\(title) groups --\(name), which does not exist")
        }
        return faults
    }

    private func argumentFaults(_ arguments: [Argument], of title: String) -> [String] {
        var faults: [String] = []
        var names: Set<String> = []
        for (index, argument) in arguments.enumerated() {
            if !names.insert(argument.name).inserted { faults.append("\(title) has \(argument.name) twice") }
            let isLast = index == arguments.count - 1
            if argument.isRepeatable && !isLast { faults.append("\(title): only the last argument may repeat") }
            if argument.isOptional && !isLast && !arguments[index + 1].isOptional {
                faults.append("\(title): \(arguments[index + 1].name) must stand before what may be absent")
            }
        }
        return faults
    }
}
