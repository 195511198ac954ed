// SPDX-License-Identifier: Apache-2.0
// A disk that fails on demand: loaded by LD_PRELOAD, it stands in front of the calls that change files. Counted are the
// calls on paths that contain ADA_FAULT_PATH. ADA_FAULT is CALL:WHAT or CALL:WHAT+WHAT; CALL is write, fsync, rename,
// open (for writing), ftruncate, mkdir, any of these, unlink, rmdir, flock, change (all but flock), or read (opening to
// read); WHAT is one of
//   ENOSPC@3     the 3rd such call and all later ones fail so (any errno of the table below; ZERO: write returns 0)
//   ENOSPC@3-5   the 3rd to the 5th
//   short        a write takes 7 bytes at most
//   KILL@17      SIGKILL right before the 17th call; KILL_HALF@17: a write does half of its bytes first
//   SLEEP20      every call sleeps 20 ms first
//   HANG@3       the 3rd call never returns, whatever signals come: a disk that does not answer. ADA_FAULT_HANGS is a
//                file that appears then
//   PLAIN        renames cannot exchange names, nor refuse one that is taken: EINVAL, as on NFS
//   COUNT        at exit their number is appended to the file ADA_FAULT_COUNT
// Goes to the kernel by syscall(2): so it needs no dlsym and cannot meet itself.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { WRITE = 1, FSYNC = 2, RENAME = 4, OPEN = 8, FTRUNCATE = 16, MKDIR = 32, ANY = 63 };
enum { UNLINK = 64, RMDIR = 128, CHANGE = 255, FLOCK = 256, READ = 512 };
enum { ZERO = -1, SHORT_WRITE = 7 };
static const struct name {
  const char* name;
  int value;
} calls[] = {{"write", WRITE},   {"fsync", FSYNC}, {"rename", RENAME}, {"open", OPEN},   {"ftruncate", FTRUNCATE},
             {"mkdir", MKDIR},   {"any", ANY},     {"unlink", UNLINK}, {"rmdir", RMDIR}, {"flock", FLOCK},
             {"change", CHANGE}, {"read", READ},   {NULL, 0}};
static const struct name errors[] = {{"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EROFS", EROFS},   {"EIO", EIO},
                                     {"EACCES", EACCES}, {"EFBIG", EFBIG},   {"EINTR", EINTR},   {"EMFILE", EMFILE},
                                     {"EINVAL", EINVAL}, {"ENOSYS", ENOSYS}, {"ENOLCK", ENOLCK}, {"ZERO", ZERO},
                                     {NULL, 0}};

static const char* path_part;
static int kinds, error, kill_half, short_writes, sleep_ms, counting, plain;
static long first, last, kill_at, hang_at;
static atomic_long counted;

static void refuse(const char* what) {
  dprintf(STDERR_FILENO, "fault_shim: ADA_FAULT: cannot read '%s'\n", what);
  _exit(99);
}

static int value_of(const struct name* table, const char* name, size_t length) {
  for (; table->name != NULL; ++table)
    if (strlen(table->name) == length && strncmp(table->name, name, length) == 0) return table->value;
  return 0;
}

static void read_action(const char* text) {
  const char* at = strchr(text, '@');
  char* end = "";
  if (strcmp(text, "short") == 0) {
    short_writes = 1;
  } else if (strcmp(text, "COUNT") == 0) {
    counting = 1;
  } else if (strcmp(text, "PLAIN") == 0) {
    plain = 1;
  } else if (strncmp(text, "SLEEP", 5) == 0) {
    sleep_ms = (int)strtol(text + 5, &end, 10);
  } else if (at == NULL) {
    refuse(text);
  } else if (strncmp(text, "HANG@", 5) == 0) {
    hang_at = strtol(at + 1, &end, 10);
    if (hang_at < 1) refuse(text);
  } else if (strncmp(text, "KILL", 4) == 0) {
    kill_half = strncmp(text, "KILL_HALF@", 10) == 0;
    if (!kill_half && at != text + 4) refuse(text);
    kill_at = strtol(at + 1, &end, 10);
    if (kill_at < 1) refuse(text);
  } else {
    error = value_of(errors, text, (size_t)(at - text));
    first = last = strtol(at + 1, &end, 10);
    if (*end == '-')
      last = strtol(end + 1, &end, 10);
    else
      last = -1;
    if (error == 0 || first < 1) refuse(text);
  }
  if (*end != '\0') refuse(text);
}

__attribute__((constructor)) static void configure(void) {
  const char* fault = getenv("ADA_FAULT");
  path_part = getenv("ADA_FAULT_PATH");
  if (fault == NULL || path_part == NULL) return;
  const char* colon = strchr(fault, ':');
  const int which = colon == NULL ? 0 : value_of(calls, fault, (size_t)(colon - fault));
  if (which == 0) refuse(fault);
  char actions[256];
  snprintf(actions, sizeof actions, "%s", colon + 1);
  char* rest = NULL;
  for (char* action = strtok_r(actions, "+", &rest); action != NULL; action = strtok_r(NULL, "+", &rest))
    read_action(action);
  kinds = which;  // last: what the constructors of others do meanwhile is not counted
}

