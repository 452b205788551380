// Why this file exists: Tests/Simulation/planted-faults-check puts this file into a copy of the sources, and beside it the
// faults of Tests/Simulation/Planted, each of which asks here whether it is to be there. It is no part of any program.

import Glibc

private let plantedFault: String = unsafe getenv("PLANTED").map { unsafe String(cString: $0) } ?? ""

/// Whether the environment's `PLANTED` names this fault.
package func planted(_ fault: String) -> Bool { fault == plantedFault }
