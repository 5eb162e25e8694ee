/* Makes every synchronization with the disk late: LD_PRELOAD, and SLOW_DISK_MS in the environment. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int late(const char *name, int fd) {
  const char *set = getenv("SLOW_DISK_MS");
  long ms = set ? atol(set) : 0;
  struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&pause, NULL);
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}

int fsync(int fd) { return late("fsync", fd); }
int fdatasync(int fd) { return late("fdatasync", fd); }
