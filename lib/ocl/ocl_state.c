/*
 * ocl_state.c - an open device: its description, its lock, its products in flight.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_state.h"

#include "ocl/ocl_device.h"

const struct gfmul_device_info *ocl_device_info(const struct ocl_device *d)
{
    return &d->info;
}

bool ocl_device_lost(const struct ocl_device *d)
{
    return atomic_load_explicit(&d->lost, memory_order_relaxed);
}

void ocl_device_lock(struct ocl_device *d)
{
    pthread_mutex_lock(&d->order);
}

void ocl_device_unlock(struct ocl_device *d)
{
    pthread_mutex_unlock(&d->order);
}

void ocl_device_depart(struct ocl_device *d, size_t bytes)
{
    d->in_flight++;
    d->in_flight_bytes += bytes;
    pthread_mutex_unlock(&d->order);
}

void ocl_device_arrive(struct ocl_device *d, size_t bytes)
{
    d->in_flight--;
    d->in_flight_bytes -= bytes;
    pthread_cond_broadcast(&d->ended);
    pthread_mutex_unlock(&d->order);
}

size_t ocl_device_in_flight_bytes(const struct ocl_device *d)
{
    return d->in_flight_bytes;
}

bool ocl_device_await(struct ocl_device *d)
{
    const bool some = d->in_flight > 0;
    if (some)
        pthread_cond_wait(&d->ended, &d->order);
    return some;
}

cl_device_id ocl_device_id(const struct ocl_device *d)
{
    return d->id;
}

cl_context ocl_device_context(const struct ocl_device *d)
{
    return d->context;
}

cl_command_queue ocl_device_queue(const struct ocl_device *d)
{
    return d->queue;
}
