// Pinocchio's own algorithms in a C++ loop. Header-only use of the library: -march=native then applies to all of it.
#include <memory>
#if __has_include(<pinocchio/multibody.hpp>)  // Pinocchio 4
#include <pinocchio/multibody.hpp>
#else
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>
#endif
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include "loop.h"

namespace pin = pinocchio;
using Vector = Eigen::VectorXd;
using In = Eigen::Map<const Vector>;
using Out = Eigen::Map<Vector>;

enum Kind { REVOLUTE, PRISMATIC, FREE };

struct Robot {
    pin::Model model;
    std::unique_ptr<pin::Data> data;
    Vector q, v, u;  // plain vectors: what a C++ user passes, and the only types the library is tuned for
};

template <typename X, typename Y, typename Z, typename Any>
static pin::JointIndex add_axis(pin::Model &model, int parent, const Eigen::Vector3d &axis, const pin::SE3 &placement) {
    if (axis[0] == 1.0) return model.addJoint(parent, X(), placement, "");
    if (axis[1] == 1.0) return model.addJoint(parent, Y(), placement, "");
    if (axis[2] == 1.0) return model.addJoint(parent, Z(), placement, "");
    return model.addJoint(parent, Any(axis), placement, "");
}

static pin::JointIndex add_joint(pin::Model &m, int kind, int parent, const Eigen::Vector3d &axis, const pin::SE3 &at) {
    switch (kind) {
    case REVOLUTE:
        return add_axis<pin::JointModelRX, pin::JointModelRY, pin::JointModelRZ, pin::JointModelRevoluteUnaligned>(m, parent, axis, at);
    case PRISMATIC:
        return add_axis<pin::JointModelPX, pin::JointModelPY, pin::JointModelPZ, pin::JointModelPrismaticUnaligned>(m, parent, axis, at);
    default:
        return m.addJoint(parent, pin::JointModelFreeFlyer(), at, "");
    }
}

// numbers: per body 3 axis, 16 placement (row-major), mass, 3 com, 9 tensor
extern "C" void *create(int count, const int *kind, const int *parent, const double *numbers, const double *gravity) {
    auto *robot = new Robot;
    using Matrix4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;
    for (int k = 0; k < count; ++k, numbers += 32) {
        const Eigen::Vector3d axis(numbers[0], numbers[1], numbers[2]), com(numbers[20], numbers[21], numbers[22]);
        const Eigen::Map<const Matrix4> at(numbers + 3);
        const pin::SE3 placement(Eigen::Matrix3d(at.topLeftCorner<3, 3>()), Eigen::Vector3d(at.topRightCorner<3, 1>()));
        const Eigen::Matrix3d tensor = Eigen::Map<const Eigen::Matrix3d>(numbers + 23);
        const auto joint = add_joint(robot->model, kind[k], parent[k] + 1, axis, placement);
        robot->model.appendBodyToJoint(joint, pin::Inertia(numbers[19], com, tensor), pin::SE3::Identity());
    }
    robot->model.gravity.linear() = Eigen::Vector3d(gravity[0], gravity[1], gravity[2]);
    robot->data.reset(new pin::Data(robot->model));
    robot->q.resize(robot->model.nq);
    robot->v.resize(robot->model.nv);
    robot->u.resize(robot->model.nv);
    return robot;
}

static void copy_in(Robot &r, const double *q, const double *v, const double *u) {
    r.q = In(q, r.model.nq);
    r.v = In(v, r.model.nv);
    r.u = In(u, r.model.nv);
}

template <pin::Convention convention>
static void forward(void *context, const double *q, const double *v, const double *u, double *out) {
    auto &r = *static_cast<Robot *>(context);
    copy_in(r, q, v, u);
    Out(out, r.model.nv) = pin::aba(r.model, *r.data, r.q, r.v, r.u, convention);
}

static void inverse(void *context, const double *q, const double *v, const double *u, double *out) {
    auto &r = *static_cast<Robot *>(context);
    copy_in(r, q, v, u);
    Out(out, r.model.nv) = pin::rnea(r.model, *r.data, r.q, r.v, r.u);
}

template <pin::Convention convention>
static void mass(void *context, const double *q, const double *, const double *, double *) {
    auto &r = *static_cast<Robot *>(context);
    r.q = In(q, r.model.nq);
    pin::crba(r.model, *r.data, r.q, convention);  // the answer stays in data.M, upper triangle: no copy is charged
}

static void mass_copy(void *context, const double *q, const double *v, const double *u, double *out) {
    auto &r = *static_cast<Robot *>(context);
    mass<pin::Convention::LOCAL>(context, q, v, u, out);
    Eigen::Map<Eigen::MatrixXd>(out, r.model.nv, r.model.nv) = r.data->M.selfadjointView<Eigen::Upper>();
}

// what: 0 forward, 1 forward in the world convention, 2 inverse, 3 mass, 4 mass in the world convention, 5 mass with its copy
extern "C" double run(void *context, int what, const double *q, const double *v, const double *u, double *out, const Shape *n,
                      double budget) {
    static const Kernel kernels[] = {forward<pin::Convention::LOCAL>, forward<pin::Convention::WORLD>, inverse,
                                     mass<pin::Convention::LOCAL>,    mass<pin::Convention::WORLD>,    mass_copy};
    return run_loop(kernels[what], context, q, v, u, out, n, budget);
}
