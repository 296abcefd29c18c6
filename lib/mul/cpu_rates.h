/*
 * cpu_rates.h - how fast a processor is that the tables of costs were not measured on.
 *
 * The costs of plans are those of the nearest table, times three factors (struct plan_rates).  They are measured once: a product
 * in double and one modulo primes, both within the caches, and first touches of memory.  That takes some milliseconds of the
 * first product of PLAN_RATES_LIMBS or more.  The result is kept in this process, and in the cache on disk (base/disk_cache.h).
 * It decides between plans, each of which is proved whatever the factors are.
 */
#ifndef GFMUL_CPU_RATES_H
#define GFMUL_CPU_RATES_H

#include "mul/ctx.h"

/*
 * cpu_rates - the factors for a context's instruction set and a product; all 0: the tables are used as they are.
 *
 *   request  in  complete, but for rates and the machine's memory
 *
 * All are 0 for a processor that the tables are for, for shorter products, for a precision that was named, under a memory limit,
 * while another thread measures, and after a measurement that failed.
 * Threads: any; none waits for another.
 */
struct plan_rates cpu_rates(const struct gfmul_ctx *ctx, const struct plan_request *request);

/*
 * For tests.   cpu_rates_pretend - all processors that no table is for have these factors; NULL: their own again.
 * cpu_rates_forget - drop what this process knows, but not what is on disk.
 * cpu_rates_measured - how often this process has measured.
 */
void cpu_rates_pretend(const struct plan_rates *rates);
void cpu_rates_forget(void);
unsigned cpu_rates_measured(void);

#endif
