import Testing

@Test func `the room Causality builds`() { #expect(Bool(true)) }
