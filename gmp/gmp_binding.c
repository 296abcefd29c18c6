/*
 * gmp_binding.c - modules that are opened so that they bind to themselves (RTLD_DEEPBIND), as PHP's are.
 *
 * A GMP that comes along with such a module calls its own products, not those of this library.  So dlopen is an entry point, too:
 * after it has loaded such a module, the addresses by which the module and what it needs call products are replaced.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "gmp/gmp_binding.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gmp/gmp_routes.h"

/* ---- what a GMP calls ---- */

struct look {
    const struct elf_object *gmp;
    bool found, itself;
};

static void slot_look(const char *name, void *_Atomic *slot, void *arg)
{
    struct look *l = arg;
    if (strcmp(name, "__gmpn_mul") != 0)
        return;
    l->found = true;
    l->itself = l->itself || atomic_load(slot) == elf_symbol(l->gmp, name);
}

bool binding_comes_here(const struct elf_object *gmp)
{
    struct look l = {.gmp = gmp};
    elf_slots(gmp, slot_look, &l);
    return !ELF_SLOTS_KNOWN || (l.found && !l.itself);
}

/* Without optimisation the jump at the end of dlopen would be a call, and its caller this library. */
#if defined __OPTIMIZE__ && defined RTLD_DEEPBIND

/* ---- what a module calls ---- */

/* gmp.h does not declare these. */
#define ROUTE_ENTRY(result, name, parameters) result __MPN(name) parameters;
ROUTE_ENTRIES
#undef ROUTE_ENTRY

/* entry_of - this library's function of a name; NULL: it has none. */
static void *entry_of(const char *name)
{
    static const struct {
        const char *name;
        uintptr_t address;
    } entries[] = {
#define ROUTE_ENTRY(result, name, parameters) {"__gmpn_" #name, (uintptr_t)__MPN(name)},
        ROUTE_ENTRIES
#undef ROUTE_ENTRY
    };
    if (strncmp(name, "__gmpn_", 7) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(name, entries[i].name) == 0)
            return (void *)entries[i].address; /* NOLINT: a function as data */
    }
    return NULL;
}

struct module {
    const struct link_map *map;
    const struct elf_objects *objects;
    const struct elf_object *object; /* that of the module, or one that it needs */
};

/* leads_to_gmp - whether an address is not bound yet, or is a GMP's: no one else has been put in between. */
static bool leads_to_gmp(const struct module *m, const void *address)
{
    const struct elf_object *o = elf_object_at(m->objects, address);
    return o && (o == m->object || object_is_gmp(o, NULL));
}

/* slot_turn - have calls by this slot come here. */
static void slot_turn(const char *name, void *_Atomic *slot, void *arg)
{
    const struct module *m = arg;
    void *entry = entry_of(name);
    if (!entry || !leads_to_gmp(m, atomic_load(slot)))
        return;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)slot / page * page;
    const bool sealed = at < m->object->relro_end && at + page > m->object->relro;
    if (sealed && mprotect((void *)at, page, PROT_READ | PROT_WRITE) != 0) /* NOLINT */
        return;
    atomic_store(slot, entry);
    /* the dynamic linker has sealed whole pages only */
    if (sealed && at >= m->object->relro / page * page && at + page <= m->object->relro_end)
        mprotect((void *)at, page, PROT_READ); /* NOLINT */
}

static void slot_count(const char *name, void *_Atomic *slot, void *n)
{
    (void)slot;
    *(size_t *)n += entry_of(name) != NULL;
}

static bool has_slots(const struct elf_object *object)
{
    size_t n = 0;
    elf_slots(object, slot_count, &n);
    return n > 0;
}

/* module_turn - those of the module and of what it needs, if a GMP is among that: most modules need none. */
static bool module_turn(const struct elf_objects *objects, void *arg)
{
    struct module *m = arg;
    const struct elf_object *module = NULL;
    for (size_t i = 0; i < objects->n && !module; i++)
        module = objects->object[i].dynamic == m->map->l_ld ? &objects->object[i] : NULL;
    if (!module || !elf_first_needed(objects, module, object_is_gmp, NULL) || elf_symbol(&objects->object[0], "__gmpn_mul"))
        return false;
    m->objects = objects;
    for (size_t i = 0; i < objects->n; i++) {
        m->object = &objects->object[i];
        if (!object_is_shim(m->object) && has_slots(m->object) && elf_needed(objects, module, m->object) &&
            elf_first_needed(objects, m->object, object_is_gmp, NULL))
            elf_slots(m->object, slot_turn, m);
    }
    return true;
}

/* ---- dlopen ---- */

/* caller_plain - the caller has no folders of its own in which the dynamic linker would look for it alone. */
static bool caller_plain(const struct elf_objects *objects, void *arg)
{
    const struct elf_object *o = elf_object_at(objects, arg);
    for (const ElfW(Dyn) *d = o ? o->dynamic : NULL; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_RPATH && o != &objects->object[0])
            return false;
    }
    return o != NULL;
}

typedef void *dlopen_function(const char *file, int mode);

static dlopen_function *dlopen_next(void)
{
    static dlopen_function *_Atomic next;
    dlopen_function *f = atomic_load_explicit(&next, memory_order_relaxed);
    if (!f) {
        void *symbol = dlsym(RTLD_NEXT, "dlopen");
        memcpy(&f, &symbol, sizeof f);
        atomic_store_explicit(&next, f, memory_order_relaxed);
    }
    return f;
}

/*
 * deep_open - open a module that binds to itself, and turn its calls; NULL: it is not for us, or could not be opened.
 *
 * The dynamic linker goes by who calls it.  That is this library here, and so it has to be all the same: a file by its path, a
 * caller without folders of its own.
 */
static __attribute__((noinline)) void *deep_open(const char *file, int mode, const void *caller)
{
    if (!file || !strchr(file, '/') || strchr(file, '$') || !elf_objects_visit(caller_plain, (void *)(uintptr_t)caller))
        return NULL;
    struct module m = {.map = dlopen_next()(file, mode)};
    const int error = errno;
    if (m.map)
        elf_objects_visit(module_turn, &m);
    errno = error;
    return (void *)(uintptr_t)m.map;
}

/* dlopen - as the next one.  The jump at its end leaves the caller as it is: RUNPATH and the namespace are the caller's. */
__attribute__((visibility("default"))) void *dlopen(const char *file, int mode)
{
    if (mode & RTLD_DEEPBIND) {
        void *handle = deep_open(file, mode, __builtin_return_address(0));
        if (handle)
            return handle;
    }
    return dlopen_next()(file, mode);
}
#endif
