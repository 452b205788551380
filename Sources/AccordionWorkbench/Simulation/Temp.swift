import Mirror
extension Replica { mutating func takeUnsent(nextID: () -> Int) -> [Intent] { [] } }
