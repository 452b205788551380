/* Why this file exists: what a disk does when it fails, or when the power goes, can't be waited for. This is a layer under
   SQLite, over the usual one, that fails when it is told to, and that knows what a disk would still have after a cut.
   There is one of it a process; tests that use it run one after the other. */
#ifndef ACCORDION_FAULTVFS_H
#define ACCORDION_FAULTVFS_H
#include <stdbool.h>
#include <stdint.h>

/* The name under which SQLite knows it. */
extern const char *const faultvfs_name;

/* Makes it known to SQLite; false where that fails. */
bool faultvfs_register(void);

/* Counts calls from 0 anew. The call numbered `at` (from 1; 0: none) fails, with `for_ever` every one after it too. A write
   that fails has written its first half. */
void faultvfs_fail(long at, bool for_ever);
/* Calls since then, and how many of them failed. */
long faultvfs_calls(void);
long faultvfs_failures(void);
/* What the first call that failed was. */
const char *faultvfs_failed(void);

/* From here on what was not synced is kept apart. At every `stride`-th call from the `phase`-th on, what a power cut at that
   moment could leave is written to a new directory `directory`/N, N counted from 0: of what was not synced some is there,
   some not, some in part. `at` is told of each. Files that are there already count as synced. */
void faultvfs_cut(const char *directory, uint64_t seed, long stride, long phase);
/* Ends it. Returns how many directories were written; negative where one could not be. */
long faultvfs_end_cuts(void);
/* How many turns were acknowledged; each cut remembers it. */
void faultvfs_acknowledge(long turns);
/* The number given last before the cut N. */
long faultvfs_acknowledged(long cut);
#endif
