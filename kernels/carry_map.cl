/*
 * carry_map.cl - the effect of a stretch of a number on an incoming carry of -1, 0 or 1: maps, and their composition.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A map has the carries out for the carries -1, 0, 1 in, each plus 1, in two bits, lowest first.  After a stretch that is not all
 * zeros or all ones the carry out is the same for all of them: such a map is constant, so earlier maps do not matter.
 * Composition is associative, so carries of any length are a scan.   Source: [HS86].
 *
 * Tunables: SCAN_ITEMS; GROUP_MAPS (1: behind the chunks' maps are those of whole groups of SCAN_ITEMS chunks, which
 *           chunks_compose.cl has made: if a carry runs far, groups look back over these).
 */
#ifndef CARRY_MAP_CL
#define CARRY_MAP_CL
#include "prelude.cl"
#include "status.cl"

#define MAP_IDENTITY 0x24u /* -1, 0, 1 */
#define SCAN_MAPS    16    /* that one item composes; SCAN_ITEMS is its square */
#define NEAR_CHUNKS  8     /* that an item looks back over by itself */
#define FAR_CHUNKS   (GROUP_MAPS ? SCAN_ITEMS : 1) /* of each map that a group looks back over */

/* map_make - from the carry out that no carry in gives; all_ones, all_zeros: of what is left in the stretch then. */
INLINE uint map_make(int carry, int all_ones, int all_zeros)
{
    return (uint)(carry - all_zeros + 1) | (uint)(carry + 1) << 2 | (uint)(carry + all_ones + 1) << 4;
}

/* map_apply - the carry out, for a carry in. */
INLINE int map_apply(uint map, int carry)
{
    return (int)(map >> (2 * (carry + 1)) & 3) - 1;
}

/* map_then - first one map, then the next. */
INLINE uint map_then(uint first, uint next)
{
    return (uint)(map_apply(next, map_apply(first, -1)) + 1) | (uint)(map_apply(next, map_apply(first, 0)) + 1) << 2 |
           (uint)(map_apply(next, map_apply(first, 1)) + 1) << 4;
}

INLINE int map_is_constant(uint map)
{
    return map_apply(map, -1) == map_apply(map, 1);
}

/* carry_of_items - the carry into item t of a chunk, from the maps of items 1 .. t - 1; item 0 is of another chunk. */
INLINE int carry_of_items(__local const uint *item_map, uint t)
{
    uint before = t;
    while (before > 1 && !map_is_constant(item_map[before - 1])) /* mostly one is enough */
        before--;
    int carry = before > 1 ? map_apply(item_map[before - 1], 0) : 0;
    for (; before < t; before++)
        carry = map_apply(item_map[before], carry);
    return carry;
}

/* word_carry - a word plus a carry of -1 or 1, which becomes the next one. */
INLINE uint word_carry(uint word, int *carry)
{
    const uint v = word + (uint)*carry;
    *carry = *carry > 0 ? v == 0 : -(v == 0xffffffffu);
    return v;
}

#ifdef SCAN_ITEMS
#if SCAN_ITEMS != SCAN_MAPS * SCAN_MAPS
#error "carry_map.cl: SCAN_ITEMS has to be 256"
#endif

/* maps_of - SCAN_MAPS maps, one after another; from: a multiple of that.   GROUP_MAPS: without those from `end` on. */
INLINE uint maps_of(__global const uchar *restrict maps, uint from, uint end)
{
    uint4 words = *(__global const uint4 *)(maps + from); /* one load, not one behind the other */
    uint result = MAP_IDENTITY;
    ROLLED for (uint i = from; i < from + SCAN_MAPS; i += 4)
    {
        UNROLL for (uint k = 0; k < 4; k++)
            result = map_then(result, GROUP_MAPS && i + k >= end ? MAP_IDENTITY : words.s0 >> (8 * k) & 63);
        words = words.s1230;
    }
    return result;
}

/* maps_then - SCAN_MAPS of the group's maps, one after another. */
INLINE uint maps_then(__local const uint *all)
{
    uint result = all[0];
    ROLLED for (int i = 1; i < SCAN_MAPS; i++) result = map_then(result, all[i]);
    return result;
}

/* maps_carry - a carry through the first `count` of SCAN_MAPS maps. */
INLINE int maps_carry(__local const uint *all, uint count, int carry)
{
    ROLLED for (uint i = 0; i < SCAN_MAPS; i += 4)
    {
        UNROLL for (uint k = i; k < i + 4; k++) carry = map_apply(k < count ? all[k] : MAP_IDENTITY, carry);
    }
    return carry;
}

/*
 * map_before - all maps before number `end`, one after another, by the whole group, until the result is constant.
 *   maps       of FAR_CHUNKS chunks each; on a multiple of 16 bytes, and as many can be read
 *   end        a multiple of SCAN_ITEMS; GROUP_MAPS: any number
 *   all, some  SCAN_ITEMS and SCAN_ITEMS / SCAN_MAPS words of local memory
 * Barriers: 3 for each 16 SCAN_ITEMS maps.
 */
