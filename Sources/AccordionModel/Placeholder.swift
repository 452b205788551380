// Room AccordionModel.
