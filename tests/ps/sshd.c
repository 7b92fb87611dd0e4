/* sshd.c: Debian's sshd, in the foreground, as this test's child. */
#define _GNU_SOURCE
#include "ps/sshd.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ps/process.h"

#define SSHD  "/usr/sbin/sshd"
#define NEEDS "/run/sshd" /* an empty folder that sshd wants of root */

static pid_t server;
static bool made_folder;

bool sshd_is_installed(void)
{
    return !access(SSHD, X_OK) && !access("/usr/bin/ssh-keygen", X_OK);
}

static void make_key(const char *folder, const char *name)
{
    char *path = test_path(folder, name);
    test_result made = test_run(NULL, (const char *[]){"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path, NULL});
    assert_int_equal(made.status, 0);
    test_result_fini(&made);
    free(path);
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char *path = test_path(folder, name);
    test_write(path, text, strlen(text));
    free(path);
}

static void write_settings(const char *folder, int port)
{
    char text[4096];
    snprintf(text, sizeof text,
             "Port %d\nListenAddress 127.0.0.1\nHostKey %s/host_key\nAuthorizedKeysFile %s/user_key.pub\nPidFile none\nUsePAM no\n"
             "StrictModes no\nPasswordAuthentication no\nPermitRootLogin yes\n",
             port, folder, folder);
    write_text(folder, "sshd.config", text);
    snprintf(text, sizeof text,
             "Host *\nHostName 127.0.0.1\nPort %d\nIdentityFile %s/user_key\nIdentitiesOnly yes\nBatchMode yes\nLogLevel ERROR\n"
             "UserKnownHostsFile %s/known_hosts\nStrictHostKeyChecking no\n",
             port, folder, folder);
    write_text(folder, "ssh.config", text);
    snprintf(text, sizeof text, "#!/bin/sh\nexec ssh -T -F %s/ssh.config \"$@\"\n", folder);
    write_text(folder, "reach", text);
    char *script = test_path(folder, "reach");
    assert_int_equal(chmod(script, 0755), 0);
    free(script);
}

static void run_sshd(const char *folder)
{
    char *settings = test_path(folder, "sshd.config"), *log = test_path(folder, "sshd.log");
    server = fork();
    if (server == 0) {
        execl(SSHD, SSHD, "-D", "-f", settings, "-E", log, (char *)NULL);
        _exit(127);
    }
    assert_true(server > 0);
    await_text(log, "Server listening on");
    free(settings);
    free(log);
}

void sshd_start(const char *folder)
{
    made_folder = geteuid() == 0 && !mkdir(NEEDS, 0755);
    make_key(folder, "host_key");
    make_key(folder, "user_key");
    write_settings(folder, free_port());
    run_sshd(folder);
}

void sshd_end(void)
{
    if (server > 0) {
        kill(server, SIGTERM);
        waitpid(server, NULL, 0);
    }
    if (made_folder)
        rmdir(NEEDS);
    server = 0;
    made_folder = false;
}
