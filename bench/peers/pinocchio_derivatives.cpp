// Pinocchio's derivatives of dynamics in the loop of the others; stands behind pinocchio_cpp.cpp in one source.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>

using Matrix = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

static void inverse_derivatives(void *context, const double *q, const double *v, const double *u, double *) {
    auto &r = *static_cast<Robot *>(context);
    copy_in(r, q, v, u);
    pin::computeRNEADerivatives(r.model, *r.data, r.q, r.v, r.u);  // the answers stay in data: no copy is charged
}

static void forward_derivatives(void *context, const double *q, const double *v, const double *u, double *) {
    auto &r = *static_cast<Robot *>(context);
    copy_in(r, q, v, u);
    pin::computeABADerivatives(r.model, *r.data, r.q, r.v, r.u);
}

static void copy_inverse(void *context, const double *q, const double *v, const double *u, double *out) {
    auto &r = *static_cast<Robot *>(context);
    const int n = r.model.nv;
    inverse_derivatives(context, q, v, u, out);
    Matrix(out, n, n) = r.data->dtau_dq;
    Matrix(out + n * n, n, n) = r.data->dtau_dv;
    Matrix(out + 2 * n * n, n, n) = r.data->M.selfadjointView<Eigen::Upper>();
}

static void copy_forward(void *context, const double *q, const double *v, const double *u, double *out) {
    auto &r = *static_cast<Robot *>(context);
    const int n = r.model.nv;
    forward_derivatives(context, q, v, u, out);
    Matrix(out, n, n) = r.data->ddq_dq;
    Matrix(out + n * n, n, n) = r.data->ddq_dv;
    Matrix(out + 2 * n * n, n, n) = r.data->Minv.selfadjointView<Eigen::Upper>();
}

// Into rows of the caller's, as batches want it: Pinocchio takes such matrices, asks for zeros where it writes nothing,
// and leaves out the lower triangle of M and its inverse.
static void rows_inverse(void *context, const double *q, const double *v, const double *u, double *out) {
    auto &r = *static_cast<Robot *>(context);
    const int n = r.model.nv;
    copy_in(r, q, v, u);
    Matrix dq(out, n, n), dv(out + n * n, n, n), da(out + 2 * n * n, n, n);
    Matrix(out, 3 * n, n).setZero();
    pin::computeRNEADerivatives(r.model, *r.data, r.q, r.v, r.u, dq, dv, da);
}

static void rows_forward(void *context, const double *q, const double *v, const double *u, double *out) {
    auto &r = *static_cast<Robot *>(context);
    const int n = r.model.nv;
    copy_in(r, q, v, u);
    Matrix dq(out, n, n), dv(out + n * n, n, n), dtau(out + 2 * n * n, n, n);
    Matrix(out, 3 * n, n).setZero();
    pin::computeABADerivatives(r.model, *r.data, r.q, r.v, r.u, dq, dv, dtau);
}

// what: 0 of inverse, 1 of forward dynamics; 2 and 3 the same with a copy of the answers, 4 and 5 written to rows
extern "C" double run_derivatives(void *context, int what, const double *q, const double *v, const double *u, double *out,
                                  const Shape *n, double budget) {
    static const Kernel kernels[] = {inverse_derivatives, forward_derivatives, copy_inverse, copy_forward,
                                     rows_inverse, rows_forward};
    return run_loop(kernels[what], context, q, v, u, out, n, budget);
}
