// Why this file exists: a word that is mistyped in a configuration must not be passed over: what is not known is an error, and
// so is a value of another type than its setting has.

struct SettingsReader {
    private let file: String
    private let values: [TOMLValue]
    private var place: TOMLValue?

    init(file: String, values: [TOMLValue]) {
        self.file = file
        self.values = values
    }

    mutating func read(into configuration: inout Configuration) throws(ConfigurationFault) {
        for value in values {
            place = value
            let (table, name) = Self.split(value.key)
            switch table {
            case "": try top(name, value, &configuration)
            case "tls": try tls(name, value, &configuration)
            case "unix", "unix.users": try unix(table, name, value, &configuration)
            case "cluster": try cluster(name, value, &configuration.cluster)
            case "limits":
                guard let range = Configuration.limitRanges[name] else { throw unknown(value) }
                configuration.limits[name] = try integer(value, range)
            case "history":
                switch name {
                case "days": configuration.historyDays = try integer(value, 1...36_500)
                case "entries": configuration.historyEntries = try integer(value, 0...1_000_000_000)
                default: throw unknown(value)
                }
            default:
                if table.hasPrefix("token[") {
                    try admission(name, value, &configuration.tokens, hasDigest: true)
                } else if table.hasPrefix("certificate[") {
                    try admission(name, value, &configuration.certificates, hasDigest: false)
                } else {
                    throw unknown(value)
                }
            }
        }
        place = nil
        try checkWhole(configuration)
    }

    /// What is before the last dot, and what is after it without its quotes. An element of a list belongs to its list.
    private static func split(_ key: String) -> (table: String, name: String) {
        if key.hasSuffix("\""), let quote = key.firstRange(of: ".\"") {
            return (String(key[..<quote.lowerBound]), String(key[quote.upperBound...].dropLast()))
        }
        guard let dot = key.utf8.lastIndex(of: UInt8(ascii: ".")) else { return ("", key) }
        return (String(key[..<dot]), String(key[key.utf8.index(after: dot)...]))
    }

    private func top(_ name: String, _ value: TOMLValue, _ configuration: inout Configuration)
        throws(ConfigurationFault)
    {
        if name.hasPrefix("listen[") { return configuration.listen.append(try string(value)) }
        if name.hasPrefix("token[") {
            try table(value)
            return configuration.tokens.append(AdmissionEntry())
        }
        if name.hasPrefix("certificate[") {
            try table(value)
            return configuration.certificates.append(AdmissionEntry())
        }
        switch name {
        case "listen", "token", "certificate": try array(value)
        case "tls", "unix", "cluster", "limits", "history": try table(value)
        case "state": configuration.state = try filled(value)
        case "node": configuration.node = try filled(value)
        case "durability": configuration.isDurable = try choice(value, ["durable", "relaxed"]) == "durable"
        case "insecure": configuration.isInsecure = try bool(value)
        case "loopback_role": configuration.loopbackRole = try choice(value, Configuration.roles)
        default: throw unknown(value)
        }
    }

    private func tls(_ name: String, _ value: TOMLValue, _ configuration: inout Configuration)
        throws(ConfigurationFault)
    {
        switch name {
        case "certificate": configuration.certificate = try filled(value)
        case "key": configuration.key = try filled(value)
        case "client_ca": configuration.clientCA = try filled(value)
        default: throw unknown(value)
        }
    }

    private func cluster(
        _ name: String, _ value: TOMLValue, _ cluster: inout ClusterConfiguration
    ) throws(ConfigurationFault) {
        if name.hasPrefix("servers[") { return cluster.servers.append(try filled(value)) }
        switch name {
        case "servers": try array(value)
        case "name":
            cluster.name = try filled(value)
            let allowed = cluster.name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
            guard allowed, cluster.name.utf8.count <= 64 else {
                throw fault(value, "must be 1 to 64 of A-Z a-z 0-9 _ -")
            }
        case "replicas": cluster.replicas = try integer(value, 1...5)
        case "retention_days": cluster.retentionDays = try integer(value, 1...3_650)
        case "credentials": cluster.credentials = try filled(value)
        case "user": cluster.user = try filled(value)
        case "password_file": cluster.passwordFile = try filled(value)
        case "ca": cluster.certificateAuthority = try filled(value)
        case "certificate": cluster.certificate = try filled(value)
        case "key": cluster.key = try filled(value)
        default: throw unknown(value)
        }
    }

