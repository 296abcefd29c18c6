/* elf_objects.h - the objects of this process, as the dynamic linker lists them, and their dynamic symbols. */
#ifndef GFMUL_ELF_OBJECTS_H
#define GFMUL_ELF_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_object {
    uintptr_t base;             /* what is added to the addresses in the file */
    uintptr_t low, size;        /* from its first loaded byte to its last */
    const char *name;           /* as the dynamic linker has it; "" for the program */
    const char *soname;         /* NULL: it has none */
    uintptr_t relro, relro_end; /* what the dynamic linker has made read-only after it had bound the object; 0, 0: nothing */
    const ElfW(Dyn) * dynamic;
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *gnu_hash, *hash;   /* either may be NULL */
    const ElfW(Rela) * calls, *others; /* relocations of calls by the PLT, and all others; NULL: none */
    size_t n_calls, n_others;
};

/* All objects, in the order in which the dynamic linker looks through those of the start. */
struct elf_objects {
    struct elf_object *object;
    size_t n;
    const struct elf_object **queue; /* room for n pointers */
};

/*
 * elf_objects_visit - call a function with the list of all objects.  While it runs, none is taken out of memory.
 *
 *   visit  in   must not call the dynamic linker
 *
 * Value:   that of visit; false if there was no memory for the list.
 * Threads: any, also within constructors of libraries: dlopen's own lock is not taken.
 * Memory:  pages of the system's, never malloc's: that may be the program's own, and not ready, or not to be called here.
 */
bool elf_objects_visit(bool (*visit)(const struct elf_objects *objects, void *arg), void *arg);

/* elf_symbol - the address of a function or a variable that the object defines; NULL: it does not. */
void *elf_symbol(const struct elf_object *object, const char *name);

/* elf_object_at - the object with this address; NULL: none. */
const struct elf_object *elf_object_at(const struct elf_objects *objects, const void *address);

/* elf_needed - whether `object` is `from`, or is among what that needs, and these need in turn. */
bool elf_needed(const struct elf_objects *objects, const struct elf_object *from, const struct elf_object *object);

/*
 * elf_first_needed - the first object with a property among `from` and what it needs, nearest first; NULL: none.
 *
 *   is  in  the property
 */
const struct elf_object *elf_first_needed(const struct elf_objects *objects, const struct elf_object *from,
                                          bool (*is)(const struct elf_object *object, const void *arg), const void *arg);

/* Whether relocations of this processor are known: without that, elf_slots finds nothing. */
#if defined __LP64__ && (defined __x86_64__ || defined __aarch64__)
#define ELF_SLOTS_KNOWN 1
#else
#define ELF_SLOTS_KNOWN 0
#endif

/* elf_slots - call a function for each place where an object keeps the address of a function of others, or of its own. */
void elf_slots(const struct elf_object *object, void (*visit)(const char *name, void *_Atomic *slot, void *arg), void *arg);

#endif
