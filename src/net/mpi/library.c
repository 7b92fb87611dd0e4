/* library.c: looks up Open MPI's calls and constants by name. */
#include "net/mpi/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY "libmpi.so.40" /* of Open MPI 3 and 4; we are compiled for its binary interface */

static const struct {
    const char *name;
    size_t offset;
} symbols[] = {
    {"MPI_Init_thread", offsetof(tri__mpi, Init_thread)},
    {"MPI_Finalize", offsetof(tri__mpi, Finalize)},
    {"MPI_Comm_rank", offsetof(tri__mpi, Comm_rank)},
    {"MPI_Comm_size", offsetof(tri__mpi, Comm_size)},
    {"MPI_Comm_set_errhandler", offsetof(tri__mpi, Comm_set_errhandler)},
    {"MPI_Allreduce", offsetof(tri__mpi, Allreduce)},
    {"MPI_Bcast", offsetof(tri__mpi, Bcast)},
    {"MPI_Allgather", offsetof(tri__mpi, Allgather)},
    {"MPI_Isend", offsetof(tri__mpi, Isend)},
    {"MPI_Irecv", offsetof(tri__mpi, Irecv)},
    {"MPI_Testsome", offsetof(tri__mpi, Testsome)},
    {"MPI_Ibarrier", offsetof(tri__mpi, Ibarrier)},
    {"MPI_Test", offsetof(tri__mpi, Test)},
    {"MPI_Error_string", offsetof(tri__mpi, Error_string)},
    {"ompi_mpi_comm_world", offsetof(tri__mpi, world)},
    {"ompi_mpi_float", offsetof(tri__mpi, float_type)},
    {"ompi_mpi_byte", offsetof(tri__mpi, byte_type)},
    {"ompi_mpi_op_sum", offsetof(tri__mpi, sum)},
    {"ompi_request_null", offsetof(tri__mpi, no_request)},
    {"ompi_mpi_errors_return", offsetof(tri__mpi, errors_return)},
};

/* RTLD_GLOBAL, because the library's plug-ins look up its names in the whole program. */
tri_status tri__mpi_load(tri__mpi *out)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return tri_fail(TRI_UNSUPPORTED, "strategy allreduce needs Open MPI 4 (Debian: apt install openmpi-bin): %s", dlerror());
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (!found)
            return tri_fail(TRI_UNSUPPORTED, "%s has no %s: it is another MPI than Open MPI 4", LIBRARY, symbols[i].name);
        memcpy((char *)out + symbols[i].offset, &found, sizeof found);
    }
    return NULL;
}
