// Room Causality.
