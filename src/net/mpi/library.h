/* library.h: Open MPI's library. It is loaded only when a process is a rank, so the binary starts without it, and as quickly. Its calls
 * have their names from the standard; its constants are objects of the library, so they are looked up as well. */
#ifndef TRI_NET_MPI_LIBRARY_H
#define TRI_NET_MPI_LIBRARY_H

#include <mpi.h>

#include "trireme/status.h"

typedef struct {
    int (*Init_thread)(int *argc, char ***argv, int required, int *provided);
    int (*Finalize)(void);
    int (*Comm_rank)(MPI_Comm comm, int *rank);
    int (*Comm_size)(MPI_Comm comm, int *size);
    int (*Comm_set_errhandler)(MPI_Comm comm, MPI_Errhandler handler);
    int (*Allreduce)(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
    int (*Bcast)(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
    int (*Allgather)(const void *send, int sends, MPI_Datatype sent, void *receive, int receives, MPI_Datatype received, MPI_Comm comm);
    int (*Isend)(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
    int (*Irecv)(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request);
    int (*Testsome)(int count, MPI_Request *requests, int *finished, int *which, MPI_Status *statuses);
    int (*Ibarrier)(MPI_Comm comm, MPI_Request *request);
    int (*Test)(MPI_Request *request, int *finished, MPI_Status *status);
    int (*Error_string)(int error, char *text, int *length);
    MPI_Comm world;
    MPI_Datatype float_type, byte_type;
    MPI_Op sum;
    MPI_Request no_request;
    MPI_Errhandler errors_return;
} tri__mpi;

/* TRI_UNSUPPORTED where Open MPI is not installed. The library stays loaded. */
TRI_MUST_CHECK tri_status tri__mpi_load(tri__mpi *out);

#endif
