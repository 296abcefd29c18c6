/*
 * vec.h - vec_<isa>.h of the instruction set that a source is compiled for, in double, or in float if VEC_FLOAT is defined.
 *
 * GFMUL_ISA is a bare word on the compiler's command line (lib/isa.mk).
 */
#ifndef GFMUL_VEC_H
#define GFMUL_VEC_H

#define VEC_STRING_(path) #path
#define VEC_STRING(path)  VEC_STRING_(path)
#define VEC_HEADER(isa)   VEC_STRING(stages/vec/vec_##isa.h)
#define VEC_HEADER_(isa)  VEC_HEADER(isa)
#include VEC_HEADER_(GFMUL_ISA)

#endif
