/* identity.h: makes the identity of a cluster (tls.h says what an identity is for). */
#ifndef TRI_NET_STREAM_IDENTITY_H
#define TRI_NET_STREAM_IDENTITY_H

#include "trireme/status.h"

/* Make an identity, valid for `days`, in a new file of mode 0600. TRI_BAD_CALL where path exists: identities are not overwritten. */
TRI_MUST_CHECK tri_status tri__identity_create(const char *path, int days);

#endif
