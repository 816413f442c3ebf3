/* MuJoCo's own pipeline stages in a C loop: kinematics to solve, with contacts and constraints off. */
#include <mujoco/mujoco.h>
#include <string.h>
#include "loop.h"

typedef struct {
    mjModel *model;
    mjData *data;
} Robot;

static Robot robot;
char load_error[1000];

void *create(const char *path) {
    robot.model = mj_loadXML(path, 0, load_error, sizeof load_error);
    if (!robot.model) return 0;
    robot.data = mj_makeData(robot.model);
    return &robot;
}

static void positions(const Robot *r, const double *q) {
    memcpy(r->data->qpos, q, sizeof(double) * (size_t)r->model->nq);
    mj_kinematics(r->model, r->data);
    mj_comPos(r->model, r->data);
}

static void forward(void *context, const double *q, const double *v, const double *tau, double *a) {
    Robot *r = (Robot *)context;
    const int nv = r->model->nv;
    positions(r, q);
    memcpy(r->data->qvel, v, sizeof(double) * (size_t)nv);
    mj_makeM(r->model, r->data);
    mj_factorM(r->model, r->data);
    mj_comVel(r->model, r->data);
    mj_rne(r->model, r->data, 0, r->data->qfrc_bias);
    for (int i = 0; i < nv; ++i) r->data->qfrc_smooth[i] = tau[i] - r->data->qfrc_bias[i];
    mj_solveM(r->model, r->data, a, r->data->qfrc_smooth, 1);
}

static void inverse(void *context, const double *q, const double *v, const double *a, double *tau) {
    Robot *r = (Robot *)context;
    positions(r, q);
    memcpy(r->data->qvel, v, sizeof(double) * (size_t)r->model->nv);
    memcpy(r->data->qacc, a, sizeof(double) * (size_t)r->model->nv);
    mj_comVel(r->model, r->data);
    mj_rne(r->model, r->data, 1, tau);
}

static void mass(void *context, const double *q, const double *v, const double *u, double *out) {
    Robot *r = (Robot *)context;
    (void)v, (void)u, (void)out;
    positions(r, q);
    mj_makeM(r->model, r->data); /* the answer stays in MuJoCo's sparse form: no copy is charged */
}

static void mass_copy(void *context, const double *q, const double *v, const double *u, double *out) {
    Robot *r = (Robot *)context;
    mass(context, q, v, u, out);
    mj_fullM(r->model, r->data, out);
}

/* what: 0 forward, 1 inverse, 2 mass, 3 mass with its copy */
double run(void *context, int what, const double *q, const double *v, const double *u, double *out, const Shape *n,
           double budget) {
    static const Kernel kernels[] = {forward, inverse, mass, mass_copy};
    return run_loop(kernels[what], context, q, v, u, out, n, budget);
}
