/* code.c: the table of one instruction set. */
#include "tensor/narrow/vector/part.h"

#define TEXT_OF(isa)   #isa
#define NAME_TEXT(isa) TEXT_OF(isa)

const tri__narrow_code ISA(code) = {
    .name = NAME_TEXT(TRI_ISA),
    .import = ISA(import),
    .to_lanes = ISA(to_lanes),
    .to_plain = ISA(to_plain),
    .conv_forward = ISA(conv_forward),
    .conv_backward = ISA(conv_backward),
    .conv_weight = ISA(conv_weight),
    .dense_forward = ISA(dense_forward),
    .dense_backward = ISA(dense_backward),
    .softmax_loss = ISA(softmax_loss),
    .head_step = ISA(head_step),
    .head_forward = ISA(head_forward),
};
