// Room Hub.
