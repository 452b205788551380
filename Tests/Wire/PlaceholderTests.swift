import Testing

@Test func `the room Wire builds`() { #expect(Bool(true)) }
