/* gmp_binding.h - modules that are opened so that they bind to themselves (RTLD_DEEPBIND), as PHP's are. */
#ifndef GFMUL_GMP_BINDING_H
#define GFMUL_GMP_BINDING_H

#include "gmp/elf_objects.h"

/* binding_comes_here - whether the calls that a GMP makes of its own products come to this library, as far as one can see. */
bool binding_comes_here(const struct elf_object *gmp);

#endif
