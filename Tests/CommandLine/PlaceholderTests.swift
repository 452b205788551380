import Testing

@Test func `the room CommandLine builds`() { #expect(Bool(true)) }
