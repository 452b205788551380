// Room CommandLine.
