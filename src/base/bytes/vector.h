/* vector.h: loops that the compiler turns into vector instructions, built for several generations of CPUs. */
#ifndef TRI_BASE_BYTES_VECTOR_H
#define TRI_BASE_BYTES_VECTOR_H

/* Before a function: it is built for several x86 generations; the loader picks one.
 * A program under ThreadSanitizer crashes in the picking. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define TRI_FOR_EVERY_CPU __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TRI_FOR_EVERY_CPU
#endif

#endif
