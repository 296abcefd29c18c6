/* elf_objects.h - the objects of this process, as the dynamic linker lists them, and their dynamic symbols. */
#ifndef GFMUL_ELF_OBJECTS_H
#define GFMUL_ELF_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_object {
    uintptr_t base;      /* what is added to the addresses in the file */
    uintptr_t low, size; /* from its first loaded byte to its last */
    const char *name;    /* as the dynamic linker has it; "" for the program */
    const char *soname;  /* NULL: it has none */
    const ElfW(Dyn) * dynamic;
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *gnu_hash, *hash; /* either may be NULL */
};

/* All objects, in the order in which the dynamic linker looks through those of the start. */
struct elf_objects {
    struct elf_object *object;
    size_t n;
};

/*
 * elf_objects_visit - call a function with the list of all objects.  While it runs, none is taken out of memory.
 *
 *   visit  in   must not call the dynamic linker
 *
 * Value:   that of visit; false if there was no memory for the list.
 * Threads: any, also within constructors of libraries: dlopen's own lock is not taken.
 */
bool elf_objects_visit(bool (*visit)(const struct elf_objects *objects, void *arg), void *arg);

/* elf_symbol - the address of a function or a variable that the object defines; NULL: it does not. */
void *elf_symbol(const struct elf_object *object, const char *name);

/* elf_object_at - the object with this address; NULL: none. */
const struct elf_object *elf_object_at(const struct elf_objects *objects, const void *address);

/*
 * elf_object_needs - the object that was meant by the i-th library that another one needs (DT_NEEDED); NULL: it is not there.
 *
 *   end  out  whether there are no more than i of them
 */
const struct elf_object *elf_object_needs(const struct elf_objects *objects, const struct elf_object *object, size_t i,
                                          bool *end);

#endif
