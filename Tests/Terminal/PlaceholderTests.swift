import Testing

@Test func `the room Terminal builds`() { #expect(Bool(true)) }
