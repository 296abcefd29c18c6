/*
 * elf_objects.c - the objects of this process and their dynamic symbols, without dlopen's lock.
 *
 * dlsym() looks through scopes, not through one object, and it waits for a dlopen() of another thread.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "gmp/elf_objects.h"

#include <stdlib.h>
#include <string.h>

/* pointer_of - a pointer of the dynamic section.  The dynamic linker relocates it, but not where that section is read-only. */
static const void *pointer_of(uintptr_t base, ElfW(Addr) value)
{
    return (const void *)(value < base ? base + value : value); /* NOLINT: an address in another object */
}

/* object_read - what the list says of an object; false: it has no dynamic symbols. */
static bool object_read(struct elf_object *o, const struct dl_phdr_info *info)
{
    uintptr_t low = UINTPTR_MAX, end = 0;
    size_t soname = 0;
    bool named = false;
    *o = (struct elf_object){.base = info->dlpi_addr, .name = info->dlpi_name ? info->dlpi_name : ""};
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t at = o->base + p->p_vaddr;
        if (p->p_type == PT_DYNAMIC)
            o->dynamic = (const ElfW(Dyn) *)at; /* NOLINT */
        if (p->p_type != PT_LOAD)
            continue;
        low = at < low ? at : low;
        end = at + p->p_memsz > end ? at + p->p_memsz : end;
    }
    if (!o->dynamic || low >= end)
        return false;
    o->low = low;
    o->size = end - low;
    for (const ElfW(Dyn) *d = o->dynamic; d->d_tag != DT_NULL; d++) {
        switch (d->d_tag) {
        case DT_SYMTAB:
            o->symbols = pointer_of(o->base, d->d_un.d_ptr);
            break;
        case DT_STRTAB:
            o->strings = pointer_of(o->base, d->d_un.d_ptr);
            break;
        case DT_GNU_HASH:
            o->gnu_hash = pointer_of(o->base, d->d_un.d_ptr);
            break;
        case DT_HASH:
            o->hash = pointer_of(o->base, d->d_un.d_ptr);
            break;
        case DT_SONAME:
            soname = d->d_un.d_val;
            named = true;
            break;
        default:
            break;
        }
    }
    if (!o->symbols || !o->strings)
        return false;
    if (named)
        o->soname = o->strings + soname;
    return true;
}

struct visit {
    struct elf_objects objects;
    size_t room;
    bool (*function)(const struct elf_objects *objects, void *arg);
    void *arg;
    bool value;
};

static int object_add(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct visit *v = arg;
    (void)size;
    if (v->objects.n == v->room) {
        const size_t room = 2 * v->room + 32;
        struct elf_object *list = realloc(v->objects.object, room * sizeof *list);
        if (!list)
            return 1;
        v->objects.object = list;
        v->room = room;
    }
    if (object_read(&v->objects.object[v->objects.n], info))
        v->objects.n++;
    return 0;
}

/* objects_use - called for the first object: lists all of them, and calls the visitor under the same lock. */
static int objects_use(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct visit *v = arg;
    (void)info, (void)size;
    if (dl_iterate_phdr(object_add, v) == 0)
        v->value = v->function(&v->objects, v->arg);
    return 1;
}

bool elf_objects_visit(bool (*visit)(const struct elf_objects *objects, void *arg), void *arg)
{
    struct visit v = {.function = visit, .arg = arg};
    dl_iterate_phdr(objects_use, &v);
    free(v.objects.object);
    return v.value;
}

/* symbol_is - whether symbol i defines the name. */
static bool symbol_is(const struct elf_object *o, size_t i, const char *name)
{
    const ElfW(Sym) *s = &o->symbols[i];
    const unsigned type = s->st_info & 0xf;
    return s->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE) &&
           strcmp(o->strings + s->st_name, name) == 0;
}

/* symbol_by_gnu_hash - its number, 0: there is none.   Layout: 4 counts, Bloom words, buckets, chains from symbol `first` on. */
static size_t symbol_by_gnu_hash(const struct elf_object *o, const char *name)
{
    uint32_t h = 5381;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        h = h * 33 + *c;
    const uint32_t n_buckets = o->gnu_hash[0], first = o->gnu_hash[1], bloom_words = o->gnu_hash[2];
    const uint32_t *bucket = o->gnu_hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chain = bucket + n_buckets;
    size_t i = n_buckets > 0 ? bucket[h % n_buckets] : 0;
    if (i < first)
        return 0;
    for (;; i++) {
        const uint32_t entry = chain[i - first]; /* its last bit ends the chain */
        if ((entry | 1) == (h | 1) && symbol_is(o, i, name))
            return i;
        if (entry & 1)
            return 0;
    }
}

static size_t symbol_by_hash(const struct elf_object *o, const char *name)
{
    uint32_t h = 0;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
        h = (h << 4) + *c;
        h = (h ^ (h >> 24 & 0xf0)) & 0x0fffffff;
    }
    const uint32_t n_buckets = o->hash[0], *bucket = o->hash + 2, *chain = bucket + n_buckets;
    size_t i = n_buckets > 0 ? bucket[h % n_buckets] : 0;
    while (i != 0 && !symbol_is(o, i, name))
        i = chain[i];
    return i;
}

void *elf_symbol(const struct elf_object *object, const char *name)
{
    size_t i = 0;
    if (object->gnu_hash)
        i = symbol_by_gnu_hash(object, name);
    else if (object->hash)
        i = symbol_by_hash(object, name);
    return i == 0 ? NULL : (void *)(object->base + object->symbols[i].st_value); /* NOLINT */
}

const struct elf_object *elf_object_at(const struct elf_objects *objects, const void *address)
{
    for (size_t i = 0; i < objects->n; i++) {
        if ((uintptr_t)address - objects->object[i].low < objects->object[i].size)
            return &objects->object[i];
    }
    return NULL;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const struct elf_object *elf_object_needs(const struct elf_objects *objects, const struct elf_object *object, size_t i, bool *end)
{
    const ElfW(Dyn) *d = object->dynamic;
    for (; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_NEEDED && i-- == 0)
            break;
    }
    *end = d->d_tag == DT_NULL;
    if (*end)
        return NULL;
    const char *name = object->strings + d->d_un.d_val;
    for (size_t j = 0; j < objects->n; j++) {
        const struct elf_object *o = &objects->object[j];
        if ((o->soname && strcmp(o->soname, name) == 0) || strcmp(last_part(o->name), last_part(name)) == 0)
            return o;
    }
    return NULL;
}
