/* security.h: decides whether the traffic of a job is authenticated and encrypted, for every kind of task. */
#ifndef TRI_TRAIN_CLUSTER_SECURITY_H
#define TRI_TRAIN_CLUSTER_SECURITY_H

#include "base/report/log.h"
#include "net/stream/tls.h"
#include "train/cluster/cluster.h"

typedef struct {
    tri__tls_options identity; /* --key; or --cert, --cert-key and --ca */
    bool insecure;             /* --insecure */
} tri__security;

/* *out is NULL where traffic is not encrypted: on loopback, which no other machine can reach, or with --insecure, which the log warns
 * about. TRI_BAD_CALL where tasks are on several machines and neither an identity nor --insecure is given, or where options contradict each
 * other. */
TRI_MUST_CHECK tri_status tri__security_open(const tri__security *security, const tri__cluster *cluster, tri__log *log, tri__tls **out);

/* Check that the options go together, and that the identity can be read where one is given. Call it before any task is started. */
TRI_MUST_CHECK tri_status tri__security_check(const tri__security *security);

#endif
