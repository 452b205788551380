// Room Mirror.
