/* counted.h: allocations that our own object files make, counted, in tests that tests/CMakeLists.txt links so.
 *
 * The linker sends every one of them through counters (--wrap); what oneDNN, libgomp or libjpeg allocate inside is not ours. */
#ifndef TESTS_COUNTED_H
#define TESTS_COUNTED_H

long counted_allocations(void); /* so far, by all threads */

#endif
