// Room Bytes.