    private func unix(
        _ table: String, _ name: String, _ value: TOMLValue, _ configuration: inout Configuration
    ) throws(ConfigurationFault) {
        if table == "unix.users" {
            configuration.unixUsers[name] = try choice(value, Configuration.roles)
            return
        }
        switch name {
        case "role": configuration.unixRole = try choice(value, Configuration.roles)
        case "group": configuration.unixGroup = try filled(value)
        case "users": try self.table(value)
        default: throw unknown(value)
        }
    }

    private func admission(
        _ name: String, _ value: TOMLValue, _ list: inout [AdmissionEntry], hasDigest: Bool
    ) throws(ConfigurationFault) {
        guard !list.isEmpty else { throw unknown(value) }
        let last = list.count - 1
        if name.hasPrefix("documents[") { return list[last].documents.append(try filled(value)) }
        switch name {
        case "name": list[last].name = try filled(value)
        case "role": list[last].role = try choice(value, Configuration.roles)
        case "documents": try array(value)
        case "sha256" where hasDigest:
            let digest = try string(value).lowercased()
            guard digest.utf8.count == 64, digest.allSatisfy(\.isHexDigit) else {
                throw fault(value, "is no SHA-256 digest: 64 hexadecimal digits")
            }
            list[last].digest = digest
        default: throw unknown(value)
        }
    }

    private func checkWhole(_ configuration: Configuration) throws(ConfigurationFault) {
        for (list, name) in [(configuration.tokens, "token"), (configuration.certificates, "certificate")] {
            for (number, entry) in list.enumerated()
            where entry.name.isEmpty || (name == "token" && entry.digest.isEmpty) {
                let lacks = entry.name.isEmpty ? "name" : "sha256"
                let line = values.first { $0.key == "\(name)[\(number)]" }
                throw ConfigurationFault(
                    file: file, line: line?.line ?? 0, column: line?.column ?? 0, "this [[\(name)]] has no \(lacks)")
            }
        }
        guard (configuration.certificate == nil) == (configuration.key == nil) else {
            throw ConfigurationFault(file: file, line: 0, column: 0, "[tls] needs both certificate and key")
        }
        let cluster = configuration.cluster
        guard (cluster.certificate == nil) == (cluster.key == nil) else {
            throw ConfigurationFault(file: file, line: 0, column: 0, "[cluster] needs both certificate and key")
        }
        guard (cluster.user == nil) == (cluster.passwordFile == nil) else {
            throw ConfigurationFault(file: file, line: 0, column: 0, "[cluster] needs both user and password_file")
        }
    }

    // MARK: - Values

    private func unknown(_ value: TOMLValue) -> ConfigurationFault { fault(value, "is no setting") }

    private func fault(_ value: TOMLValue, _ what: String) -> ConfigurationFault {
        ConfigurationFault(file: file, line: value.line, column: value.column, "\"\(shown(value.key))\" \(what)")
    }

    /// Keys come from a file that somebody else may have written.
    private func shown(_ key: String) -> String {
        String(key.unicodeScalars.prefix(128).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0) })
    }

    private func string(_ value: TOMLValue) throws(ConfigurationFault) -> String {
        guard case .string(let text) = value.content else { throw fault(value, "must be a text") }
        guard !text.utf8.contains(0) else { throw fault(value, "holds a NUL") }
        return text
    }

    private func filled(_ value: TOMLValue) throws(ConfigurationFault) -> String {
        let text = try string(value)
        guard !text.isEmpty else { throw fault(value, "is empty") }
        return text
    }

    private func choice(_ value: TOMLValue, _ words: [String]) throws(ConfigurationFault) -> String {
        let text = try string(value)
        guard words.contains(text) else { throw fault(value, "must be one of " + words.joined(separator: ", ")) }
        return text
    }

    private func integer(_ value: TOMLValue, _ range: ClosedRange<Int>) throws(ConfigurationFault) -> Int {
        guard case .integer(let number) = value.content else { throw fault(value, "must be a whole number") }
        guard range.contains(number) else {
            throw fault(value, "must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func bool(_ value: TOMLValue) throws(ConfigurationFault) -> Bool {
        guard case .bool(let flag) = value.content else { throw fault(value, "must be true or false") }
        return flag
    }

    private func array(_ value: TOMLValue) throws(ConfigurationFault) {
        guard case .array = value.content else { throw fault(value, "must be a list") }
    }

    private func table(_ value: TOMLValue) throws(ConfigurationFault) {
        guard case .table = value.content else { throw fault(value, "must be a table") }
    }
}
