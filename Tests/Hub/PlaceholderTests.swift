import Testing

@Test func `the room Hub builds`() { #expect(Bool(true)) }
