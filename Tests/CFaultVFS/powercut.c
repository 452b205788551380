/* Why this file exists: a disk that loses its power has what was synced, and of the rest anything: all of it, nothing, the
   later without the earlier, half of a write. Each file has an image of what was synced and a list of what was not; a cut
   writes down one of the many things that could be left. */
#include "powercut.h"
#include "faultvfs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { sector = 512, images_max = 32 };

/* A write, or with `bytes` absent a truncation to `offset`. */
struct pending {
  struct pending *next;
  size_t offset, count;
  unsigned char *bytes;
};

struct image {
  char *path;
  unsigned char *bytes;
  size_t count, capacity;
  bool is_there, was_deleted;
  struct pending *first, **last;
};

static struct image images[images_max];
static int image_count;
static char *target;
static uint64_t state;
static long stride, phase, cuts, acknowledged;
static bool has_failed;
static long *acknowledged_at;

static void *taken(void *memory) {
  if (!memory) abort();
  return memory;
}

static uint64_t next_random(void) {
  uint64_t mixed = state += 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

static void resize(struct image *image, size_t count) {
  if (count > image->capacity) {
    image->capacity = count * 2;
    image->bytes = taken(realloc(image->bytes, image->capacity));
  }
  if (count > image->count) memset(image->bytes + image->count, 0, count - image->count);
  image->count = count;
}

static void put(struct image *image, const unsigned char *bytes, size_t count, size_t offset) {
  if (offset + count > image->count) resize(image, offset + count);
  memcpy(image->bytes + offset, bytes, count);
}

static void forget(struct image *image) {
  while (image->first) {
    struct pending *gone = image->first;
    image->first = gone->next;
    free(gone->bytes);
    free(gone);
  }
  image->last = &image->first;
}

static struct image *find(const char *path) {
  for (int place = 0; place < image_count; place++)
    if (strcmp(images[place].path, path) == 0) return &images[place];
  return NULL;
}

struct image *powercut_open(const char *path) {
  if (!target || !path) return NULL;
  struct image *image = find(path);
  if (!image) {
    if (image_count == images_max) abort();
    image = &images[image_count++];
    memset(image, 0, sizeof *image);
    image->path = taken(strdup(path));
    image->last = &image->first;
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (file && fstat(fileno(file), &status) == 0 && status.st_size > 0) {
      resize(image, (size_t)status.st_size);
      if (fread(image->bytes, 1, image->count, file) != image->count) abort();
      image->is_there = true;
    }
    if (file) fclose(file);
  } else if (image->was_deleted) {
    /* Another file of that name: nothing of the former one is in it. */
    image->is_there = image->was_deleted = false;
    image->count = 0;
  }
  return image;
}

static void append(struct image *image, const void *bytes, size_t count, size_t offset) {
  struct pending *pending = taken(calloc(1, sizeof *pending));
  pending->offset = offset;
  pending->count = count;
  if (bytes) {
    pending->bytes = taken(malloc(count ? count : 1));
    memcpy(pending->bytes, bytes, count);
  }
  *image->last = pending;
  image->last = &pending->next;
}

void powercut_write(struct image *image, const void *bytes, size_t count, size_t offset) {
  if (image && target) append(image, bytes, count, offset);
}

void powercut_truncate(struct image *image, size_t size) {
  if (image && target) append(image, NULL, 0, size);
}

static void apply(struct image *image, const struct pending *pending) {
  if (pending->bytes)
    put(image, pending->bytes, pending->count, pending->offset);
  else
    resize(image, pending->offset);
}

/* The usual layer syncs the directory with a new file, and all that was deleted from it then is gone for good. */
static void sync_directory(void) {
  for (int place = 0; place < image_count; place++) {
    if (!images[place].was_deleted) continue;
    images[place].is_there = false;
    images[place].count = 0;
  }
}

void powercut_sync(struct image *image) {
  if (!image || !target) return;
  for (struct pending *pending = image->first; pending; pending = pending->next) apply(image, pending);
  forget(image);
  if (!image->is_there) sync_directory();
  image->is_there = true;
  image->was_deleted = false;
}

void powercut_delete(const char *path, bool is_synced) {
  struct image *image = target ? find(path) : NULL;
  if (!image) return;
  forget(image);
  image->was_deleted = true;
  if (is_synced) {
    image->is_there = false;
    image->count = 0;
  }
}

/* What may be left of a file, into `left`; false where the file itself may not be. */
static bool remains(const struct image *image, struct image *left) {
  memset(left, 0, sizeof *left);
  if (image->was_deleted && image->is_there && next_random() % 2) return false;
  if (!image->is_there && (!image->first || next_random() % 4 == 0)) return false;
  if (image->count) put(left, image->bytes, image->count, 0);
  /* All, nothing or a mixture of what was not synced. */
  unsigned mood = (unsigned)(next_random() % 4);
  for (struct pending *pending = image->first; pending; pending = pending->next) {
    if (mood == 0) break;
    if (mood == 1 || next_random() % 2) {
      apply(left, pending);
    } else if (pending->bytes && mood == 3) {
      for (size_t start = 0; start < pending->count;) {
        size_t end = ((pending->offset + start) / sector + 1) * sector - pending->offset;
        if (end > pending->count) end = pending->count;
        if (next_random() % 2) put(left, pending->bytes + start, end - start, pending->offset + start);
        start = end;
      }
    }
  }
  return true;
}

static void cut(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%ld", target, cuts);
  if (mkdir(path, 0700) != 0) has_failed = true;
  for (int place = 0; place < image_count; place++) {
    struct image left;
    if (remains(&images[place], &left)) {
      const char *name = strrchr(images[place].path, '/');
      snprintf(path, sizeof path, "%s/%ld%s", target, cuts, name ? name : images[place].path);
      FILE *file = fopen(path, "wb");
      if (!file || fwrite(left.bytes ? left.bytes : (unsigned char *)"", 1, left.count, file) != left.count)
        has_failed = true;
      if (file) fclose(file);
    }
    free(left.bytes);
  }
  acknowledged_at = taken(realloc(acknowledged_at, (size_t)(cuts + 1) * sizeof *acknowledged_at));
  acknowledged_at[cuts++] = acknowledged;
}

void powercut_call(long call) {
  if (target && call >= phase && (call - phase) % stride == 0) cut();
}

void faultvfs_cut(const char *directory, uint64_t seed, long every, long from) {
  target = taken(strdup(directory));
  state = seed;
  stride = every;
  phase = from;
  cuts = acknowledged = 0;
  has_failed = false;
}

long faultvfs_end_cuts(void) {
  for (int place = 0; place < image_count; place++) {
    forget(&images[place]);
    free(images[place].bytes);
    free(images[place].path);
  }
  image_count = 0;
  free(target);
  target = NULL;
  return has_failed ? -1 : cuts;
}

void faultvfs_acknowledge(long turns) { acknowledged = turns; }
long faultvfs_acknowledged(long cut) { return cut >= 0 && cut < cuts ? acknowledged_at[cut] : -1; }
