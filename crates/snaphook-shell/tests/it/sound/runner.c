/* Runs texts in real shells, far from the machine: "runner MODE ROOT UID" reads requests from standard input, runs each and
 * answers on standard output (see serve()). Built with "cc -O2 -static" when the tests start.
 *
 * It is C because it must be small: it starts some thousand processes a second, with vfork, under limits that are set
 * between fork and exec, and as the first process of a namespace of its own, which a text cannot leave or kill. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <grp.h>

/* More than the stubs write before they end a run. */
#define LOG_MOST (128 * 1024)

static int log_fd, null_fd, work_fd, tmp_fd = -1, isolated, open_mode;
static const char *work_path;

static void fail(const char *what) {
  fprintf(stderr, "runner: %s: %s\n", what, strerror(errno));
  exit(70);
}

static void read_exactly(void *into, size_t size) {
  for (char *at = into; size;) {
    ssize_t got = read(0, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) exit(0);
    at += got, size -= (size_t)got;
  }
}

static void write_all(const void *from, size_t size) {
  for (const char *at = from; size;) {
    ssize_t put = write(1, at, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) exit(0);
    at += put, size -= (size_t)put;
  }
}

static int64_t now_ms(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1000 + at.tv_nsec / 1000000;
}

static const struct { const char *name, *text; } base_files[] = {
    {"one.txt", "1\n"}, {"two.txt", "2\n"}, {"victim", "keep\n"}};

static int keeps(int dir, const char *name, const char *text) {
  char bytes[16];
  int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t got = read(fd, bytes, sizeof bytes);
  close(fd);
  return got == (ssize_t)strlen(text) && !memcmp(bytes, text, (size_t)got);
}

static void empty(int dir, int top) {
  int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = copy < 0 ? NULL : fdopendir(copy);
  if (!entries) return;
  struct dirent *entry;
  while ((entry = readdir(entries))) {
    const char *name = entry->d_name;
    if (!strcmp(name, ".") || !strcmp(name, "..")) continue;
    int kept = 0;
    for (size_t i = 0; top && i < sizeof base_files / sizeof *base_files; i++)
      kept |= !strcmp(name, base_files[i].name) && keeps(dir, name, base_files[i].text);
    if (kept || unlinkat(dir, name, 0) == 0) continue;
    fchmodat(dir, name, 0700, 0);
    int inner = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) continue;
    empty(inner, 0);
    close(inner);
    unlinkat(dir, name, AT_REMOVEDIR);
  }
  closedir(entries);
}

static void tidy(void) {
  fchmod(work_fd, 0700);
  empty(work_fd, 1);
  if (tmp_fd >= 0) empty(tmp_fd, 0);
  for (size_t i = 0; i < sizeof base_files / sizeof *base_files; i++) {
    if (!open_mode && i == 2) continue;
    struct stat at;
    if (fstatat(work_fd, base_files[i].name, &at, AT_SYMLINK_NOFOLLOW) == 0) continue;
    int fd = openat(work_fd, base_files[i].name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) continue;
    if (write(fd, base_files[i].text, strlen(base_files[i].text)) < 0) fail("cannot write a file");
    close(fd);
  }
}

static void kill_rest(pid_t group) {
  if (isolated) {
    kill(-1, SIGKILL);
    return;
  }
  kill(-group, SIGKILL);
  char path[64], list[4096];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? 0 : read(fd, list, sizeof list - 1);
  if (fd >= 0) close(fd);
  list[got > 0 ? got : 0] = 0;
  for (char *at = strtok(list, " \n"); at; at = strtok(NULL, " \n")) kill((pid_t)atoi(at), SIGKILL);
}

struct answer { uint32_t status, timed_out, victim_gone, log_size; };

static void run(char **env, char **args, uint32_t limit_ms) {
  struct answer answer = {0};
  if (ftruncate(log_fd, 0) != 0) fail("cannot cut the log");
  pid_t pid = vfork();
  if (pid == 0) {
    struct rlimit cpu = {1 + limit_ms / 1000, 2 + limit_ms / 1000};
    sigset_t none;
    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CPU, &cpu);
    dup2(null_fd, 0), dup2(null_fd, 1), dup2(null_fd, 2);
    execve(args[0], args + 1, env);
    _exit(127);
  }
  if (pid < 0) fail("cannot fork");
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  int64_t end = now_ms() + limit_ms;
  for (int killed = 0;;) {
    int status;
    pid_t gone = waitpid(-1, &status, killed ? 0 : WNOHANG);
    if (gone < 0 && errno == ECHILD) break;
    if (gone == pid) {
      answer.status = (uint32_t)status;
      /* Jobs in the background get a moment of their own. */
      int64_t soon = now_ms() + 300;
      if (soon < end) end = soon;
    }
    if (gone != 0) continue;
    int64_t left = end - now_ms();
    if (left <= 0) {
      answer.timed_out = killed = 1;
      kill_rest(pid);
      continue;
    }
    struct timespec wait = {left / 1000, (left % 1000) * 1000000};
    sigtimedwait(&child, NULL, &wait);
  }
  if (!isolated) kill_rest(pid);
  answer.victim_gone = open_mode && !keeps(work_fd, "victim", base_files[2].text);
  static char log[LOG_MOST];
  ssize_t got = pread(log_fd, log, sizeof log, 0);
  answer.log_size = got > 0 ? (uint32_t)got : 0;
  tidy();
  write_all(&answer, sizeof answer);
  write_all(log, answer.log_size);
}

