/* processors.h - how many processors the process may use. */
#ifndef GFMUL_PROCESSORS_H
#define GFMUL_PROCESSORS_H

/* processors_usable - how many these were when that was first asked.   Threads: any. */
unsigned processors_usable(void);

#endif
