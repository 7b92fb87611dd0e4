/* lost_file.h: a file that becomes shorter while it is read. Files are mapped into memory, and reading a page that is no longer there, or
 * that its disk cannot give, is a signal (SIGBUS) rather than an error. */
#ifndef TRI_CLI_PROCESS_LOST_FILE_H
#define TRI_CLI_PROCESS_LOST_FILE_H

/* From now on, such a signal ends the process with exit status 1 and a message that names the file. */
void tri__lost_file_watch(void);

#endif
