// Room Terminal.
