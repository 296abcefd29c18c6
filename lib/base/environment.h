/* environment.h - variables of the environment that the library may believe. */
#ifndef GFMUL_ENVIRONMENT_H
#define GFMUL_ENVIRONMENT_H

/* environment_get - the value of a variable; NULL where it is not set, or the program has more rights than who started it. */
const char *environment_get(const char *name);

#endif
