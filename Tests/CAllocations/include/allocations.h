/* Why this file exists: how often memory is asked for is a figure that is the same on every machine, unlike a time. Tests link
   this, and with it each of their threads counts its own calls. */
#ifndef ACCORDION_ALLOCATIONS_H
#define ACCORDION_ALLOCATIONS_H

/* How often this thread has asked for memory since it began. */
long allocations_count(void);

#endif
