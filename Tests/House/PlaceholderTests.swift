import Testing

@Test func `the room House builds`() { #expect(Bool(true)) }
