/*
 * elf_objects.c - the objects of this process and their dynamic symbols, without dlopen's lock.
 *
 * dlsym() looks through scopes, not through one object, and it waits for a dlopen() of another thread.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "gmp/elf_objects.h"

#include <string.h>

#include "gmp/shim_pages.h"

#if defined __x86_64__
enum { CALL_SLOT = R_X86_64_JUMP_SLOT, OTHER_SLOT = R_X86_64_GLOB_DAT };
#elif defined __aarch64__
enum { CALL_SLOT = R_AARCH64_JUMP_SLOT, OTHER_SLOT = R_AARCH64_GLOB_DAT };
#endif

/* pointer_of - a pointer of the dynamic section.  The dynamic linker relocates it, unless that section is read-only. */
static const void *pointer_of(uintptr_t base, ElfW(Addr) value)
{
    return (const void *)(value < base ? base + value : value); /* NOLINT: an address in another object */
}

/* object_read - an object's description from the list; false: it has no dynamic symbols. */
static bool object_read(struct elf_object *o, const struct dl_phdr_info *info)
{
    uintptr_t low = UINTPTR_MAX, end = 0;
    size_t soname = 0;
    bool named = false, rela_calls = false;
    *o = (struct elf_object){.base = info->dlpi_addr, .name = info->dlpi_name ? info->dlpi_name : ""};
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t at = o->base + p->p_vaddr;
        if (p->p_type == PT_DYNAMIC)
            o->dynamic = (const ElfW(Dyn) *)at; /* NOLINT */
        if (p->p_type == PT_GNU_RELRO) {
            o->relro = at;
            o->relro_end = at + p->p_memsz;
        }
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
        case DT_JMPREL:
            o->calls = pointer_of(o->base, d->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            o->n_calls = d->d_un.d_val / sizeof *o->calls;
            break;
        case DT_PLTREL:
            rela_calls = d->d_un.d_val == DT_RELA;
            break;
        case DT_RELA:
            o->others = pointer_of(o->base, d->d_un.d_ptr);
            break;
        case DT_RELASZ:
            o->n_others = d->d_un.d_val / sizeof *o->others;
            break;
        default:
            break;
        }
    }
    if (!o->symbols || !o->strings)
        return false;
    if (named)
        o->soname = o->strings + soname;
    if (!o->calls || !rela_calls)
        o->n_calls = 0;
    if (!o->others)
        o->n_others = 0;
    return true;
}

struct visit {
    struct elf_objects objects;
    size_t room;
    bool (*function)(const struct elf_objects *objects, void *arg);
    void *arg;
    bool value;
};

static int object_count(struct dl_phdr_info *info, size_t size, void *n)
{
    (void)info, (void)size;
    ++*(size_t *)n;
    return 0;
}

static int object_add(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct visit *v = arg;
    (void)size;
    if (v->objects.n < v->room && object_read(&v->objects.object[v->objects.n], info))
        v->objects.n++;
    return 0;
}

/* objects_use - called for the first object: lists all of them, and calls the visitor under the same lock. */
static int objects_use(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct visit *v = arg;
    (void)info, (void)size;
    dl_iterate_phdr(object_count, &v->room);
    const size_t bytes = v->room * (sizeof *v->objects.object + sizeof *v->objects.queue);
    char *pages = shim_pages_get(bytes);
    if (!pages)
        return 1;
    v->objects.object = (void *)pages;
    v->objects.queue = (void *)(pages + v->room * sizeof *v->objects.object);
    dl_iterate_phdr(object_add, v);
    v->value = v->function(&v->objects, v->arg);
    shim_pages_free(pages, bytes);
    return 1;
}

bool elf_objects_visit(bool (*visit)(const struct elf_objects *objects, void *arg), void *arg)
{
    struct visit v = {.function = visit, .arg = arg};
    dl_iterate_phdr(objects_use, &v);
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

/* object_needs - the i-th library that an object needs (DT_NEEDED); NULL: it is not there.   end  out  there are not so many. */
static const struct elf_object *object_needs(const struct elf_objects *objects, const struct elf_object *object, size_t i,
                                             bool *end)
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

const struct elf_object *elf_first_needed(const struct elf_objects *objects, const struct elf_object *from,
                                          bool (*is)(const struct elf_object *object, const void *arg), const void *arg)
{
    const struct elf_object **queue = objects->queue;
    size_t head = 0, tail = 0;
    queue[tail++] = from;
    while (head < tail) {
        const struct elf_object *o = queue[head++];
        if (is(o, arg))
            return o;
        bool end = false;
        for (size_t i = 0; !end; i++) {
            const struct elf_object *next = object_needs(objects, o, i, &end);
            size_t j = 0;
            while (next && j < tail && queue[j] != next)
                j++;
            if (next && j == tail)
                queue[tail++] = next;
        }
    }
    return NULL;
}

static bool is_this(const struct elf_object *object, const void *which)
{
    return object == which;
}

bool elf_needed(const struct elf_objects *objects, const struct elf_object *from, const struct elf_object *object)
{
    return elf_first_needed(objects, from, is_this, object) != NULL;
}

#if ELF_SLOTS_KNOWN
static void slots_of(const struct elf_object *o, const ElfW(Rela) * list, size_t n, unsigned type,
                     void (*visit)(const char *name, void *_Atomic *slot, void *arg), void *arg)
{
    for (size_t i = 0; i < n; i++) {
        if (ELF64_R_TYPE(list[i].r_info) == type)
            visit(o->strings + o->symbols[ELF64_R_SYM(list[i].r_info)].st_name, (void *_Atomic *)(o->base + list[i].r_offset),
                  arg); /* NOLINT */
    }
}

void elf_slots(const struct elf_object *object, void (*visit)(const char *name, void *_Atomic *slot, void *arg), void *arg)
{
    slots_of(object, object->calls, object->n_calls, CALL_SLOT, visit, arg);
    slots_of(object, object->others, object->n_others, OTHER_SLOT, visit, arg);
}
#else
void elf_slots(const struct elf_object *object, void (*visit)(const char *name, void *_Atomic *slot, void *arg), void *arg)
{
    (void)object, (void)visit, (void)arg;
}
#endif
