// Records what a process writes to its store's files and what it has synced: loaded before libc with LD_PRELOAD.
// POWER_STORE names the database, POWER_RECORD the file to record in. `recording.ts` reads it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

enum { WRITE = 1, SYNC = 2, SYNCED = 3, TRUNCATE = 4 };

struct record {
  uint32_t kind, file;
  uint64_t offset, length, nanos;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int output = -1;
static uint64_t records = 0;

/** 1 for the database, 2 for its write-ahead log, 0 for any other file. */
static uint32_t file_of(int descriptor) {
  const char *store = getenv("POWER_STORE");
  char link[64], path[PATH_MAX];
  if (store == NULL || descriptor < 3) return 0;
  strcpy(link, "/proc/self/fd/");
  char digits[16];
  int at = 0;
  for (int left = descriptor; left > 0; left /= 10) digits[at++] = '0' + left % 10;
  char *end = link + strlen(link);
  while (at > 0) *end++ = digits[--at];
  *end = 0;
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  size_t base = strlen(store);
  if (strncmp(path, store, base) != 0) return 0;
  if (path[base] == 0) return 1;
  return strcmp(path + base, "-wal") == 0 ? 2 : 0;
}

/** Call it with the lock. Returns the record's number. */
static uint64_t record(uint32_t kind, uint32_t file, uint64_t offset, const void *bytes, uint64_t length) {
  if (output < 0) {
    const char *path = getenv("POWER_RECORD");
    if (path == NULL) return 0;
    output = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  struct record head = {kind, file, offset, length, (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec};
  struct iovec parts[2] = {{&head, sizeof head}, {(void *)bytes, bytes == NULL ? 0 : length}};
  syscall(SYS_writev, output, parts, 2);
  return records++;
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

static ssize_t written(uint32_t file, ssize_t result, uint64_t offset, const void *bytes) {
  if (result > 0) record(WRITE, file, offset, bytes, result);
  return result;
}

#define PWRITE(name, type)                                                    \
  ssize_t name(int descriptor, const void *bytes, size_t length, type offset) { \
    uint32_t file = file_of(descriptor);                                      \
    if (file == 0) return REAL(name)(descriptor, bytes, length, offset);      \
    pthread_mutex_lock(&lock);                                                \
    ssize_t result = written(file, REAL(name)(descriptor, bytes, length, offset), offset, bytes); \
    pthread_mutex_unlock(&lock);                                              \
    return result;                                                            \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATED(name, type)                             \
  int name(int descriptor, type length) {                 \
    uint32_t file = file_of(descriptor);                  \
    if (file == 0) return REAL(name)(descriptor, length); \
    pthread_mutex_lock(&lock);                            \
    int result = REAL(name)(descriptor, length);          \
    if (result == 0) record(TRUNCATE, file, length, NULL, 0); \
    pthread_mutex_unlock(&lock);                          \
    return result;                                        \
  }
TRUNCATED(ftruncate, off_t)
TRUNCATED(ftruncate64, off64_t)

/** A sync covers what was written before it began, once it has returned. */
#define SYNCING(name)                                     \
  int name(int descriptor) {                              \
    uint32_t file = file_of(descriptor);                  \
    if (file == 0) return REAL(name)(descriptor);         \
    pthread_mutex_lock(&lock);                            \
    uint64_t begun = record(SYNC, file, 0, NULL, 0);      \
    pthread_mutex_unlock(&lock);                          \
    int result = REAL(name)(descriptor);                  \
    pthread_mutex_lock(&lock);                            \
    if (result == 0) record(SYNCED, file, begun, NULL, 0); \
    pthread_mutex_unlock(&lock);                          \
    return result;                                        \
  }
SYNCING(fsync)
SYNCING(fdatasync)
