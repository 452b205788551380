/* Why this file exists: see faultvfs.h. Here is the layer itself, and when a call fails; powercut.c keeps what is synced. */
#include "faultvfs.h"
#include "powercut.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

const char *const faultvfs_name = "faulty";

typedef struct {
  sqlite3_file base;
  sqlite3_file *real;
  /* Of powercut.c; 0 for a file without a name. */
  struct image *image;
} fault_file;

static sqlite3_vfs *usual;
static long calls, failures, fail_at;
static bool fails_for_ever;
static const char *first_failed = "";

void faultvfs_fail(long at, bool for_ever) {
  calls = failures = 0;
  fail_at = at;
  fails_for_ever = for_ever;
  first_failed = "";
}
long faultvfs_calls(void) { return calls; }
long faultvfs_failures(void) { return failures; }
const char *faultvfs_failed(void) { return first_failed; }

static bool fails(const char *what) {
  calls++;
  powercut_call(calls);
  if (fail_at == 0 || (fails_for_ever ? calls < fail_at : calls != fail_at)) return false;
  if (failures++ == 0) first_failed = what;
  return true;
}

static sqlite3_file *real(sqlite3_file *file) { return ((fault_file *)file)->real; }
static struct image *image(sqlite3_file *file) { return ((fault_file *)file)->image; }

static int f_close(sqlite3_file *file) {
  int code = real(file)->pMethods ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
  sqlite3_free(real(file));
  return code;
}
static int f_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  if (fails("xRead")) return SQLITE_IOERR_READ;
  return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}
static int f_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  bool broken = fails("xWrite");
  if (broken) count /= 2;
  int code = count ? real(file)->pMethods->xWrite(real(file), bytes, count, offset) : SQLITE_OK;
  if (code == SQLITE_OK) powercut_write(image(file), bytes, (size_t)count, (size_t)offset);
  return broken ? (failures % 2 ? SQLITE_IOERR_WRITE : SQLITE_FULL) : code;
}
static int f_truncate(sqlite3_file *file, sqlite3_int64 size) {
  if (fails("xTruncate")) return SQLITE_IOERR_TRUNCATE;
  int code = real(file)->pMethods->xTruncate(real(file), size);
  if (code == SQLITE_OK) powercut_truncate(image(file), (size_t)size);
  return code;
}
/* Nothing is really synced: no power goes here, and the tests are many. */
static int f_sync(sqlite3_file *file, int flags) {
  (void)flags;
  if (fails("xSync")) return SQLITE_IOERR_FSYNC;
  powercut_sync(image(file));
  return SQLITE_OK;
}
static int f_size(sqlite3_file *file, sqlite3_int64 *size) {
  if (fails("xFileSize")) return SQLITE_IOERR_FSTAT;
  return real(file)->pMethods->xFileSize(real(file), size);
}
static int f_lock(sqlite3_file *file, int level) {
  if (fails("xLock")) return SQLITE_IOERR_LOCK;
  return real(file)->pMethods->xLock(real(file), level);
}
static int f_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int f_reserved(sqlite3_file *file, int *out) { return real(file)->pMethods->xCheckReservedLock(real(file), out); }
static int f_control(sqlite3_file *file, int operation, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
static int f_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
/* The usual layer claims that writes within a sector spare the bytes beside them, which is all that is claimed here. */
static int f_traits(sqlite3_file *file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file)) & SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}
static int f_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
  if (fails("xShmMap")) return SQLITE_IOERR_SHMMAP;
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, out);
}
static int f_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  if (!(flags & SQLITE_SHM_UNLOCK) && fails("xShmLock")) return SQLITE_IOERR_SHMLOCK;
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
static void f_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int f_shm_unmap(sqlite3_file *file, int remove) { return real(file)->pMethods->xShmUnmap(real(file), remove); }

static const sqlite3_io_methods methods = {
    2,        f_close,   f_read,   f_write,   f_truncate, f_sync,    f_size,     f_lock,        f_unlock,
    f_reserved, f_control, f_sector, f_traits, f_shm_map,  f_shm_lock, f_shm_barrier, f_shm_unmap, 0, 0};

static int v_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *opened, int flags, int *flags_out) {
  (void)vfs;
  fault_file *file = (fault_file *)opened;
  memset(file, 0, sizeof *file);
  if (fails("xOpen")) return SQLITE_CANTOPEN;
  file->real = sqlite3_malloc(usual->szOsFile);
  if (!file->real) return SQLITE_NOMEM;
  memset(file->real, 0, (size_t)usual->szOsFile);
  int code = usual->xOpen(usual, path, file->real, flags, flags_out);
  if (code != SQLITE_OK) {
    sqlite3_free(file->real);
    return code;
  }
  file->image = powercut_open(path);
  file->base.pMethods = &methods;
  return SQLITE_OK;
}
static int v_delete(sqlite3_vfs *vfs, const char *path, int sync_directory) {
  (void)vfs;
  if (fails("xDelete")) return SQLITE_IOERR_DELETE;
  int code = usual->xDelete(usual, path, sync_directory);
  if (code == SQLITE_OK) powercut_delete(path, sync_directory != 0);
  return code;
}
static int v_access(sqlite3_vfs *vfs, const char *path, int flags, int *out) {
  (void)vfs;
  if (fails("xAccess")) return SQLITE_IOERR_ACCESS;
  return usual->xAccess(usual, path, flags, out);
}

bool faultvfs_register(void) {
  static sqlite3_vfs faulty;
  if (usual) return true;
  if (sqlite3_initialize() != SQLITE_OK) return false;
  usual = sqlite3_vfs_find(0);
  if (!usual) return false;
  faulty = *usual;
  faulty.pNext = 0;
  faulty.zName = faultvfs_name;
  faulty.szOsFile = (int)sizeof(fault_file);
  faulty.xOpen = v_open;
  faulty.xDelete = v_delete;
  faulty.xAccess = v_access;
  return sqlite3_vfs_register(&faulty, 0) == SQLITE_OK;
}
