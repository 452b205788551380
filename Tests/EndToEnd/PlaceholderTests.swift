import Testing

@Test func `the room EndToEnd builds`() { #expect(Bool(true)) }
