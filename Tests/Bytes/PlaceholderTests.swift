import Testing

@Test func `the room Bytes builds`() { #expect(Bool(true)) }
