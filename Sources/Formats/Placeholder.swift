// Room Formats.
