/* The stub that stands for every program: it appends its argument vector to the log and does little else.
 *
 * Built with "cc -O2 -static -nostdlib -ffreestanding -DROOT=…"; ROOT is where the log lies when there is no chroot. No C library,
 * because starting one takes longer than everything that happens here, and a campaign starts some million stubs. */
typedef unsigned long size;
typedef unsigned int u32;

enum { FAILED = 99, LOG_MOST = 48 * 1024, RECORD_MOST = 64 * 1024 };

#if defined(__x86_64__)
enum { READ = 0, WRITE = 1, FSTAT = 5, GETPID = 39, EXECVE = 59, EXIT = 231, KILL = 62, OPENAT = 257, SIZE_AT = 48 };
static long call(long number, long a, long b, long c, long d) {
  long result;
  register long r10 __asm__("r10") = d;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
}
__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call begin\n hlt\n");
#elif defined(__aarch64__)
enum { READ = 63, WRITE = 64, FSTAT = 80, GETPID = 172, EXECVE = 221, EXIT = 94, KILL = 129, OPENAT = 56, SIZE_AT = 48 };
static long call(long number, long a, long b, long c, long d) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
}
__asm__(".globl _start\n_start: mov x0, sp\n bl begin\n");
#else
#error "the stub has no system calls for this processor"
#endif

enum { AT_FDCWD = -100, O_WRONLY = 1, O_APPEND = 02000, AT_EXECFN = 31, SIGKILL = 9 };

static char record[RECORD_MOST];

static size length(const char *text) {
  size count = 0;
  while (text[count]) count++;
  return count;
}

static int same(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

static int one_of(const char *name, const char *const *names) {
  for (; *names; names++)
    if (same(name, *names)) return 1;
  return 0;
}

static const char *base_name(const char *path) {
  const char *base = path;
  for (; *path; path++)
    if (*path == '/') base = path + 1;
  return base;
}

/* As much of a text as there is room for, with its end. */
static size put(size at, const char *text) {
  for (; *text && at < RECORD_MOST - 1; text++) record[at++] = *text;
  record[at++] = 0;
  return at;
}

static void run_in(const char *folder, char **args, char **env) {
  size end = put(put(0, folder) - 1, args[0]);
  (void)end;
  call(EXECVE, (long)record, (long)args, (long)env, 0);
}

/* The part of the syntax of sudo and doas that the texts use: options, assignments (sudo's only; to doas such a word is the command), a
   command. */
static int act_as_sudo(int argc, char **argv, char **env, int assigns) {
  static const char *const takes[] = {"-u", "-g", "-p", "-h", "-C", "-T", "-U", "-D", "-R", "-r", "-t", 0};
  char *own[128];
  int count = 0, i = 1;
  while (env[count] && count < 64) own[count] = env[count], count++;
  for (; i < argc; i++) {
    if (same(argv[i], "--")) {
      i++;
      break;
    }
    if (argv[i][0] == '-') {
      if (one_of(argv[i], takes)) i++;
      continue;
    }
    const char *at = argv[i];
    while (*at && *at != '=') at++;
    if (!assigns || !*at || count > 120) break;
    own[count++] = argv[i];
  }
  own[count] = 0;
  if (i >= argc) return 1;
  run_in("", argv + i, own);
  run_in("/bin/", argv + i, own);
  run_in(ROOT "/bin/", argv + i, own);
  return 127;
}

static int work(int argc, char **argv, char **env, const char *path) {
  const char *name = base_name(path);
  if (same(name, "sudo") || same(name, "doas")) return act_as_sudo(argc, argv, env, same(name, "sudo"));

  size at = put(8, path);
  u32 written = 0;
  for (int i = 0; i < argc && at < RECORD_MOST - 2; i++, written++) at = put(at, argv[i]);
  u32 head[2] = {(u32)at, written};
  for (int i = 0; i < 8; i++) record[i] = ((char *)head)[i];
  long log = call(OPENAT, AT_FDCWD, (long)"/calls.log", O_WRONLY | O_APPEND, 0);
  if (log < 0) log = call(OPENAT, AT_FDCWD, (long)(ROOT "/calls.log"), O_WRONLY | O_APPEND, 0);
  char status[256];
  if (log < 0 || call(FSTAT, log, (long)status, 0, 0) != 0) return FAILED;
  /* A text that loops has said what it does. */
  if (*(long *)(status + SIZE_AT) > LOG_MOST) call(KILL, 0, SIGKILL, 0, 0);
  if (call(WRITE, log, (long)record, (long)at, 0) != (long)at) return FAILED;

  /* Both branches of && and || get their turn, and what a program prints is hostile. */
  static const char *const fails[] = {"no", "bar", "mv", "grep", "false", 0};
  const char *says = same(name, "ls")    ? "one.txt\n"
                     : same(name, "git") ? "x[$(rm arith)0]\n"
                     : same(name, "foo") ? "rm -rf out; rm out\n"
                                         : 0;
  if (says) call(WRITE, 1, (long)says, (long)length(says), 0);
  if (same(name, "cat") && argc == 1) {
    char bytes[4096];
    long got = call(READ, 0, (long)bytes, sizeof bytes, 0);
    if (got > 0) call(WRITE, 1, (long)bytes, got, 0);
  }
  return one_of(name, fails);
}

__attribute__((used, noreturn)) void begin(long *stack) {
  int argc = (int)stack[0];
  char **argv = (char **)(stack + 1), **env = argv + argc + 1;
  long *aux = (long *)env;
  while (*aux) aux++;
  const char *path = argc ? argv[0] : "";
  for (aux++; aux[0]; aux += 2)
    if (aux[0] == AT_EXECFN) path = (const char *)aux[1];
  call(EXIT, work(argc, argv, env, path), 0, 0, 0);
  __builtin_unreachable();
}
