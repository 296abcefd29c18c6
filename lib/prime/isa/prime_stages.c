/* prime_stages.c - the stages modulo primes, for each instruction set.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec.h"

#include "prime/prime_template.h"
