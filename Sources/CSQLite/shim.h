/* Why a shim: SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift cannot import; an empty value must be
   told from NULL, though Swift's empty buffers have no address; and the configuration call is variadic. */
#ifndef ACCORDION_CSQLITE_SHIM_H
#define ACCORDION_CSQLITE_SHIM_H
#include <sqlite3.h>

/* Binds bytes that SQLite copies; none is an empty value, not NULL. */
static inline int accordion_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, place, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}
static inline int accordion_bind_text(sqlite3_stmt *statement, int place, const char *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, place, bytes ? bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* What a file may hold must not run: no triggers, views or functions of its schema's own making. */
static inline int accordion_distrust_schema(sqlite3 *database) {
  int result = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
  return result;
}

/* Whoever only looks leaves the log as it is when it closes. */
static inline int accordion_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
#endif
