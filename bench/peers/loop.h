/* The one timing loop of every compiled engine: the minimum over many rounds through many different states. */
#pragma once
#include <time.h>

typedef void (*Kernel)(void *context, const double *q, const double *v, const double *u, double *out);

typedef struct {
    long states, nq, nv, nu, nout;
} Shape;

static inline double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Fill out[] for every state; keep going round for `budget` seconds; return the best nanoseconds per state. */
static double run_loop(Kernel kernel, void *context, const double *q, const double *v, const double *u, double *out,
                       const Shape *n, double budget) {
    double best = 1e30, start = seconds_now(), before, after = start;
    do {
        before = after;
        for (long i = 0; i < n->states; ++i)
            kernel(context, q + i * n->nq, v + i * n->nv, u + i * n->nu, out + i * n->nout);
        after = seconds_now();
        if (after - before < best) best = after - before;
    } while (after - start < budget);
    return best * 1e9 / (double)n->states;
}
