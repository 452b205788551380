// Room Wire.