__attribute__((destructor)) static void report(void) {
  const char* file = getenv("ADA_FAULT_COUNT");
  if (!counting || file == NULL) return;
  kinds = 0;
  FILE* out = fopen(file, "a");
  if (out == NULL) refuse(file);
  fprintf(out, "%ld\n", (long)counted);
  fclose(out);
}

static int path_counts(int kind, const char* path) {
  return (kinds & kind) != 0 && path != NULL && strstr(path, path_part) != NULL;
}

static int fd_counts(int kind, int fd) {
  if ((kinds & kind) == 0) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return path_counts(kind, path);
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static void hang(void) {
  const char* file = getenv("ADA_FAULT_HANGS");
  if (file != NULL) syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT, 0600));
  for (;;) pause();
}

// Counts one call. Returns 0 when it is to be made, else the error it fails with; `half` (may be NULL): set where the
// call does half and the process then dies.
static int meet(int* half) {
  const long n = 1 + atomic_fetch_add(&counted, 1);
  if (sleep_ms > 0) {
    const struct timespec pause_time = {sleep_ms / 1000, sleep_ms % 1000 * 1000000L};
    nanosleep(&pause_time, NULL);
  }
  if (n == hang_at) hang();
  if (n == kill_at) {
    if (!kill_half || half == NULL) die();
    *half = 1;
  }
  return error != 0 && n >= first && (last < 0 || n <= last) ? error : 0;
}

static long fails(int with) {
  if (with == ZERO) return 0;
  errno = with;
  return -1;
}

static ssize_t put(int fd, const void* bytes, size_t count, off_t offset, int positioned) {
  int half = 0;
  if (fd_counts(WRITE, fd)) {
    const int with = meet(&half);
    if (with != 0) return fails(with);
    if (short_writes && count > SHORT_WRITE) count = SHORT_WRITE;
    if (half) count /= 2;
  }
  const ssize_t done =
      positioned ? syscall(SYS_pwrite64, fd, bytes, count, offset) : syscall(SYS_write, fd, bytes, count);
  if (half) die();
  return done;
}

// A call that is made or fails as a whole.
#define WHOLE(counts, call)              \
  do {                                   \
    if (counts) {                        \
      const int with = meet(NULL);       \
      if (with != 0) return fails(with); \
    }                                    \
    return call;                         \
  } while (0)

ssize_t write(int fd, const void* bytes, size_t count) { return put(fd, bytes, count, 0, 0); }
ssize_t pwrite(int fd, const void* bytes, size_t count, off_t offset) { return put(fd, bytes, count, offset, 1); }
ssize_t pwrite64(int fd, const void* bytes, size_t count, off_t offset) { return put(fd, bytes, count, offset, 1); }

int fsync(int fd) { WHOLE(fd_counts(FSYNC, fd), syscall(SYS_fsync, fd)); }
int fdatasync(int fd) { WHOLE(fd_counts(FSYNC, fd), syscall(SYS_fdatasync, fd)); }

int ftruncate(int fd, off_t size) { WHOLE(fd_counts(FTRUNCATE, fd), syscall(SYS_ftruncate, fd, size)); }
int ftruncate64(int fd, off_t size) { return ftruncate(fd, size); }

int renameat2(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) {
  if (plain && flags != 0) return (int)fails(EINVAL);
  WHOLE(path_counts(RENAME, from) || path_counts(RENAME, to), syscall(SYS_renameat2, from_fd, from, to_fd, to, flags));
}
int renameat(int from_fd, const char* from, int to_fd, const char* to) {
  return renameat2(from_fd, from, to_fd, to, 0);
}
int rename(const char* from, const char* to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int fd, const char* path, int flags) {
  WHOLE(path_counts((flags & AT_REMOVEDIR) != 0 ? RMDIR : UNLINK, path), syscall(SYS_unlinkat, fd, path, flags));
}
int unlink(const char* path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char* path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char* path) {
  const int done = unlink(path);
  return done != 0 && errno == EISDIR ? rmdir(path) : done;
}
int flock(int fd, int operation) { WHOLE(fd_counts(FLOCK, fd), syscall(SYS_flock, fd, operation)); }

int mkdirat(int fd, const char* path, mode_t mode) {
  WHOLE(path_counts(MKDIR, path), syscall(SYS_mkdirat, fd, path, mode));
}
int mkdir(const char* path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

static int open_file(int fd, const char* path, int flags, mode_t mode) {
  const int writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
  WHOLE(path_counts(writes ? OPEN : READ, path), syscall(SYS_openat, fd, path, flags, mode));
}

#define WITH_MODE(fd)                                           \
  va_list rest;                                                 \
  va_start(rest, flags);                                        \
  const int has_mode = (flags & (O_CREAT | __O_TMPFILE)) != 0;  \
  const mode_t mode = has_mode ? (mode_t)va_arg(rest, int) : 0; \
  va_end(rest);                                                 \
  return open_file(fd, path, flags, mode)

int open(const char* path, int flags, ...) { WITH_MODE(AT_FDCWD); }
int open64(const char* path, int flags, ...) { WITH_MODE(AT_FDCWD); }
int openat(int fd, const char* path, int flags, ...) { WITH_MODE(fd); }
int openat64(int fd, const char* path, int flags, ...) { WITH_MODE(fd); }
