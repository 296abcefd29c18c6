/*
 * plan_names.h - the names of a plan's choices in gfmul_plan_info and in the options of bigmul.
 */
#ifndef GFMUL_PLAN_NAMES_H
#define GFMUL_PLAN_NAMES_H

#include "gfmul.h"

static inline const char *plan_rule_name(enum gfmul_rule rule)
{
    return rule == GFMUL_RULE_KNUTH ? "knuth" : rule == GFMUL_RULE_CHECKED ? "checked" : "norm";
}

static inline const char *plan_packing_name(enum gfmul_packing packing)
{
    static const char *const names[] = {[GFMUL_PACKING_AUTO] = "auto",
                                        [GFMUL_PACKING_TWO_FOR_ONE] = "two-for-one",
                                        [GFMUL_PACKING_ONE_FOR_HALF] = "one-for-half",
                                        [GFMUL_PACKING_RIGHT_ANGLE] = "right-angle"};
    return names[packing];
}

static inline const char *plan_precision_name(enum gfmul_precision precision)
{
    static const char *const names[] = {[GFMUL_PRECISION_AUTO] = "auto",
                                        [GFMUL_PRECISION_FLOAT] = "float",
                                        [GFMUL_PRECISION_DOUBLE] = "double",
                                        [GFMUL_PRECISION_DD] = "dd",
                                        [GFMUL_PRECISION_PRIME] = "prime"};
    return names[precision];
}

#endif
