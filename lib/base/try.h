/* try.h - the error idiom: return the first status that is not OK at once. */
#ifndef GFMUL_TRY_H
#define GFMUL_TRY_H

#include "gfmul.h"

/* TRY - for a function that returns a status and has nothing to clean up. */
#define TRY(expression)                                   \
    do {                                                  \
        const enum gfmul_status try_status = (expression); \
        if (try_status != GFMUL_OK)                       \
            return try_status;                            \
    } while (0)

#endif
