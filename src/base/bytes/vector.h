/* vector.h: loops that the compiler turns into vector instructions, built for several generations of CPUs. */
#ifndef TRI_BASE_BYTES_VECTOR_H
#define TRI_BASE_BYTES_VECTOR_H

/* Stands before a function: the compiler builds it for several x86 generations, and the loader picks one. Not under ThreadSanitizer, where
 * the program would crash while the loader picks. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define TRI_FOR_EVERY_CPU __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TRI_FOR_EVERY_CPU
#endif

#endif
