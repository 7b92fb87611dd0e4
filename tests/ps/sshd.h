/* sshd.h: an ssh server of a test's own on 127.0.0.1, with its own keys and port, for jobs whose tasks are started by ssh. */
#ifndef TESTS_PS_SSHD_H
#define TESTS_PS_SSHD_H

#include <stdbool.h>

bool sshd_is_installed(void);
void sshd_start(
    const char *folder); /* leaves folder/reach, a script that is ssh with the test's keys and port; it answers when this returns */
void sshd_end(void);     /* does nothing where none was started */

#endif
