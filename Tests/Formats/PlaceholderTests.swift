import Testing

@Test func `the room Formats builds`() { #expect(Bool(true)) }
