import Testing

@Test func `the room Mirror builds`() { #expect(Bool(true)) }
