// Why this file exists: a whole state as bytes, ready to be cut into parts.

import AccordionModel
import Bytes
import Wire

enum StateText {
    static func write(_ state: SharedState, of name: DocumentName) -> [UInt8] {
        let frame = Frame(capacityBytes: 1_024 + (state.view?.document.textBytes ?? 0) * 2)
        ReplicaWriter(frame).state(state, of: name)
        return frame.withSpan { span in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(span.count)
            for place in span.indices { bytes.append(span[place]) }
            return bytes
        }
    }
}
