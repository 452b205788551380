/* Why this file exists: the layer tells here what it does to files, so that it can be known what a disk would still have. */
#ifndef ACCORDION_POWERCUT_H
#define ACCORDION_POWERCUT_H
#include <stdbool.h>
#include <stddef.h>

struct image;

/* Each does nothing while no cuts are asked for. */
void powercut_call(long call);
struct image *powercut_open(const char *path);
void powercut_write(struct image *image, const void *bytes, size_t count, size_t offset);
void powercut_truncate(struct image *image, size_t size);
void powercut_sync(struct image *image);
void powercut_delete(const char *path, bool is_synced);
#endif