/* A request: limit in ms, numbers of environment entries and of arguments (the first is the program), bytes that follow;
 * then that many strings, each with its NUL. An answer: struct answer, then the log. */
static void serve(void) {
  for (;;) {
    uint32_t head[4];
    read_exactly(head, sizeof head);
    char *bytes = malloc(head[3] + 1);
    char **list = calloc(head[1] + head[2] + 2, sizeof *list);
    if (!bytes || !list) fail("out of memory");
    read_exactly(bytes, head[3]);
    bytes[head[3]] = 0;
    char *at = bytes;
    uint32_t slot = 0;
    for (uint32_t i = 0; i < head[1]; i++, at += strlen(at) + 1) list[slot++] = at;
    list[slot++] = NULL;
    char **args = list + slot;
    for (uint32_t i = 0; i < head[2]; i++, at += strlen(at) + 1) list[slot++] = at;
    run(list, args, head[0]);
    free(list), free(bytes);
  }
}

static void limit(int what, rlim_t most) {
  struct rlimit value = {most, most};
  setrlimit(what, &value);
}

static void write_file(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, text, strlen(text)) < 0) { /* the mode that is reported says so */ }
  close(fd);
}

static void at_root(char *into, size_t size, const char *root, const char *path) {
  snprintf(into, size, "%s%s", root, path);
}

/* Namespaces, mounts, user, limits. What cannot be had is left out, and the mode that is reported says so. */
static void confine(const char *root, unsigned uid) {
  char path[4096], map[64];
  uid_t real = getuid();
  gid_t group = getgid();
  int spaces = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC;
  isolated = unshare(spaces) == 0;
  if (!isolated && real != 0 && unshare(spaces | CLONE_NEWUSER) == 0) {
    isolated = 1;
    write_file("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", real, real);
    write_file("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "%u %u 1", group, group);
    write_file("/proc/self/gid_map", map);
  }
  if (isolated) {
    pid_t first = fork();
    if (first < 0) fail("cannot fork");
    if (first > 0) {
      int status = 0;
      close(0), close(1);
      while (waitpid(first, &status, 0) < 0 && errno == EINTR) {}
      _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 71);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
    at_root(path, sizeof path, open_mode ? "" : root, "/proc");
    if (mount("proc", path, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) fail("cannot mount /proc");
    if (!open_mode) {
      at_root(path, sizeof path, root, "/dev/null");
      if (mount("/dev/null", path, NULL, MS_BIND, NULL) != 0) fail("cannot mount /dev/null");
    }
  } else {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  int chrooted = isolated && !open_mode && chroot(root) == 0 && chdir("/") == 0;
  if (!chrooted && chdir(root) != 0) fail("cannot enter the folder");
  if (real == 0 && (setgroups(0, NULL) != 0 || setgid(uid) != 0 || setuid(uid) != 0)) fail("cannot drop rights");
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, open_mode ? 4 << 20 : 256 * 1024);
  limit(RLIMIT_NOFILE, open_mode ? 1024 : 64);
  /* node reserves more than it uses */
  if (!open_mode) limit(RLIMIT_AS, (rlim_t)1 << 30);
  if (isolated || real == 0) limit(RLIMIT_NPROC, 100);
  work_path = chrooted ? "/w" : "w";
  write_all(chrooted ? "C" : isolated ? "I" : "P", 1);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: runner fuzz|open ROOT UID\n");
    return 64;
  }
  open_mode = !strcmp(argv[1], "open");
  umask(022);
  confine(argv[2], (unsigned)atoi(argv[3]));
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  log_fd = open("calls.log", O_RDWR | O_CLOEXEC);
  work_fd = open(work_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  tmp_fd = open("tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (log_fd < 0 || work_fd < 0 || null_fd < 0) fail("cannot open the log, the folder or /dev/null");
  if (fchdir(work_fd) != 0) fail("cannot enter the folder");
  tidy();
  serve();
}
