/* Debugs a child, as debuggers do. */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int status, steps = 0;
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
            perror("PTRACE_TRACEME");
        raise(SIGSTOP);
        _exit(7);
    }
    waitpid(child, &status, 0);
    while (WIFSTOPPED(status)) {
        if (ptrace(PTRACE_SYSCALL, child, 0, 0) != 0)
            perror("PTRACE_SYSCALL");
        waitpid(child, &status, 0);
        steps++;
    }
    printf("%d stops, exit %d\n", steps, WEXITSTATUS(status));
    return 0;
}
