/* Sets the wall clock wrong: LD_PRELOAD, and WRONG_CLOCK in the environment, a file of eight bytes that says by how
   many milliseconds, as this machine writes an integer. What it says may change at any moment. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *wrong_ms;
static int (*right)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("WRONG_CLOCK");
  int fd = path ? open(path, O_RDONLY) : -1;
  if (fd < 0) abort();
  wrong_ms = mmap(NULL, sizeof *wrong_ms, PROT_READ, MAP_SHARED, fd, 0);
  if (wrong_ms == MAP_FAILED) abort();
  close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (!right) right = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int failed = right(clock, now);
  if (failed || !wrong_ms || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return failed;
  int64_t ms = *wrong_ms;
  now->tv_sec += ms / 1000;
  now->tv_nsec += ms % 1000 * 1000000;
  if (now->tv_nsec < 0) now->tv_nsec += 1000000000, now->tv_sec--;
  if (now->tv_nsec >= 1000000000) now->tv_nsec -= 1000000000, now->tv_sec++;
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec exact;
  if (clock_gettime(CLOCK_REALTIME, &exact)) return -1;
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec exact;
  if (clock_gettime(CLOCK_REALTIME, &exact)) return -1;
  if (at) *at = exact.tv_sec;
  return exact.tv_sec;
}
