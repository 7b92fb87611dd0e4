/* trireme.h: the whole public contract. */
#ifndef TRIREME_TRIREME_H
#define TRIREME_TRIREME_H

#include "trireme/dataset.h"
#include "trireme/exchange.h"
#include "trireme/graph.h"
#include "trireme/model.h"
#include "trireme/plan.h"
#include "trireme/status.h"
#include "trireme/store.h"
#include "trireme/tensor.h"
#include "trireme/trained.h"

#endif