INLINE uint map_before(__global const uchar *restrict maps, uint end, __local uint *all, __local uint *some, uint t)
{
    uint result = MAP_IDENTITY, top = GROUP_MAPS ? (end + SCAN_MAPS - 1) / SCAN_MAPS * SCAN_MAPS : end;
    while (top > 0 && !map_is_constant(result)) {
        const uint count = min(top, 16u * SCAN_ITEMS), first = top - count;
        uint map = MAP_IDENTITY;
        if (16 * t < count)
            map = maps_of(maps, first + 16 * t, end);
        all[t] = map;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < SCAN_ITEMS / SCAN_MAPS)
            some[t] = maps_then(all + SCAN_MAPS * t);
        barrier(CLK_LOCAL_MEM_FENCE);
        result = map_then(maps_then(some), result);
        barrier(CLK_LOCAL_MEM_FENCE);
        top = first;
    }
    return result;
}

/*
 * carry_into_chunk - the carry into the chunk of each item of a group of SCAN_ITEMS; maps of all n_chunks chunks.
 * Usually the last chunk or two before it determine it.  If they do not, `far` is raised and the group looks back together.
 *   groups_at  GROUP_MAPS: the maps of groups of chunks begin at maps + groups_at
 *   far        0 for all items;   all, some  SCAN_ITEMS and SCAN_ITEMS / SCAN_MAPS words of local memory
 * Barriers: 3; if a carry runs through 8 chunks, 3 more for each 16 SCAN_ITEMS FAR_CHUNKS of them.
 */
INLINE int carry_into_chunk(__global const uchar *restrict maps, uint groups_at, uint n_chunks, __local uint *all,
                            __local uint *some, __local int *far, uint t)
{
    const uint chunk = get_global_id(0), first_chunk = chunk - t;
    uint before = MAP_IDENTITY, j = min(chunk, n_chunks);
    ulong near = 0; /* NEAR_CHUNKS bytes, loaded side by side */
    UNROLL for (int step = 0; step < NEAR_CHUNKS; step++) near |= (ulong)maps[max((int)j - 1 - step, 0)] << (8 * step);
    ROLLED for (int step = 0; step < NEAR_CHUNKS && j > 0 && !map_is_constant(before); step++, j--)
    {
        before = map_then((uint)near & 63, before);
        near >>= 8;
    }
    if (j > 0 && !map_is_constant(before))
        *far = 1;
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint map = chunk < n_chunks ? maps[chunk] : MAP_IDENTITY;
    /* loops without rounds if nothing is far, because some OpenCL compilers get barriers under an `if` wrong */
    __global const uchar *far_maps = maps + (GROUP_MAPS ? groups_at : 0);
    int carry = map_apply(map_before(far_maps, *far ? first_chunk / FAR_CHUNKS : 0, all, some, t), 0);
    all[t] = map;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (*far && t < SCAN_ITEMS / SCAN_MAPS)
        some[t] = maps_then(all + SCAN_MAPS * t);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (*far) { /* a carry goes through maps one by one at less cost than maps are composed */
        carry = maps_carry(some, t / SCAN_MAPS, carry);
        carry = maps_carry(all + t / SCAN_MAPS * SCAN_MAPS, t % SCAN_MAPS, carry);
    } else {
        carry = map_apply(before, 0);
    }
    return chunk < n_chunks ? carry : 0;
}

/* Local memory of a group of SCAN_ITEMS items for the carries into its chunks. */
struct chunk_carries {
    uint all[SCAN_ITEMS], some[SCAN_ITEMS / SCAN_MAPS];
    int fill[SCAN_ITEMS]; /* of each chunk that a carry runs through: that carry, else 0 */
    int far, any_fill;
};

/*
 * chunk_carry - the carry into an item's chunk that ends within it, or 0.  Carries that run through go into c->fill, c->any_fill.
 * Groups of dimension 1 have the same chunks; those with number 0 there clear the next product's status.
 * Barriers: those of carry_into_chunk, and 2.
 */
INLINE int chunk_carry(__local struct chunk_carries *c, __global const uchar *restrict maps, uint groups_at, uint n_chunks,
                       __global uint *restrict next_status, uint t)
{
    const uint chunk = get_global_id(0);
    if (t == 0)
        c->far = c->any_fill = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_group_id(1) == 0)
        for (uint i = chunk; i < STATUS_WORDS; i += get_global_size(0))
            next_status[i] = 0;
    const uint map = chunk < n_chunks ? maps[chunk] : MAP_IDENTITY;
    const int carry = carry_into_chunk(maps, groups_at, n_chunks, c->all, c->some, &c->far, t);
    /* a carry that leaves a chunk's other end because of it turns all its words over */
    const int through = carry != 0 && map_apply(map, carry) != map_apply(map, 0);
    c->fill[t] = through ? carry : 0;
    if (through)
        c->any_fill = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    return through ? 0 : carry;
}
#endif

#endif
