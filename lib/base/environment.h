/* environment.h - environment variables, unless the program runs with more rights than its user. */
#ifndef GFMUL_ENVIRONMENT_H
#define GFMUL_ENVIRONMENT_H

/* environment_get - the value of a variable.  NULL if it is not set, or if the program has more rights than its user. */
const char *environment_get(const char *name);

#endif
