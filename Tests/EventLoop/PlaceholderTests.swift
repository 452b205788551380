import Testing

@Test func `the room EventLoop builds`() { #expect(Bool(true)) }
