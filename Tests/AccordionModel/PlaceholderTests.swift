import Testing

@Test func `the room AccordionModel builds`() { #expect(Bool(true)) }
