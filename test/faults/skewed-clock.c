// Moves the clock of the day of a process and its children: LD_PRELOAD, by SKEW_SECONDS. For Patroni and its
// PostgreSQL, as Linux has one such clock for all namespaces.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long skew;

__attribute__((constructor)) static void read_skew(void) {
  const char *seconds = getenv("SKEW_SECONDS");
  skew = seconds ? atol(seconds) : 0;
}

int clock_gettime(clockid_t id, struct timespec *at) {
  int result = syscall(SYS_clock_gettime, id, at);
  if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += skew;
  return result;
}

// The first answer of a program is the true one: PostgreSQL keeps it as its start, and Patroni takes no process
// for PostgreSQL whose start the kernel tells otherwise.
int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  static int answers;
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec - (answers++ == 0 ? skew : 0);
  at->tv_usec = now.tv_nsec / 1000;
  return result;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
