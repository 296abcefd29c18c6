/* try.h - the idiom of errors: the first status that is not OK is returned at once. */
#ifndef GFMUL_TRY_H
#define GFMUL_TRY_H

#include "gfmul.h"

/* TRY - in a function that returns a status and has nothing to give back. */
#define TRY(expression)                                   \
    do {                                                  \
        const enum gfmul_status try_status = (expression); \
        if (try_status != GFMUL_OK)                       \
            return try_status;                            \
    } while (0)

#endif
